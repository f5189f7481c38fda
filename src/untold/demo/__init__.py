"""A tour: a shop is simulated, its people report, and eight questions are asked. The plan is in shop.toml."""
