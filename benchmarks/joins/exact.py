"""Errors to expect, exactly: every probability of a design is known, so for given spreads of the attributes no sampling is
needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import pi, sqrt
from typing import Any

from untold.ask.estimates.estimate import Estimated
from untold.ask.estimates.rows import rows_of
from untold.ask.evidence.scanned import scanned_groups
from untold.ask.forecast.expected_moments import expected_moments
from untold.ask.forecast.known_spread import known_spread
from untold.ask.question.model import EstimateOutput
from untold.ask.scores.coefficients import ESTIMATORS, rdc
from untold.ask.scores.compile import compile_question
from untold.ask.sql.question import question
from untold.plan import Plan

Spread = Mapping[str, Sequence[float]]  # attribute -> how people are spread over its values


@dataclass(frozen=True)
class Mechanism:
    """A design of the plan and the estimator that goes with it; `top` is k of RDC."""

    name: str
    design: str
    estimator: str = "greedy"
    top: int = 2
    oracle: str | None = "olh"  # as published; None: the plan's own choice

    def coefficients(self) -> Any:
        """How views are weighted."""
        return partial(rdc, top=self.top) if self.estimator == "rdc" else ESTIMATORS[self.estimator]


TUNED = Mechanism("tuned", "tuned", "blue", oracle=None)
HIO, HIO_PUB = Mechanism("HIO", "hio"), Mechanism("HIO-PUB", "hio-pub")
AHIO, EHIO, AMG = Mechanism("AHIO", "ahio"), Mechanism("EHIO", "ehio"), Mechanism("AMG", "amg")
AHIO_RDC = Mechanism("AHIO-RDC", "ahio", "rdc", 4)
SC_JOIN, HIO_JOIN = Mechanism("SC-JOIN", "sc-join"), Mechanism("HIO-JOIN", "hio-join")
HIO_JOIN_RDC = Mechanism("HIO-JOIN-RDC", "hio-join", "rdc", 4)


def ordinal(values: int, low: int = 0) -> dict[str, Any]:
    """A declaration."""
    return {"kind": "ordinal", "low": low, "high": low + values - 1}


def categorical(values: int) -> dict[str, Any]:
    """A declaration."""
    return {"kind": "categorical", "values": [f"v{i}" for i in range(values)]}


@lru_cache(maxsize=64)
def _plan(mechanism: Mechanism, epsilon: float, services: str) -> Plan:
    from ast import literal_eval

    declared: dict[str, Any] = {"name": "joins", "user_key": "uid", "epsilon": epsilon, "design": mechanism.design}
    if mechanism.oracle:
        declared["oracle"] = mechanism.oracle
    return Plan.from_dict({**declared, "services": literal_eval(services)})


def plan_for(mechanism: Mechanism, epsilon: float, services: Mapping[str, Any]) -> Plan:
    """The plan of a mechanism for these services, made once."""
    return _plan(mechanism, epsilon, repr(dict(services)))


def expected(mechanism: Mechanism, plan: Plan, sql: str, users: float, spread: Spread | None = None) -> Estimated:
    """Value and standard error of the first output, for people spread like this (evenly where nothing is said)."""
    asked = question(sql, plan)
    compiled = compile_question(asked, plan, mechanism.coefficients())
    known = {name: share for name, share in (spread or {}).items() if any(_has(plan, s, name) for s in asked.services)}
    one = expected_moments(compiled, 1.0, known_spread(plan, asked.services, known).spreads)
    moments = replace(one, users=int(users), first=one.first * users, second=one.second * users)
    rows = rows_of(compiled.question, scanned_groups(compiled, [moments]), 0.95, None)  # type: ignore[arg-type]
    output = next(o for o in asked.outputs if isinstance(o, EstimateOutput))
    (number,) = rows.numbers
    return rows.estimated(output.formula, number)


def _has(plan: Plan, service: str, attribute: str) -> bool:
    return any(a.name == attribute for a in plan.service(service).sensitive)


def relative_error(found: Estimated) -> float:
    """Mean |error| / truth of a normal error: MRE."""
    return sqrt(2 / pi) * found.se / abs(found.value)
