"""Which views, with which probability, by which oracle. Recipes are listed in recipes.py: a frozen plan needs none of them."""

from untold.plan.designs.base import Design, DesignError, Group, View
from untold.plan.designs.derived import Derived, TextColumn

__all__ = ["Derived", "Design", "DesignError", "Group", "TextColumn", "View"]
