"""Moments -> numbers with errors; quantiles, plausible counts and forecasts."""
