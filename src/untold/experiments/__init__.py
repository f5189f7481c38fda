"""Experiments of researchers: many collections of one table under several plans, in memory, and mechanisms of one's own.

import untold
from untold import experiments

found = experiments.run({"ours": ours, "hio": hio}, {"users": table}, ["SELECT COUNT(*) AS n FROM users WHERE age < 40"])
found.summary()      # rmse, stated error and coverage of each plan and question
found.df()           # one row for each estimate of each collection
"""

from untold.experiments.register import register
from untold.experiments.run import Experiment, run

__all__ = ["Experiment", "register", "run"]
