"""What the accuracy benchmarks of single-service queries share: tables, questions, cheap repeated collections, exact variances."""
