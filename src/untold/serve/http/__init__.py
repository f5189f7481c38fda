"""The collector's HTTP side: the server, its routes, who may come in."""
