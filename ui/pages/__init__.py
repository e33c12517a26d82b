"""One file a page; ``app.py`` lists them."""
