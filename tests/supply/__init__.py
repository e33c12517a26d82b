"""Where the libraries come from: their hashes, their licences, and what is known against them."""
