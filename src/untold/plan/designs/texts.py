"""Views whose cell is a function of a text: reports that tell which texts are frequent, though nobody listed any.

    prefix views   of the first L bits of a text's code, L = 19, 31, 43, ...: candidates grow bit by bit
    whole views    two, of the whole text: they test candidates, together with the prefix views after the one that found it
    count view     of the whole text, by people who took no part in the search: numbers and intervals of what was found

All of them have K = g^t cells for AGR over the field of g elements, K between 2^19 and 2^20: a view of one oracle, whatever the
text. Each is a column of the design's space, a tree of one level (`TextColumn`), so a report picks a view as it always does, and
the draws are the same for all texts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from math import exp

from untold.exact import NANO
from untold.oracles import AGR
from untold.plan.designs.base import MOST_MESSAGES, Design, DesignError, View, to_weights
from untold.plan.designs.derived import TextColumn
from untold.plan.hierarchy import Space, Tree
from untold.plan.schema import Service
from untold.plan.schema.kinds.text import Text
from untold.plan.schema.text import Letters, key_of

FIRST, STEP = 19, 12  # bits of the first prefix view, and more in each
LAST = {16: 67, 64: 115}  # bits of the last one, for texts of up to so many bytes
WEIGHTS = (3, 3, 2, 1)  # of prefix views, the last for all others; whole views have 1 each
WHOLE_VIEWS = 2
FEWEST_CELLS, MOST_TEXT_CELLS = 1 << FIRST, 1 << 20
USUAL_SHARE = 0.005  # of people, that a text has which is worth finding
COUNTED = "count"


@dataclass(frozen=True)
class Steps:
    """Which prefix views there are; small ones serve tests."""

    bits: tuple[int, ...]
    field: tuple[int, int] | None = None  # g and t; None: the best

    @classmethod
    def of(cls, attribute: Text) -> Steps:
        """As far as texts of this size need it."""
        last = next(bits for size, bits in LAST.items() if attribute.bytes <= size)
        return cls(tuple(range(FIRST, last + 1, STEP)))


def looked_for(service: Service) -> int | None:
    """The place of the attribute whose texts are looked for, if there is one."""
    return next((i for i, each in enumerate(service.sensitive) if each.searched), None)


def refuse_text(service: Service) -> None:
    """What a service that looks for texts cannot be."""
    found = [text for each in service.sensitive if (text := each.searched) is not None]
    where = "; looking for texts (discover)"
    if len(found) > 1:
        names = " and ".join(each.name for each in found)
        raise DesignError(f"has {names}{where} is for one attribute of a service. Leave discover out of the others")
    text = found[0]
    if service.rows is not None:
        raise DesignError(f"has rows_per_user{where} needs one row per person. Move {text.name} into such a service")
    if service.repeat == "changes":
        raise DesignError(f'has repeat = "changes"{where} needs "fresh" or "once"')
    if service.design != "tuned" or service.oracle not in ("auto", "agr"):
        raise DesignError(f'does not fit{where} needs design = "tuned" and oracle = "auto"')
    if not text.values and any(each.may_be_missing for each in service.sensitive):
        raise DesignError(f"has missing = true{where} takes what is missing as the empty text. Leave missing out")
    if not text.values and len(service.sensitive) > 1:
        raise DesignError(
            f"has other secret columns beside {text.name}{where} without a list is for a service of its own. "
            f"Move {text.name} into one, or list some values and write discover = 0.2"
        )


def with_text_views(plan: str, service: Service, base: Design | None, nano: int, steps: Steps | None = None) -> Design:
    """A design (None: of nothing) with views of texts beside, whose share the attribute says."""
    place = looked_for(service)
    assert place is not None
    text = service.sensitive[place].searched
    assert text is not None
    steps = steps or Steps.of(text)
    g, t = steps.field or best_field(nano)
    cells, oracle = g**t, AGR(nano / NANO, g**t, g)
    found = [(f"prefix {bits}", bits, WEIGHTS[min(i, len(WEIGHTS) - 1)]) for i, bits in enumerate(steps.bits)]
    found += [(f"whole {i + 1}", 0, 1) for i in range(WHOLE_VIEWS)]
    all_of = sum(weight for *_, weight in found)
    shares = [text.discover * (1 - text.count) * weight / all_of for *_, weight in found]
    if text.count:
        found, shares = [*found, (COUNTED, 0, 0)], [*shares, text.discover * text.count]
    columns = tuple(
        TextColumn(place, service.sensitive[place].size, name, bits, cells, key_of(plan, service.name, text.name, name))
        for name, bits, _ in found
    )
    own = (Tree(1, (1,)),) if base is None else base.space.trees
    space = Space((*own, *(column.tree for column in columns)))
    views = [] if base is None else [View((*view.levels, *(0,) * len(columns)), view.oracle, 0) for view in base.views]
    views += [
        View((*(0,) * len(own), *(int(i == k) for k in range(len(columns)))), oracle, 0) for i in range(len(columns))
    ]
    before = [] if base is None else [float(base.probability(i)) * (1 - text.discover) for i in range(len(base.views))]
    starts = list(accumulate((view.oracle.indexes for view in views), initial=0))
    if starts[-1] > MOST_MESSAGES:
        raise DesignError(f"has {starts[-1]:,} different messages, at most {MOST_MESSAGES:,} are allowed")
    views = [replace(view, offset=start) for view, start in zip(views, starts, strict=False)]
    name, notes = ("tuned", ()) if base is None else (base.name, base.notes)
    return Design(name, space, tuple(views), to_weights([*before, *shares]), False, columns, (), notes)


@cache
def best_field(nano: int) -> tuple[int, int]:
    """g and t of the field of 2^19 to 2^20 cells whose reports tell best of a text that USUAL_SHARE of people have.

    q (1 - q) / (p - q)^2 + f (1 - p - q) / (p - q), p and q those of AGR
    """
    found = []
    for t in range(1, MOST_TEXT_CELLS.bit_length()):
        low, high = int(FEWEST_CELLS ** (1 / t)), int(MOST_TEXT_CELLS ** (1 / t)) + 1
        step = max(1, (high - low) // 64)  # of fields of one digit a few will do
        for start in range(max(low, 2), high + 1, step):
            g = next_prime(start)
            if FEWEST_CELLS <= g**t <= MOST_TEXT_CELLS:
                p = 1 / (1 + (g - 1) * exp(-nano / NANO))
                blind = (g ** (t - 1) - 1) / (g**t - 1)
                q = p * blind + (1 - p) / (g - 1) * (1 - blind)
                noise = q * (1 - q) / (p - q) ** 2 + USUAL_SHARE * (1 - p - q) / (p - q)
                found.append((noise, g, t))
    _, g, t = min(found)
    return g, t


def next_prime(number: int) -> int:
    """It, or the first prime above it."""
    while any(number % divisor == 0 for divisor in range(2, int(number**0.5) + 1)):
        number += 1
    return number


@dataclass(frozen=True)
class TextView:
    """A view of texts, and its number in the design."""

    number: int
    column: TextColumn
    view: View


def text_views(design: Design) -> tuple[TextView, ...]:
    """The views of texts, in order."""
    own = design.attributes
    columns = [(own + i, column) for i, column in enumerate(design.derived) if isinstance(column, TextColumn)]
    return tuple(
        TextView(number, column, view)
        for number, view in enumerate(design.views)
        for place, column in columns
        if view.levels[place]
    )


def letters_of(service: Service, column: TextColumn) -> Letters:
    """The letters that the attribute behind a column is written with."""
    text = service.sensitive[column.attribute].searched
    assert text is not None
    return Letters.named(text.letters)


def without_text_views(design: Design, told: dict[int, tuple[int, ...]] | None = None) -> Design:
    """The design as questions see it: views of texts tell nothing. Messages keep their numbers.

    told   of some views the cells of the values that are asked about; the rest is one more value
    """
    from untold.oracles.chosen import Chosen, Silent

    if not any(isinstance(column, TextColumn) for column in design.derived):
        return design
    own, numbers = design.attributes, {each.number for each in text_views(design)}
    trees, views = list(design.space.trees[:own]), []
    for number, view in enumerate(design.views):
        levels, oracle = view.levels[:own], view.oracle
        if told and number in told:
            place = next(iter(text_views(design))).column.attribute
            size = len(told[number]) + 1
            trees[place] = Tree(size, (size,))
            levels = tuple(int(i == place) for i in range(own))
            oracle = Chosen(oracle.epsilon, size, oracle, told[number])  # type: ignore[arg-type]
        elif number in numbers:
            oracle = Silent(oracle.epsilon, 1, oracle.indexes)
        views.append(View(levels, oracle, view.offset))
    return Design(design.name, Space(tuple(trees)), tuple(views), design.weights, False, (), (), design.notes)
