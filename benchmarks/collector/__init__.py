"""A collector as a process of its own, and a load generator beside it."""
