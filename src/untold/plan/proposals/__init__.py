"""A plan for a table that somebody has: what each column could be declared as, with a word about every guess."""
