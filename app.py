"""Tidemark: the list of pages, and nothing else."""

import streamlit as st

from simulator.words import words
from ui.frame import frame

frame()
pages = [
    st.Page("ui/pages/library.py", title=words("pages.library.name"), url_path="library"),
    st.Page("ui/pages/walkthrough.py", title=words("pages.walkthrough.name"), default=True),
    st.Page("ui/pages/spark.py", title=words("pages.spark.name"), url_path="spark"),
]
st.navigation(pages, position="top").run()
