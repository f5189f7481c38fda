"""What reports say of each view of a design, decoded once: the floor under SQL answers, marginals and forecasts."""
