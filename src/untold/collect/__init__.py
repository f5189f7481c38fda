"""Perturbs whole tables in bulk: `untold.perturb`. What one device does for one person is in `device`."""
