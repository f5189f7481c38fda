"""Plans made for questions: from the SQL that will be asked to classes, to what a design is made for, and to expected errors."""
