"""Whether anything in a picture covers anything: the player without a server, and a look at every box of text in it."""
