"""Frequent texts that nobody listed: found in counts of messages, tested by other people's reports, counted by yet others'."""
