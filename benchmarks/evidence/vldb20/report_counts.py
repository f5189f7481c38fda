"""Counts of reports in place of households: how many send each pair of messages, one about the home, one about a person of it.

Households of one city, group and size are alike but for the incomes of their people. Given those three, the two messages are
independent, and their chances are exact: those of the shipped oracles, over the sampled person, the hidden weight and the
roundings. So the pairs of such households are one multinomial draw, and an answer is the sum of counts times the scores that
the product gives to messages. `tests/test_evidence_report_counts.py` holds both to real collections.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
import numpy.typing as npt

from benchmarks.evidence.vldb20.households import INCOMES, RACES, SIZES, Households
from untold.ask.scores.coefficients import Estimator
from untold.ask.scores.compile import compile_question
from untold.ask.sql.question import question
from untold.plan import Plan
from untold.plan.designs import Design

Floats = npt.NDArray[np.float64]
MOST_PEOPLE = len(SIZES)  # of a household


@dataclass(frozen=True, eq=False)
class Kind:
    """Households that are alike: how many, their city's code, and how their sampled rows are spread: group, income, weight."""

    households: int
    city: int
    spread: Floats


@dataclass(frozen=True, eq=False)
class Collection:
    """What can come in: for every kind of household the chance of each pair of messages, and every answer's score of it."""

    groups: tuple[object, ...]  # of the answers, in their order
    households: tuple[int, ...]
    chances: Floats  # kind, pair
    scores: Floats  # answer, pair

    def drawn(self, rng: np.random.Generator) -> Floats:
        """The answers of one collection."""
        counts = sum(rng.multinomial(n, own / own.sum()) for n, own in zip(self.households, self.chances, strict=True))
        return np.asarray(self.scores @ counts)

    def expected(self) -> Floats:
        """The exact mean of every answer."""
        return np.asarray(self.scores @ (np.array(self.households) @ self.chances))

    def covariance(self) -> Floats:
        """The exact covariances of the answers of one collection."""
        total = np.zeros((len(self.scores), len(self.scores)))
        for n, own in zip(self.households, self.chances, strict=True):
            mean = self.scores @ own
            total += n * ((self.scores * own) @ self.scores.T - np.outer(mean, mean))
        return total


def kinds(data: Households) -> list[Kind]:
    """Households by city, group and size, as the raw rows have them."""
    home = data.people.column("uid").to_numpy()
    city = (data.homes.column("city").to_numpy(zero_copy_only=False) != "large").astype(np.int64)
    named = data.people.column("race").to_numpy(zero_copy_only=False)
    race = np.searchsorted(sorted(RACES), named.astype(str))
    size = np.bincount(home, minlength=len(city))
    shape = (2, len(RACES), MOST_PEOPLE + 1, INCOMES)
    place = np.ravel_multi_index((city[home], race, size[home], data.people.column("income").to_numpy()), shape)
    people = np.bincount(place, minlength=int(np.prod(shape))).reshape(shape)
    order = [sorted(RACES).index(name) for name in RACES]
    found = []
    for c, (place_, name), k in product(range(2), enumerate(order), range(1, MOST_PEOPLE + 1)):
        own = people[c, name, k]
        if own.sum():
            spread = np.zeros((len(RACES), INCOMES, 2))
            spread[place_] = np.outer(own / own.sum(), [1 - k / MOST_PEOPLE, k / MOST_PEOPLE])
            found.append(Kind(int(own.sum()) // k, c, spread))
    return found


@lru_cache(maxsize=8)
def message_chances(design: Design) -> Floats:
    """The exact chance of every message for every row of codes, the hidden weight the last of them where there is one."""
    trees, own = design.space.trees, design.attributes
    sizes = [tree.size for tree in trees[:own]] + ([2] if design.hidden or design.derived else [])
    chances = np.zeros((*sizes, design.messages))
    for codes in product(*map(range, sizes)):
        weight = codes[own] if len(codes) > own else 0
        ups = [(column, codes[column.attribute] / column.steps) for column in design.derived]
        for bits in product((0, 1), repeat=len(ups)):
            share = float(np.prod([up if bit else 1 - up for bit, (_, up) in zip(bits, ups, strict=True)]))
            if share:
                added = [
                    column.code(tree, codes[column.attribute], bit, weight)
                    for bit, (column, _), tree in zip(bits, ups, trees[own:], strict=False)
                ]
                cells = [*codes[:own], *added, *([weight] if design.hidden else [])]
                chances[codes] += share * of_cells(design, cells)
    return chances


def of_cells(design: Design, codes: list[int]) -> Floats:
    """The chance of every message, once the codes of all columns are known."""
    found = np.zeros(design.messages)
    for number, view in enumerate(design.views):
        oracle = view.oracle.listed
        assert oracle is not None
        inside = np.zeros(oracle.domain_size)
        inside[design.space.cell(view.levels, codes)] = 1.0
        found[view.offset : view.offset + oracle.indexes] = float(design.probability(number)) * oracle.chances(inside)
    return found


def collection(plan: Plan, sql: str, choose: Estimator, data: Households) -> Collection:
    """All that is needed to draw the answers of `sql`, by group and, within one, in the order of SELECT."""
    compiled = compile_question(question(sql, plan), plan, choose)
    scan = compiled.scan
    home, person = plan.design("homes"), plan.design("people")
    scores = []
    for _, numbers in compiled.groups:
        for number in numbers:
            total = np.zeros((home.messages, person.messages))
            for piece in scan.totals[number]:
                sides = [np.ones(home.messages), np.ones(person.messages)]
                for c in piece.columns:
                    sides[scan.services[scan.columns[c].service] == "people"] *= scan.columns[c].vector
                total += piece.coefficient * np.outer(*sides)
            scores.append(total.ravel())
    every = kinds(data)
    homes, people = message_chances(home), message_chances(person)
    chances = [np.outer(homes[each.city], np.tensordot(each.spread, people, 3)).ravel() for each in every]
    groups = tuple(key for (key,), _ in compiled.groups)
    return Collection(groups, tuple(each.households for each in every), np.array(chances), np.array(scores))
