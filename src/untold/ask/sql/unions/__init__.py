"""UNION ALL: several questions whose rows are put below each other."""
