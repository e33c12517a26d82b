"""Your stream: files of one's own, profiled by Spark; ``/your-stream?file=NAME`` names one of the folder."""

from tidemark.ui.spark.your_stream.page import page

page()
