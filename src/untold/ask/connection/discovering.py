"""What `con.discover` finds in reports, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from untold.ask.discovered.asked_plan import AskedPlan
from untold.ask.discovered.asking import MOST_LISTED, looked_for_in, search_texts
from untold.ask.discovered.found import FoundText, Search
from untold.ask.discovered.left_out import LeftOut
from untold.ask.discovered.reach import reach_in_words
from untold.ask.discovered.search import FALSE_STRINGS
from untold.errors import UnsupportedQuery
from untold.exact import nano_text
from untold.plan import Plan
from untold.plan.schema import Schema
from untold.plan.schema.kinds.text import Text
from untold.store.discovered import Discovered, keep_discovered
from untold.store.waiting import nothing_to_ask

if TYPE_CHECKING:
    from untold.ask.connection.connection import Connection


@dataclass(frozen=True)
class Discovery:
    """The texts of one attribute that are frequent; their list is stored in the folder, and SQL asks about it."""

    plan: Plan
    service: str
    text: Text
    search: Search
    kept: Discovered

    def __repr__(self) -> str:
        return self.in_words()

    @property
    def values(self) -> tuple[str, ...]:
        """The texts, the most frequent first."""
        return self.kept.values

    def least_people(self, each: FoundText) -> float:
        """How many people have a text, at the lower end of its interval."""
        return each.interval()[0] * self.search.people

    def share_in_words(self, each: FoundText) -> str:
        """The share with its interval."""
        low, high = each.interval()
        return f"{100 * each.share:.2f}% of people, {100 * max(low, 0.0):.2f} to {100 * high:.2f}%"

    def in_words(self, least_people: float = 0.0) -> str:
        """A line for each text, and what else was there to find."""
        found, wide = self.search, max([len(each.text) for each in self.search.found], default=0)
        many = f"{len(found.found)} text{'s' * (len(found.found) != 1)}"
        lines = [
            f"{self.service}.{self.text.name}: {many} among {found.people:,} reports, {found.looking:,} of which look for texts."
        ]
        for each in found.found:
            few = self.least_people(each) < least_people
            lines.append(
                f"  {each.text:<{wide}}  {self.share_in_words(each)}{'  (too few people to list)' if few else ''}"
            )
        if found.found:
            share, error = found.covered, found.covered_error
            lines.append(
                f"Together {100 * share:.1f}% ± {196 * error:.1f} of people; all others are '{self.text.other}'."
            )
        lines += [f"  {each}...  a beginning that many share; its end is not seen" for each in found.unfinished]
        lines.append(f"Texts on this list that nobody has: {FALSE_STRINGS} on average.")
        lines += reach_in_words(found.reach)
        if not found.counting:
            lines.append("Shares are of those who also chose the list (count = 0): they lean upwards.")
        lines.append("A list is a claim, not a proof: liars can put a text on it. It is public once it is in a plan.")
        return "\n".join(lines)

    def remarks(self, approved: int) -> list[str]:
        """What the next plan says about where its list is from."""
        numbers = ", ".join(map(str, self.kept.epochs))
        return [
            f"Written by `untold plan discover`: the next version of plan '{self.plan.name}'.",
            f"{approved} values of {self.service}.{self.text.name} from {self.search.people:,} reports of epoch {numbers}",
            f"under plan {self.plan.id}, list {self.kept.hash}.",
            "Every value becomes public with this plan. Take out what should not be, and use no name of a person.",
        ]

    def advice(self, schema: Schema) -> list[str]:
        """What to do next, and what stands against it."""
        lines = [
            f"Next: untold plan diff {self.plan.name}.toml next.toml; untold serve epoch open NUMBER --plan next.toml"
        ]
        if schema.epochs_covered is not None and schema.epochs_covered < 2 and schema.panel is None:
            lines.append(
                f"Note: lifetime = {nano_text(schema.lifetime_nano)} covers one epoch. Devices that have reported will not report "
                "again: those that come later do, or give the next such plan a lifetime for both epochs, or a panel."
            )
        return lines


def discover(
    con: Connection,
    service: str | None,
    attribute: str | None,
    top: int,
    candidates: Sequence[str],
    deny: Sequence[str],
    identifiers: bool,
) -> Discovery:
    """Look for texts in the latest version of the plan that does; store the list."""
    if not 1 <= top <= MOST_LISTED:
        raise UnsupportedQuery(f"top={top}: a list has 1 to {MOST_LISTED} texts.")
    own = next((each for each in (con, *reversed(con.earlier)) if isinstance(each.plan, AskedPlan)), None)
    if own is None:
        looked_for_in(con.plan, service, attribute)  # refuses
    assert own is not None
    assert isinstance(own.plan, AskedPlan)
    plan = own.plan.followed or own.plan
    name, text = looked_for_in(plan, service, attribute)
    epochs = own.epochs_of((name,))
    if not epochs:
        raise nothing_to_ask(own.folder, name, own.reports.epochs)
    (counts,) = own.reports.counts(name)
    left_out = LeftOut.of(text, deny, not identifiers)
    search = search_texts(plan, name, text, counts.message, counts.reports.astype(float), top, candidates, left_out)
    values = tuple(each.text for each in search.found)
    kept = Discovered(plan.id, name, text.name, epochs, search.people, values)
    keep_discovered(own.folder.path, kept)
    return Discovery(plan, name, text, search, kept)
