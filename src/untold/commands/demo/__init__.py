"""A tour: simulates a shop, lets its people report, and answers eight questions. The plan is in shop.toml."""
