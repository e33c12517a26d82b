"""Tables of one's own in files, read by Spark as a stream: which files, which columns, in which order.

``request.Files`` is what a command line names, ``opening.open_files`` makes an ``FileStream`` of it. Only ``times``,
``reading``, ``stream`` and ``opening`` need Spark.
"""
