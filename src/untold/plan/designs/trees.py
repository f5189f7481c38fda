"""A service's trees with one fan-out, their attributes sorted by shape, and what is asked of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from untold.oracles import Oracle
from untold.plan.designs.asked import Asked, AskedOf
from untold.plan.designs.base import DesignError, oracle_for, space_of
from untold.plan.designs.interests import Interests, interests, others
from untold.plan.designs.symmetry import Kin, Shapes, Type, shapes_of
from untold.plan.designs.workload import attribute_energies
from untold.plan.hierarchy import Space, Tree
from untold.plan.schema import Sensitive, Service


@dataclass(frozen=True)
class Trees:
    """What a candidate for the default design is made from; a view is named by its type."""

    service: Service
    nano: int
    space: Space
    shapes: Shapes
    interests: Interests
    most: int  # active attributes of a view
    asked: tuple[Asked, ...] = ()  # by declared questions, beside what the interests stand for

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
        return list(dict.fromkeys(finest + alone + [self.finest_asked(each) for each in self.asked]))

    def finest_asked(self, each: Asked) -> Type:
        """The view that tells all that a declared question asks. Every attribute is a kin of its own then."""
        levels = list(zip(each.attributes, each.finest, strict=True))
        for i, level in levels:
            if level > self.shapes.kins[i].tree.height:
                name = self.service.sensitive[i].name
                raise DesignError(f"is asked for sums of {name}, which has rounded = false; leave that out")
        return tuple(sorted(self.shapes.numbers[i, level] for i, level in levels if level))


def trees_of(service: Service, nano: int, base: int, most: int, asked_of: AskedOf | None = None) -> Trees:
    """Trees for at most `most` attributes together; with declared questions, for these and for any two attributes."""
    space = space_of(service, base)
    own = [reported(a, tree) for a, tree in zip(service.sensitive, space.trees, strict=False)]
    names = [a.name for a in service.sensitive]
    workload = [(tuple(names.index(a) for a in each.attributes), each.weight) for each in service.workload]
    energies = [each[: tree.height + 1] for each, tree in zip(attribute_energies(service, space), own, strict=False)]
    if asked_of is not None:
        each = zip(own, energies, strict=True)
        shapes = Shapes(tuple(Kin((i,), tree, tuple(map(float, energy))) for i, (tree, energy) in enumerate(each)))
        asked = tuple(replace(one, share=one.share * (1 - service.undeclared)) for one in asked_of(space))
        return Trees(service, nano, space, shapes, others(shapes, service.undeclared), most, asked)
    shapes = shapes_of(own, energies, workload)
    return Trees(service, nano, space, shapes, interests(shapes, workload, most), most)


def reported(attribute: Sensitive, tree: Tree) -> Tree:
    """The levels of a tree that views may have: all, but for the bit of classes where nobody reports it."""
    if attribute.halves and not attribute.rounded:
        return Tree((tree.size + 1) // 2, tree.fan_outs[:-1])
    return tree


def class_level(attribute: Sensitive, tree: Tree) -> int:
    """The level of whole classes or groups; of single values where there are none."""
    inner = attribute.parts * (2 if attribute.halves else 1)
    return next(level for level in range(tree.height, -1, -1) if tree.block_size(level) >= inner)
