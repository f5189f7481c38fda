"""What is known, before anything is collected, of how people are spread: `spread` in the plan file, `shares` in a forecast.

    a sensitive attribute     the share of people with each value, in the plan's order, on any scale
    a service's rows          the share of people with 0, 1, ..., max rows, under the name of the service
    a public number           its mean and its standard deviation

The hidden weight of a service with rows is 1 with probability (rows of a person) / max, so the mean number of rows is all that
a forecast needs of them. A product of k equal public numbers needs their k-th moment. Of mean m and deviation s it is

    E[x^k] = m^k (1 + s^2 / m^2)^(k (k - 1) / 2)

which is exact for k = 1 and 2, and for greater k as if x were log-normal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from untold.ask.forecast.expected_moments import Shares, Spreads
from untold.ask.question.model import PublicNumber
from untold.errors import UntoldError
from untold.plan import Plan
from untold.plan.schema.service import Service

Moments = tuple[float, float]  # mean and standard deviation


@dataclass(frozen=True)
class KnownSpread:
    """`spreads` by number of the service, the hidden weight after all attributes; `publics` by (service, column)."""

    spreads: Spreads = field(default_factory=dict)
    publics: Mapping[tuple[str, str], Moments] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    def mean_of(self, publics: Sequence[PublicNumber]) -> float:
        """The expected product of public numbers, different ones independent; what is not known counts as 1."""
        powers = Counter(found for each in publics if (found := column_in(each)) in self.publics)
        out = 1.0
        for name, power in powers.items():
            out *= _moment(*self.publics[name], power)  # type: ignore[index]
        return out


def column_in(public: PublicNumber) -> tuple[str, str] | None:
    """The column that a public number is, missing values as 0; None if it is more than a column."""
    allowed = (exp.Coalesce, exp.Cast, exp.Paren, exp.Column, exp.Identifier, exp.Literal, exp.DataType)
    if not all(isinstance(node, allowed) for node in public.tree.walk()):
        return None
    columns = list(public.tree.find_all(exp.Column))
    return (columns[0].table, columns[0].name) if len(columns) == 1 else None


def known_spread(plan: Plan, services: Sequence[str], shares: Mapping[str, Sequence[float]]) -> KnownSpread:
    """What the plan says, and what is said now, which comes first."""
    spreads: dict[int, Shares] = {}
    publics: dict[tuple[str, str], Moments] = {}
    used: set[str] = set()
    for number, name in enumerate(services):
        service = plan.service(name)
        said = dict(service.spread) | {key: tuple(map(float, given)) for key, given in shares.items()}
        used |= {key for key in said if key in _sizes(service)}
        for key, size in _sizes(service).items():
            if key in said and (len(said[key]) != size or not _sound(said[key], key in _publics(service))):
                raise _unsound(key, said[key], services, plan)
        own = [_scaled(said.get(a.name, a.even)) for a in service.sensitive]
        if service.rows is not None and name in said:
            rows = said[name]
            mean = sum(i * share for i, share in enumerate(rows)) / sum(rows) / service.rows.max
            own.append((1 - mean, mean))
        spreads[number] = tuple(own)
        publics |= {(name, key): (said[key][0], said[key][1]) for key in _publics(service) if key in said}
    if unknown := [key for key in shares if key not in used]:
        raise _unsound(unknown[0], tuple(shares[unknown[0]]), services, plan)
    return KnownSpread(spreads, publics, tuple(sorted(used)))


def _publics(service: Service) -> set[str]:
    return {a.name for a in service.public}


def _sizes(service: Service) -> dict[str, int]:
    """How many numbers say how people are spread, by name."""
    sizes = {a.name: a.size for a in service.sensitive} | dict.fromkeys(_publics(service), 2)
    return sizes | ({} if service.rows is None else {service.name: service.rows.max + 1})


def _sound(given: Sequence[float], public: bool) -> bool:
    return given[1] >= 0 if public else min(given) >= 0 and sum(given) > 0


def _scaled(given: Sequence[float] | None) -> tuple[float, ...] | None:
    return None if given is None else tuple(x / sum(given) for x in given)


def _moment(mean: float, deviation: float, power: int) -> float:
    if mean == 0:
        return deviation**2 if power == 2 else 0.0
    return float(mean**power * (1 + (deviation / mean) ** 2) ** (power * (power - 1) / 2))


def _unsound(name: str, given: Sequence[float], services: Sequence[str], plan: Plan) -> UntoldError:
    sizes = {key: size for each in services for key, size in _sizes(plan.service(each)).items()}
    return UntoldError(
        f"shares of '{name}': {len(given)} numbers do not say how people are spread over it.\n"
        f"Hint: give one number of 0 or more for each value: {', '.join(f'{n} has {m}' for n, m in sizes.items())}; "
        "of a public number its mean and standard deviation."
    )
