"""Which attribute is meant, and the search over counts of messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from untold.ask.discovered.found import Search, counted_texts
from untold.ask.discovered.left_out import LeftOut
from untold.ask.discovered.search import search
from untold.errors import UnsupportedQuery
from untold.plan import Plan
from untold.plan.schema.kinds.text import Text

MOST_LISTED = 256  # texts on a list that is asked about: every two of them are looked at together


def looked_for_in(plan: Plan, service: str | None = None, attribute: str | None = None) -> tuple[str, Text]:
    """The service and its attribute whose texts are looked for; both may be left out where there is one."""
    found = [
        (own.name, text)
        for own in plan.schema.services
        for each in own.sensitive
        if (text := each.searched) is not None and service in (None, own.name) and attribute in (None, text.name)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(f"{name}.{text.name}" for name, text in found)
        raise UnsupportedQuery(f"texts are looked for in {names}.\nHint: name one of them.")
    where = f" in '{service}'" if service else f" in plan '{plan.name}'"
    raise UnsupportedQuery(
        f"nothing is looked for{where}{f' under the name {attribute!r}' if attribute else ''}.\n"
        'Hint: an attribute such as app = { kind = "text", discover = true } is.'
    )


def search_texts(
    plan: Plan,
    service: str,
    text: Text,
    message: npt.NDArray[np.uint32],
    number: npt.NDArray[np.float64],
    top: int,
    candidates: Sequence[str],
    left_out: LeftOut,
) -> Search:
    """What the counts of messages say, without what is not to be shown."""
    counted = counted_texts(text, plan.design(service), message, number)
    found = search(counted, top + len(text.values), candidates)
    kept = [each for each in found.found if each.text not in left_out]
    return replace(
        found,
        found=tuple(kept[:top]),
        unfinished=tuple(each for each in found.unfinished if each not in left_out),
    )
