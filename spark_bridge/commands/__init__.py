"""The subcommands of ``python -m spark_bridge``, one module each: ``add`` its arguments to the parser, ``run`` it."""
