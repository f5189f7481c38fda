"""Many collectors over one PostgreSQL: what they acknowledge is committed there, and one at a time turns it into segments."""
