"""A door for agents: the Model Context Protocol over a folder of reports."""
