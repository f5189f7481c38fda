"""A second attack on the collector, with tools that share nothing with its tests: `scripts/bench robust attack`."""
