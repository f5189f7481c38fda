"""Marginals (joint distributions of a few attributes) from perturbed reports: CALM and its rivals.

plan = untold.marginals.plan_for(attributes, epsilon=1.0, users=100_000, k=3)
untold.perturb(plan, "people", table, out="reports/")
found = untold.marginals.load("reports/")             or con.marginals()
found.release(["age", "state"]).show()               shares with errors, consistent, none below zero
found.sample(10_000)                                 synthetic rows
"""

from untold.marginals.api import collect, load, plan_for
from untold.marginals.asked import Marginals

__all__ = ["Marginals", "collect", "load", "plan_for"]
