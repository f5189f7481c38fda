"""AHEAD (Du, Zhang, Bai, Liu, Ji, Cheng, Chen: AHEAD: adaptive hierarchical decomposition, CCS 2021), for one or two attributes.

From the root, a box is split into 2^dimensions if its estimate exceeds a threshold; the next group of people reports which box they
are in. Afterwards parents and children are averaged by their variances, and made consistent from the top.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations, product

import numpy as np

from benchmarks.rivals.unary import groups_of, oue_shares, oue_variance, without_negatives

Floats = np.ndarray


@dataclass
class _Box:
    low: tuple[int, ...]
    sides: int
    value: float = 1.0
    variance: float = 0.0
    children: list[_Box] = field(default_factory=list)


def table(codes: Floats, size: int, epsilon: float, rng: np.random.Generator) -> Floats:
    """Shares of all values, from (people, dimensions)."""
    people, dimensions = codes.shape
    levels = int(np.log2(size))
    fan_out, group_size = 2**dimensions, people / levels
    threshold = np.sqrt((fan_out + 1) * 4 * np.exp(epsilon) / (group_size * (np.exp(epsilon) - 1) ** 2))
    root = _Box((0,) * dimensions, size)
    boxes = [root]
    for group in groups_of(people, levels, rng):
        new = []
        for box in boxes:
            box.children = _split(box) if box.sides > 1 and box.value > threshold else [_Box(box.low, box.sides)]
            new += box.children
        of = np.empty((size,) * dimensions, dtype=np.int64)
        for number, box in enumerate(new):
            of[tuple(slice(at, at + box.sides) for at in box.low)] = number
        found = without_negatives(oue_shares(of[tuple(codes[group].T)], len(new), epsilon, rng))
        for box, value in zip(new, found, strict=True):
            box.value, box.variance = float(value), oue_variance(len(group), epsilon)
        boxes = new
    _average(root)
    _fit(root)
    out = np.zeros((size,) * dimensions)
    for box in boxes:
        out[tuple(slice(at, at + box.sides) for at in box.low)] = box.value / box.sides**dimensions
    return out


def tables(codes: Floats, size: int, epsilon: float, rng: np.random.Generator) -> dict[tuple[int, int], Floats]:
    """One tree for every pair of attributes, each from its own group of people."""
    pairs = list(combinations(range(codes.shape[1]), 2))
    groups = groups_of(len(codes), len(pairs), rng)
    return {
        pair: table(codes[group][:, list(pair)], size, epsilon, rng) for pair, group in zip(pairs, groups, strict=True)
    }


def _split(box: _Box) -> list[_Box]:
    half = box.sides // 2
    steps = product((0, half), repeat=len(box.low))
    return [_Box(tuple(a + b for a, b in zip(box.low, step, strict=True)), half) for step in steps]


def _average(box: _Box) -> None:
    """Bottom up: the estimate of a box and the sum of its children, each by its variance."""
    if not box.children:
        return
    for child in box.children:
        _average(child)
    below, noise = sum(c.value for c in box.children), sum(c.variance for c in box.children)
    if box.variance > 0:
        share = noise / (box.variance + noise)
        box.value = share * box.value + (1 - share) * below
        box.variance = box.variance * noise / (box.variance + noise)


def _fit(box: _Box) -> None:
    """Top down: children add up to their parent, differences shared evenly."""
    if not box.children:
        return
    off = (box.value - sum(c.value for c in box.children)) / len(box.children)
    for child in box.children:
        child.value += off
        _fit(child)
