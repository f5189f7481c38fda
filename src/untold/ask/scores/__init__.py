"""Question -> Scan: a score for every possible report, such that scores add up to the answer."""
