"""FROM and JOIN: which services, public tables and catalogues a query reads."""
