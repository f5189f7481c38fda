"""Small things that every floor needs: what a table is, Arrow's types, quoting, suggestions, a progress bar."""
