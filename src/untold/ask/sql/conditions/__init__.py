"""WHERE, FILTER and CASE WHEN: conditions as disjoint products of factors."""
