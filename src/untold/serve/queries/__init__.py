"""Analysts' queries behind an HTTP server: each runs in a process of its own kind, limited in time, memory and reach."""
