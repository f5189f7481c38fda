"""SELECT: aggregates as formulas over totals, totals as sums of product terms."""
