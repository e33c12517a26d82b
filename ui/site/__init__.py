"""The app as static files: a folder that any web server can serve, made by ``python -m ui.site`` (SITE.md)."""
