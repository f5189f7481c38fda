"""CALM: a few views of a few attributes each, at single values, chosen for k-way marginals [CCS'18, section 4]."""

from __future__ import annotations

from collections.abc import Iterable

from untold.exact import NANO
from untold.plan.designs.balance import balance, views_for_pairs
from untold.plan.designs.base import MOST_VIEWS, Design, DesignError, assemble, even_weights
from untold.plan.designs.choose import Choice, Setting, choose_with, views_of
from untold.plan.designs.recipe import Recipe
from untold.plan.hierarchy import Levels, Space, Tree
from untold.plan.schema import CHOSEN_VIEWS, PUBLISHED, Service


def build(service: Service, nano: int) -> Design:
    """m views of l attributes, each as likely; GRR or AGR, whichever has less noise."""
    sizes, wanted = tuple(a.size for a in service.sensitive), service.marginals
    setting = Setting(wanted.users, nano / NANO, sizes, wanted.ways, wanted.theta)
    if wanted.count is not None and wanted.count * (wanted.length or len(sizes)) < len(sizes):
        raise DesignError(f"cannot hold {len(sizes)} attributes in m = {wanted.count} views; write a larger m or l")
    published = wanted.views == PUBLISHED
    choice = (choose_with if published else balance)(setting, wanted.length, wanted.count)
    choice = Choice(choice.length, min(choice.views, MOST_VIEWS))
    sets = views_of(choice, len(sizes), wanted.ways) if published else views_for_pairs(choice, len(sizes))
    return of_sets(CHOSEN_VIEWS, service, nano, sets)


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
