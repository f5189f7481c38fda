"""Vectors that hold the clients in all languages to the same bytes, and the code that makes them (`make`)."""
