"""A plan in plain words, for the command line, the demo and the pages: what it collects and what it costs a person."""
