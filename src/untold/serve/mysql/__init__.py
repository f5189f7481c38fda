"""A door for BI tools: MySQL's protocol, by mysql-mimic. Statements run in query processes, never here."""
