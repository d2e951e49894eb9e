"""Charts as data, and the libraries that draw them."""
