"""Storage in a folder of one collector: a log, an index of who has reported, segments."""
