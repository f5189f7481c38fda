"""The file that says how each service perturbed: mechanism, epsilon, and what the ends of the scale stand for."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from untold.errors import PlanError
from untold.numeric import BY_NAME, Numeric

CONTINUOUS_KNOTS = 1 << 16  # a grid so fine that it stands for real numbers
KEYS = {"name", "low", "high", "services"}
SERVICE_KEYS = {"mechanism", "epsilon", "knots", "continuous"}


@dataclass(frozen=True)
class FusionPlan:
    """Services and their mechanisms.

    `low` and `high` are the numbers that the ends of every mechanism's input stand for.
    """

    services: Mapping[str, Numeric]
    low: float = -1.0
    high: float = 1.0
    name: str = "fusion"

    @staticmethod
    def load(path: str | Path) -> FusionPlan:
        """Read means.toml."""
        try:
            content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise PlanError([f"not TOML: {error}"], str(path)) from error
        return FusionPlan.from_dict(content, str(path))

    @staticmethod
    def from_dict(content: Mapping[str, Any], source: str = "fusion plan") -> FusionPlan:
        """Check everything, report all mistakes at once."""
        mistakes = [f"unknown key {key!r}; allowed: {', '.join(sorted(KEYS))}" for key in content if key not in KEYS]
        low, high = content.get("low", -1.0), content.get("high", 1.0)
        if not (_number(low) and _number(high) and low < high):
            mistakes.append(f"low = {low!r}, high = {high!r}: both must be finite numbers, low below high")
        given = content.get("services")
        if not isinstance(given, Mapping) or not given:
            mistakes.append('no services: add [services.NAME] with mechanism = "pm" and epsilon = 0.5')
            given = {}
        services = {name: _service(name, entry, mistakes) for name, entry in given.items()}
        if mistakes:
            raise PlanError(mistakes, source)
        kept = {name: mechanism for name, mechanism in services.items() if mechanism is not None}
        return FusionPlan(kept, float(low), float(high), str(content.get("name", "fusion")))


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _service(name: str, entry: Any, mistakes: list[str]) -> Numeric | None:
    where = f"services.{name}"
    if not isinstance(entry, Mapping):
        mistakes.append(f'{where} must be a table such as {{ mechanism = "pm", epsilon = 0.5 }}')
        return None
    before = len(mistakes)
    allowed = ", ".join(sorted(SERVICE_KEYS))
    mistakes += [f"{where}: unknown key {key!r}; allowed: {allowed}" for key in entry if key not in SERVICE_KEYS]
    mechanism, epsilon, knots = entry.get("mechanism"), entry.get("epsilon"), entry.get("knots", 0)
    if mechanism not in BY_NAME:
        mistakes.append(f"{where}: mechanism = {mechanism!r}; allowed: {', '.join(BY_NAME)}")
    if not _number(epsilon):
        mistakes.append(f"{where}: epsilon = {epsilon!r} must be a number in [0.001, 20]")
    if not isinstance(knots, int) or isinstance(knots, bool):
        mistakes.append(f"{where}: knots = {knots!r} must be a whole number")
    if len(mistakes) > before or mechanism is None or epsilon is None:
        return None
    if entry.get("continuous") and mechanism in ("pm", "sw", "hm"):
        knots = CONTINUOUS_KNOTS
    try:
        return BY_NAME[mechanism](float(epsilon), knots)
    except ValueError as error:
        mistakes.append(f"{where}: {error}")
        return None
