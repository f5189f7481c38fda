"""What a query asks, once SQL is out of the way, and the algebra of its terms."""
