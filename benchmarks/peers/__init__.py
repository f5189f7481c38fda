"""Other libraries for local differential privacy, each timed in an environment of its own."""
