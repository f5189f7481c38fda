"""Notebooks: the cell magic `%%untold`, after `%load_ext untold`."""
