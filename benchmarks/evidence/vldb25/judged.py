"""ULE against the best single service: paired differences of divergences over rounds, and how often it is above."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.evidence.exhibit import Estimate, Outcome, Value


def best(o: Outcome, services: Sequence[str]) -> str:
    """The service with the smallest mean divergence."""
    return min(services, key=lambda name: o.mean[name])


def change(o: Outcome, services: Sequence[str]) -> Estimate:
    """How much ULE is above the best single service (below 0: better), as a share of it; its error is of the paired rounds."""
    name = best(o, services)
    return Estimate(o.mean[f"ULE - {name}"] / o.mean[name], o.error[f"ULE - {name}"] / o.mean[name])


def largest(outcomes: Sequence[Outcome], services: Sequence[str]) -> Estimate:
    """The row in which ULE does worst."""
    return max((change(o, services) for o in outcomes), key=lambda e: e.value)


def above(outcomes: Sequence[Outcome], services: Sequence[str]) -> Estimate:
    """Rows in which it is above by more than two standard errors."""
    found = [(c := change(o, services)).value > 2 * c.error for o in outcomes]
    return Estimate(sum(found), unit=f" of {len(found)}")


def below(outcomes: Sequence[Outcome], services: Sequence[str]) -> int:
    """Rows in which it is below by more than two standard errors."""
    return sum((c := change(o, services)).value < -2 * c.error for o in outcomes)


def over(outcomes: Sequence[Outcome], service: str) -> list[float]:
    """By which share ULE is below one service, of all rows, sorted."""
    return sorted(-o.mean[f"ULE - {service}"] / o.mean[service] for o in outcomes)


def lowest(estimates: Sequence[Estimate]) -> Estimate:
    return min(estimates, key=lambda e: e.value)


def gain(o: Outcome, services: Sequence[str]) -> Estimate:
    """How much ULE is below the best single service, in per cent of it; below 0 it is above."""
    found = change(o, services)
    return Estimate(-found.value, found.error).percent()


def least_gain(outcomes: Sequence[Outcome], services: Sequence[str]) -> Estimate:
    """That of the row in which ULE does worst."""
    return lowest([gain(o, services) for o in outcomes])


def row(o: Outcome, services: Sequence[str]) -> list[Value | Estimate]:
    """For a table: ULE, the best service and its name, and the paired difference."""
    name = best(o, services)
    return [Estimate(o.mean["ULE"], o.error["ULE"]), name, Estimate(o.mean[name], o.error[name]), gain(o, services)]


HEAD = ("ULE", "best service", "its divergence", "ULE below it by")
