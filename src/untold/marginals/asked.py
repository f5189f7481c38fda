"""Marginals by attribute names: the object that `untold.marginals` and `con.marginals` return."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, product
from statistics import NormalDist
from time import perf_counter

import numpy as np
import pyarrow as pa

from untold.answers.answer import Answer
from untold.answers.result import OutputColumn, Result
from untold.ask.decoded.contrasts import Floats
from untold.ask.decoded.views import Views
from untold.errors import UnsupportedQuery, UntoldError
from untold.marginals.linear import WEIGHTS, Linear
from untold.marginals.maximum_entropy import MOST_CELLS
from untold.marginals.nonnegative import CLEARING
from untold.marginals.released import MOST_DELTA_CELLS, Releaser
from untold.marginals.releases import Released, Releases, Unbiased
from untold.marginals.synthetic import draw
from untold.oracles import GRR
from untold.plan.designs import Design
from untold.plan.schema import Service
from untold.randomness import BulkRandomness, Secure, Seeded

SHARE = "share"
AGREE = 1e-9
MUCH_MIXED = 1e-3  # of the uniform table: beyond, an answer says so


@dataclass(eq=False)
class Marginals:
    """Any marginal of one service, from reports that have been counted once.

    release(names)    a table of shares with errors: consistent with all other covered ones, without negative cells
    unbiased(names)   the same before it is made plausible
    sample(rows)      synthetic rows
    pairs()           which pairs of attributes are known, and how well
    """

    service: Service
    releaser: Releases
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        names = [a.name for a in self.service.sensitive]
        told = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
        return f"untold.Marginals of '{self.service.name}': release([...]) of {told}"

    def release(self, attributes: Sequence[str], confidence: float = 0.95) -> Answer:
        """The marginal over some attributes, computed when it is looked at.

        Columns: the attributes, then `share` (of the users), share_se, share_low, share_high. Intervals are those of
        the unbiased estimate, widened where needed to hold the share.
        """
        if not 0 < confidence < 1:
            raise UntoldError(f"confidence = {confidence}: a number between 0 and 1, such as 0.95, is needed.")
        numbers = self._few_cells(attributes)
        return Answer(f"MARGINAL ({', '.join(attributes)})", partial(self._run, numbers, confidence))

    def array(self, attributes: Sequence[str]) -> Floats:
        """The shares alone, one axis for each attribute in the order asked."""
        numbers = self._few_cells(attributes)
        table, _ = self.releaser.table(tuple(sorted(numbers)))
        return np.transpose(table, np.argsort(np.argsort(numbers)))

    def unbiased(self, attributes: Sequence[str]) -> Unbiased:
        """Shares and standard errors before post-processing; refused where no view covers the attributes."""
        numbers = self._few_cells(attributes)
        found = self.releaser.unbiased(tuple(sorted(numbers)))
        if found is None:
            raise UnsupportedQuery(
                f"no report speaks of {', '.join(attributes)} together, so there is no unbiased estimate.\n"
                "Hint: release(...) puts the marginal together from its parts."
            )
        order = np.argsort(np.argsort(numbers))
        return Unbiased(np.transpose(found.table, order), np.transpose(found.errors, order))

    def sample(self, rows: int, attributes: Sequence[str] | None = None, seed: int | None = None) -> pa.Table:
        """Synthetic rows over some attributes (all by default). Costs nobody anything: it is post-processing.

        Rows are drawn from best guesses, those of design calm from its own consistent marginals, as published. Up to 65,536 cells
        are drawn from the joint marginal; beyond, along a tree of strongly related pairs. The table's metadata
        ("untold") say that rows are synthetic, and what `pairs` says.
        """
        if rows < 1:
            raise UntoldError(f"sample({rows}): a positive number of rows is needed.")
        names = [a.name for a in self.service.sensitive] if attributes is None else list(attributes)
        numbers = self._numbers(names)
        rng: BulkRandomness = Secure() if seed is None else Seeded(seed)
        drawn = draw(self.releaser, tuple(sorted(numbers)), rows, rng)
        columns = {
            name: self._values(number).take(pa.array(drawn.codes[number]))
            for name, number in zip(names, numbers, strict=True)
        }
        about = {"synthetic": True, "pairs": self._pairs(sorted(numbers), drawn.together)}
        return pa.table(columns).replace_schema_metadata({b"untold": json.dumps(about).encode()})

    def pairs(self, attributes: Sequence[str] | None = None) -> pa.Table:
        """How well each pair of attributes is known, and so what synthetic rows are worth: one row for each pair.

        known   whether reports speak of both together; else only what others say of each
        kept    whether synthetic rows over these attributes are drawn from the pair's own table
        error   the standard error of the share of a cell, on average (root mean square); None where it is not known
        share   of a cell if all were alike: an error as large tells nothing
        """
        names = [a.name for a in self.service.sensitive] if attributes is None else list(attributes)
        numbers = sorted(self._numbers(names))
        together = draw(self.releaser, tuple(numbers), 1, Seeded(0)).together
        return pa.Table.from_pylist(self._pairs(numbers, together))

    def _pairs(self, numbers: Sequence[int], together: frozenset[tuple[int, int]]) -> list[dict[str, object]]:
        found: list[dict[str, object]] = []
        for one, other in combinations(numbers, 2):
            cells = self.releaser.sizes[one] * self.releaser.sizes[other]
            told = self.releaser.unbiased((one, other)) if cells <= MOST_CELLS else None
            error = None if told is None else float(np.sqrt((told.errors**2).mean()))
            names = [self.service.sensitive[number].name for number in (one, other)]
            how = {"known": told is not None, "kept": (one, other) in together, "error": error, "share": 1 / cells}
            found.append({"first": names[0], "second": names[1], **how})
        return found

    def _numbers(self, names: Sequence[str]) -> tuple[int, ...]:
        if isinstance(names, str):
            names = [names]
        known = [a.name for a in self.service.sensitive]
        for name in names:
            if name not in known:
                self.service.attribute(name)  # says what there is
                raise UnsupportedQuery(f"'{name}' is public, and in no report's message.\nHint: ask for it in SQL.")
        if not names or len(set(names)) < len(names):
            raise UnsupportedQuery("a marginal is over one or more different attributes, such as ['age', 'state'].")
        return tuple(known.index(name) for name in names)

    def _few_cells(self, names: Sequence[str]) -> tuple[int, ...]:
        """Numbers of attributes whose table can be written out."""
        numbers = self._numbers(names)
        cells = int(np.prod([self.releaser.sizes[i] for i in numbers], dtype=object))
        if cells > MOST_CELLS:
            raise UnsupportedQuery(
                f"the marginal has {cells:,} cells, at most {MOST_CELLS:,} can be released.\n"
                "Hint: ask for fewer attributes at once; sample(rows) draws all of them."
            )
        return numbers

    def _values(self, number: int) -> pa.Array:
        attribute = self.service.sensitive[number]
        return pa.array([attribute.value(code) for code in range(attribute.size)])

    def _run(self, numbers: tuple[int, ...], confidence: float) -> Result:
        start = perf_counter()
        released = self.releaser.release(tuple(sorted(numbers)))
        order = np.argsort(np.argsort(numbers))
        table, errors, centre = (np.transpose(x, order) for x in (released.table, released.errors, released.centre))
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        unknown = np.isnan(errors)
        low = np.where(unknown, 0.0, np.clip(centre - z * errors, 0, 1))
        high = np.where(unknown, 1.0, np.clip(centre + z * errors, 0, 1))
        codes = np.array(list(product(*(range(n) for n in table.shape)))).T
        keys = {
            self.service.sensitive[n].name: self._values(n).take(pa.array(c))
            for n, c in zip(numbers, codes, strict=True)
        }
        numbers_of = {
            SHARE: table,
            f"{SHARE}_se": errors,
            f"{SHARE}_low": np.minimum(low, table),
            f"{SHARE}_high": np.maximum(high, table),
        }
        columns = (*(OutputColumn(name, "key") for name in keys), OutputColumn(SHARE, "estimate"))
        arrow = pa.table({**keys, **{name: pa.array(x.reshape(-1)) for name, x in numbers_of.items()}})
        users = self.releaser.users
        notes = (*self.notes, *self._caveats(numbers, released))
        return Result(columns, arrow, confidence, notes, users, users, perf_counter() - start, f"{users:,} reports")

    def _caveats(self, numbers: tuple[int, ...], released: Released) -> list[str]:
        notes = []
        silent = [self.service.sensitive[n].name for n in numbers if not self.releaser.tells_of(n)]
        if silent:
            notes.append(f"No report speaks of {', '.join(silent)}: taken to be evenly spread.")
        if not released.covered:
            notes.append(
                "No view holds these attributes together: the table was put together from its parts by maximum entropy. "
                "Errors are those of the parts; what the parts do not tell is not in them."
            )
        if np.isnan(released.errors).any():
            notes.append(
                f"With more than {MOST_DELTA_CELLS:,} cells, errors of a table put together are not computed: the "
                "intervals are 0 to 1."
            )
        if released.deviation > AGREE:
            notes.append(
                f"The parts contradict each other, being noisy: the table misses some by up to {released.deviation:.1g}."
            )
        if self.releaser.mixed > MUCH_MIXED:
            notes.append(
                f"{self.releaser.mixed:.1%} of the table is the uniform one, mixed in to clear negative cells: shares "
                "are too even by as much. unbiased(...) is not."
            )
        return notes


def check_options(weights: str, nonnegative: str) -> None:
    """Refuse words that mean nothing here."""
    for what, value, allowed in (("weights", weights, WEIGHTS), ("nonnegative", nonnegative, CLEARING)):
        if value not in allowed:
            raise UntoldError(f"{what} = {value!r}: one of {', '.join(allowed)} is needed.")


def marginals_from(
    service: Service,
    design: Design,
    views: Views,
    users: int,
    weights: str = "blue",
    nonnegative: str = "auto",
    notes: tuple[str, ...] = (),
    counted: Callable[[tuple[int, ...]], Unbiased | None] | None = None,
    guessed: Callable[[tuple[int, ...]], Floats | None] | None = None,
) -> Marginals:
    """Marginals of a service from the tables of its views; `counted` and `guessed` as SQL does it, where it does."""
    check_options(weights, nonnegative)
    trees = design.space.trees[: design.attributes]
    sizes = tuple(tree.size for tree in trees)
    sampled = design.weights is not None
    linear = Linear(views, weights)
    return Marginals(service, Releaser(linear, sizes, users, sampled, CLEARING[nonnegative], counted, guessed), notes)


def by_likelihood(design: Design) -> bool:
    """Whether every attribute is reported by itself, value by value and by GRR: what EM is for."""
    flat = all(tree.height == 1 for tree in design.space.trees)
    return design.separate and flat and all(isinstance(view.oracle, GRR) for view in design.views)


def check_design(service: Service, design: Design) -> None:
    """Refuse services whose reports do not speak of one row of everybody as a whole."""
    if service.rows is not None:
        raise UnsupportedQuery(
            f"service '{service.name}' has many rows per person; marginals are shares of people.\n"
            "Hint: SELECT ..., COUNT(*) ... GROUP BY ... counts rows."
        )
    unasked = next((each.unasked for each in service.sensitive if each.unasked), None)
    if unasked is not None:
        raise UnsupportedQuery(unasked[0].upper() + unasked[1:])
    if design.separate and not by_likelihood(design):
        raise UnsupportedQuery(
            f"the reports of service '{service.name}' (design '{design.name}') speak of each attribute by itself.\n"
            "Hint: SELECT ..., COUNT(*) ... GROUP BY ... multiplies the reports of a person."
        )
