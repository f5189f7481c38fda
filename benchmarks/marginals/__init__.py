"""What the accuracy benchmark of marginals is made of."""
