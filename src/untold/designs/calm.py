"""CALM: a few views of a few attributes each, at single values, chosen for k-way marginals [CCS'18, section 4]."""

from __future__ import annotations

from collections.abc import Iterable

from untold.designs.base import MOST_VIEWS, Design, assemble, even_weights
from untold.designs.choose import Choice, Setting, choose, views_of
from untold.designs.recipe import Recipe
from untold.exact import NANO
from untold.hierarchy import Levels, Space, Tree
from untold.schema import Service


def build(service: Service, nano: int) -> Design:
    """m views of l attributes by Algorithm 1, each as likely; GRR or AGR, whichever has less noise."""
    sizes = tuple(a.size for a in service.sensitive)
    choice = choose(Setting(service.marginals.users, nano / NANO, sizes, service.marginals.ways))
    choice = Choice(choice.length, min(choice.views, MOST_VIEWS))
    return of_sets("calm", service, nano, views_of(choice, len(sizes), service.marginals.ways))


def of_sets(name: str, service: Service, nano: int, sets: Iterable[tuple[int, ...]]) -> Design:
    """One view for each set of attributes, at single values; each as likely. A hidden weight is active in all."""
    space = flat_space(service)
    hidden = len(space.trees) - len(service.sensitive)
    levels: list[Levels] = [
        (*(int(i in each) for i in range(len(service.sensitive))), *(1,) * hidden) for each in map(set, sets)
    ]
    return assemble(name, service, space, levels, nano, even_weights(len(levels)), service.oracle)


def flat_space(service: Service) -> Space:
    """Trees of one level: everything, or single values. No value is added to fill up a tree."""
    hidden = (Tree(2, (2,)),) if service.rows else ()
    return Space((*(Tree(a.size, (a.size,)) for a in service.sensitive), *hidden))


CALM = Recipe("calm", "views of a few attributes that cover the marginals wanted, each report about one", build)
