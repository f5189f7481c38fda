"""Best guesses: a smooth table behind the reports, and how far off it typically is."""
