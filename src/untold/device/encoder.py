"""One person's rows in, that person's reports out: the code that runs on a device.

Every step draws the same number of words whatever the values are. The user-level guarantee is checked on this very
code, down every branch of its draws (tests/privacy).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from math import isfinite
from typing import Any

from untold.errors import BadRecord
from untold.oracles import Message
from untold.plan import Plan
from untold.plan.designs import Design
from untold.plan.schema import Service
from untold.plan.schema.text import Letters
from untold.randomness import Randomness

Record = Mapping[str, Any]
Places = list[list[Any]]  # of the values of rows in their domains


def fitted(service: Service, rows: Sequence[Record]) -> Sequence[Record]:
    """A person's rows; where the plan refuses none, as it wants them: the first of several where there should be one, an empty
    one where there is none or something else than a row. Of more than `max` rows one is drawn as of fewer."""
    if not service.total:
        return rows
    sound = [row if isinstance(row, Mapping) else {} for row in rows]
    return sound if service.rows is not None else [*sound, {}][:1]


class CodesAndTexts(list[int]):
    """Codes of attributes, and behind them cells of a text, each computed when it is looked at."""

    def __init__(self, cells: Sequence[Callable[[], int]]) -> None:
        super().__init__()
        self.cells = cells

    def __getitem__(self, place: Any) -> Any:
        own = len(self)
        return super().__getitem__(place) if isinstance(place, slice) or place < own else self.cells[place - own]()


@dataclass(frozen=True)
class Encoder:
    """Perturbs the rows that one person has in one service."""

    service: Service
    design: Design

    @classmethod
    def of(cls, plan: Plan, service: str) -> Encoder:
        """The encoder of a service of a plan."""
        return cls(plan.service(service), plan.design(service))

    def encode(self, rows: Sequence[Record], rng: Randomness) -> tuple[tuple[Message, ...], ...]:
        """Messages for each slot. Exactly one row is expected, or for services with `rows_per_user` up to its `max`,
        none included. Where the plan refuses no row, any number will do."""
        limits, rows = self.service.rows, fitted(self.service, rows)
        if limits is None:
            if len(rows) != 1:
                raise BadRecord(
                    f"service '{self.service.name}' has exactly one row per person, not {len(rows)}.\n"
                    "Hint: declare rows_per_user = { max = ... } in the plan."
                )
            return (self.messages(self.codes(rows[0], rng), rng),)
        slots = []
        for own, of in self._parted(rows):
            if len(own) > limits.max and not self.service.total:
                raise BadRecord(
                    f"{len(own)} rows for one person{of}, but service '{self.service.name}' allows at most {limits.max} "
                    "(rows_per_user)."
                )
            slots += [self.messages(self.sampled(own, limits.max, rng), rng) for _ in range(limits.report)]
        return tuple(slots)

    def _parted(self, rows: Sequence[Record]) -> list[tuple[Sequence[Record], str]]:
        """The rows of each value of the service's `each` attribute, with words for messages; all rows where there is none."""
        each = self.service.each
        if each is None:
            return [(rows, "")]
        codes = [each.code_of(row.get(each.name)) for row in rows]
        return [
            ([row for row, own in zip(rows, codes, strict=True) if own == code], f" and {each.name} = {value!r}")
            for code, value in enumerate(each.values)
        ]

    def sampled(self, rows: Sequence[Record], most: int, rng: Randomness) -> list[int]:
        """One of the rows, at random, and the hidden weight: 1 with probability (number of rows) / max, so that
        weight * max / slots has the mean (number of rows) / slots. A person without rows sends a dummy of weight
        0, drawn with as many words."""
        index = rng.below(max(len(rows), 1))
        weight = rng.below(most) < len(rows)
        return [*self.codes(rows[index] if rows else None, rng), int(weight)]

    def codes(self, row: Record | None, rng: Randomness) -> list[int]:
        """The coded values of a row (None: a dummy row, all zeros), numbers rounded at random to a neighbouring knot. Where texts
        are looked for, their cells in all views are behind them, and are computed when one is drawn."""
        codes: list[int] = CodesAndTexts(self._texts(row)) if self.design.texts else []
        for attribute in self.service.sensitive:
            code, fraction = attribute.position(row.get(attribute.name)) if row is not None else (0, 0.0)
            codes.append(code + rng.chance(int(fraction * 2.0**53) << 11) if attribute.rounds else code)
        return codes

    def _texts(self, row: Record | None) -> tuple[Callable[[], int], ...]:
        """The cell of a row's text in each of the views."""
        attribute = self.service.sensitive[self.design.texts[0].attribute].searched
        assert attribute is not None
        data = attribute.normal(None if row is None else row.get(attribute.name)).encode()
        letters = Letters.named(attribute.letters)
        return tuple(partial(column.cell.of, data, letters) for column in self.design.texts)

    def derived(self, codes: Sequence[int], rng: Randomness) -> Sequence[int]:
        """The columns of the design's space: the attributes, their roundings with one draw for each, and the hidden weight."""
        design = self.design
        if not design.roundings:
            return codes
        own, weight = design.attributes, codes[-1] if self.service.rows is not None else 0
        added = [
            each.code(tree, codes[each.attribute], int(rng.below(each.steps) < codes[each.attribute]), weight)
            for each, tree in zip(design.roundings, design.space.trees[own:], strict=False)
        ]
        return [*codes[:own], *added, *([weight] if design.hidden else [])]

    def messages(self, codes: Sequence[int], rng: Randomness) -> tuple[Message, ...]:
        """One message about a view picked at random, or one about each view; numbered over the whole design."""
        design, codes = self.design, self.derived(codes, rng)
        views = design.views if design.weights is None else (design.views[rng.choose(design.cumulative)],)
        sent = []
        for view in views:
            message = view.oracle.encode(design.space.cell(view.levels, codes), rng)
            sent.append(Message(view.offset + message.index, message.extra))
        return tuple(sent)


def check_rows(service: Service, rows: Sequence[Record]) -> Places:
    """Refuse rows with other values than the plan allows; where their values are in their domains.

    Columns that the plan does not have are left out, not refused: a later plan may drop one, and an app may name it for
    some people alone. Their silence would tell who they are.
    """
    needed = service.needed
    for number, row in enumerate(rows):
        if missing := [name for name, must in needed.items() if must and name not in row]:
            raise BadRecord(
                f"row {number} of service '{service.name}': missing {', '.join(missing)}; the plan has {', '.join(needed)}."
            )
    told = service.sensitive if service.each is None else (service.each, *service.sensitive)
    return [[a.position(row.get(a.name)) for a in told] for row in rows]


def digest(mechanism: str, service: Service, places: Places) -> str:
    """Names a set of rows without showing it. Equal values have one name however they are written (31, 31.0), in any
    order of rows."""
    return sha256(json.dumps([mechanism, service.name, sorted(places)]).encode()).hexdigest()


def beside(service: Service, rows: Sequence[Record]) -> list[tuple[str, Any]]:
    """The public values that leave with a report, as they are."""
    return [(a.name, _published(a.name, rows[0].get(a.name), service.total)) for a in service.public] if rows else []


def _published(name: str, value: Any, total: bool) -> Any:
    plain = value.item() if hasattr(value, "item") else value  # a number of numpy
    if plain is None or isinstance(plain, str | int) or (isinstance(plain, float) and isfinite(plain)):
        return plain
    if total:
        return None
    raise BadRecord(f"public column '{name}' must be a string, a finite number, a boolean or None, not {value!r}.")
