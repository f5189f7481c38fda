"""Queries that join people with things (such as products) that are themselves reported under privacy. See `star`."""

from __future__ import annotations

from dataclasses import dataclass

from untold.ask.evidence.reports import Reports
from untold.ask.evidence.routes import Found
from untold.ask.scores.coefficients import Estimator
from untold.ask.scores.compile import Compiled
from untold.ask.star import Star, combined, laws_of, scores_of, star_explained, star_notes


@dataclass(frozen=True)
class Starred:
    """A parted question, the reports of people and those of things."""

    star: Star
    people: Reports
    things: Reports

    def compile_people(self, estimator: Estimator) -> Compiled:
        """The people's side, for each thing by itself."""
        return self.people.compile(self.star.about_people(None), estimator)

    def compile_things(self, estimator: Estimator) -> Compiled:
        """The things' side."""
        return self.things.compile(self.star.about_things(), estimator)

    def found(self, each: Compiled, estimator: Estimator) -> Found:
        """Totals: things first, then people with the things' scores, and people for each thing by itself."""
        inner = self.compile_things(estimator)
        scores = scores_of(inner, self.things.moments(inner.scan)[0])
        whole = self.people.compile(self.star.about_people(scores), estimator)
        moments, by_thing = self.people.moments(whole.scan)[0], self.people.moments(each.scan)[0]
        laws = laws_of(inner, len(self.star.functions), len(scores))
        totals = combined(self.star, scores, (whole, moments), (each, by_thing), laws)
        users = sum(group.users for group in moments)
        return Found(totals, users, notes=tuple(star_notes(self.star, scores, by_thing)))

    def explained(self, estimator: Estimator) -> str:
        """What the things' side costs, in words."""
        return star_explained(self.star, self.compile_things(estimator), self.things.users(self.star.table.name))
