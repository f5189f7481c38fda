"""From a question in SQL and a folder of reports to a number and its error."""
