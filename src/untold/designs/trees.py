"""A service's trees with one fan-out, their attributes sorted by shape, and what is asked of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from untold.designs.base import oracle_for, space_of
from untold.designs.interests import Interests, interests
from untold.designs.symmetry import Shapes, Type, shapes_of
from untold.designs.workload import attribute_energies
from untold.hierarchy import Space
from untold.oracles import Oracle
from untold.schema import Service


@dataclass(frozen=True)
class Trees:
    """What a candidate for the default design is made from; a view is named by its type."""

    service: Service
    nano: int
    space: Space
    shapes: Shapes
    interests: Interests
    most: int  # active attributes of a view

    @property
    def hidden(self) -> int:
        """1 if there is a hidden weight: it is active in every view and doubles its cells."""
        return int(self.service.rows is not None)

    def cells(self, kind: Sequence[int]) -> int:
        """Cells of a view."""
        return self.shapes.cells(kind) << self.hidden

    def oracle(self, kind: Sequence[int]) -> Oracle:
        """The oracle of a view."""
        return oracle_for(self.service.oracle, self.nano, self.cells(kind))

    def messages(self, kind: Sequence[int]) -> int:
        """Messages of all views of this type together."""
        return self.shapes.count(kind) * self.oracle(kind).indexes

    def needed(self, caps: Mapping[int, int]) -> list[Type]:
        """Views without which something that is asked for is out of reach: the finest of each set, and of each attribute
        where views of several may not go as fine."""
        finest = [self.shapes.finest(kins, caps if len(kins) > 1 else {}) for kins in self.interests.largest]
        alone = [self.shapes.finest((k,), {}) for k in self.interests.kins if k in caps]
        return list(dict.fromkeys(finest + alone))


def trees_of(service: Service, nano: int, base: int, most: int) -> Trees:
    """Trees for at most `most` attributes together."""
    space = space_of(service, base)
    own = space.trees[: len(service.sensitive)]
    names = [a.name for a in service.sensitive]
    workload = [(tuple(names.index(a) for a in each.attributes), each.weight) for each in service.workload]
    shapes = shapes_of(own, attribute_energies(service, space), workload)
    return Trees(service, nano, space, shapes, interests(shapes, workload, most), most)
