"""An oracle, a design or an estimator of one's own, by name, in this process."""

from __future__ import annotations

from typing import Any

from untold.ask.scores.coefficients import ESTIMATORS, Estimator
from untold.errors import UntoldError
from untold.oracles import Oracle, oracle_names, register_oracle
from untold.plan.designs.recipe import Recipe
from untold.plan.designs.recipes import BY_NAME, register_design

WAYS = "a subclass of untold.oracles.Oracle, a Recipe of a design, or an estimator with its name"


def register(own: type[Oracle] | Recipe | Estimator, name: str | None = None) -> None:
    """Make something known by its name, for plans (`oracle = ...`, `design = ...`) and `con.sql(..., estimator=...)`.

    own    a subclass of `untold.oracles.Oracle`, which has its name; a `Recipe`, which has one, too; or an estimator: a function
           from a design and the factors of a product to `Coefficients`
    name   of an estimator
    """
    if isinstance(own, type) and issubclass(own, Oracle):
        _refuse_taken(own.name, oracle_names())
        register_oracle(own)
    elif isinstance(own, Recipe):
        _refuse_taken(own.name, BY_NAME)
        register_design(own)
    elif callable(own) and not isinstance(own, type) and name:
        _refuse_taken(name, ESTIMATORS)
        known: dict[Any, Estimator] = ESTIMATORS
        known[name] = own
    else:
        raise UntoldError(f"register({own!r}): this needs {WAYS}.")


def _refuse_taken(name: str, taken: Any) -> None:
    if name in taken:
        raise UntoldError(
            f"'{name}' is taken; there are: {', '.join(sorted(taken))}.\nHint: give your own another name."
        )
