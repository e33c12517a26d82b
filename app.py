"""Tidemark: the list of pages, and nothing else. Streamlit imports this file once, as its server, and runs it as a
script for each visit."""

import streamlit as st
from starlette.middleware import Middleware
from tidemark.simulator.words import words
from tidemark.ui.pages import asking
from tidemark.ui.pages.frame import frame, show
from tidemark.ui.pages.opening.admission import Admission, believe_named_proxies
from tidemark.ui.pages.opening.server import Opening
from tidemark.ui.pages.opening.warming import warming
from tidemark.ui.server.bridge import connect

from tidemark import spark_bridge

if __name__ == "__main__":
    frame()
    connect(spark_bridge)
    pages = [
        st.Page("ui/pages/library.py", title=words("pages.library.name"), url_path="library"),
        st.Page("ui/pages/symptoms.py", title=words("pages.symptoms.name"), url_path="symptoms"),
        st.Page("ui/pages/walkthrough.py", title=words("pages.walkthrough.name"), default=True),
        st.Page("ui/pages/compare.py", title=words("pages.compare.name"), url_path="compare"),
        st.Page(asking.sql, title=words("pages.sql.name"), url_path="sql"),
        st.Page("ui/pages/author.py", title=words("pages.author.name"), url_path="author"),
        st.Page("ui/pages/spark.py", title=words("pages.spark.name"), url_path="spark"),
        st.Page(asking.your_stream, title=words("pages.own_stream.name"), url_path="your-stream"),
        st.Page(asking.path, title=words("pages.path.name"), url_path="path"),
        st.Page(asking.teach, title=words("pages.teach.name"), url_path="teach"),
        st.Page(asking.inventory, title=words("pages.inventory.name"), url_path="inventory"),
        st.Page(asking.practice, title=words("pages.practice.name"), url_path="practice"),
        st.Page(asking.lessons, title=words("pages.lessons.name"), url_path="lessons"),
        st.Page(asking.vote, title=words("pages.vote.name"), url_path="vote"),
    ]
    show(st.navigation(pages, position="hidden"))
else:
    believe_named_proxies()
    app = st.App(__file__, middleware=[Middleware(Admission), Middleware(Opening)], lifespan=warming)
