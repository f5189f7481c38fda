"""The table whose logarithm is smooth, and that fits what reports say: the best guess of all cells at once.

    x = softmax(B theta),   theta_j ~ N(0, v_j),   y ~ N(H x, 1 / w)

    y, w   what reports say: contrasts of the table as shares of people, and how well each is known
    H      contrasts of a table, the same along every axis of it (a product over axes)
    B      columns of `sharp.columns`, with strengths v = sum tau d

theta is found by damped Gauss-Newton steps, the strengths tau by evidence: they grow while the coefficients are larger than
they say, and fall where coefficients are what noise alone would make them (MacKay's fixed point on the Laplace approximation, with
a hyperprior log tau ~ N(log e, 4), without which strengths collapse under noise and errors are understated; e is what an effect's
strengths are expected to be). Columns of which reports
say next to nothing are left at 0: what they may hold is part of the error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from untold.ask.sharp.columns import Effect, effects_of, powers_of, waves_of
from untold.kernels.arrays import Floats

ROUNDS = 30
FIRST_ROUNDS, FIRST_STEPS = 5, 3
SETTLED = 0.02  # change of strengths, against the strengths of columns
TRIALS = 8
LONGEST_STEP = 3.0  # of any cell's logarithm
HYPER_VARIANCE = 4.0  # of the logarithm of a strength
TELLING = 0.01  # information that reports have on a column, against what is known before; below, it stays at 0


@dataclass(frozen=True)
class Axis:
    """One attribute of a table: the contrasts of its values (contrasts, values), and whether they have an order."""

    contrasts: Floats
    ordered: bool

    @property
    def size(self) -> int:
        """Values."""
        return int(self.contrasts.shape[1])


@dataclass(frozen=True)
class LogDensity:
    """A fitted table.

    table      shares of people; they add up to 1
    columns    B, (cells, columns)
    root       R, (columns, columns): R R' is the covariance of theta given the reports
    theta      coefficients of the columns of `effects`, with strengths tau
    freedom    columns that reports decide, each counted by how much they do
    """

    table: Floats
    columns: Floats
    root: Floats
    effects: tuple[Effect, ...]
    theta: Floats
    tau: tuple[Floats, ...]
    freedom: float

    @property
    def directions(self) -> Floats:
        """By how much each cell is off for one standard deviation in each independent direction: (cells, directions).

        D R,    D = diag(x)(B - 1 x'B)
        """
        x = self.table.reshape(-1)
        return np.asarray(((self.columns - x @ self.columns) * x[:, None]) @ self.root)


def fit(y: Floats, w: Floats, axes: Sequence[Axis], coarser: LogDensity | None = None) -> LogDensity:
    """The best guess of a table from its contrasts `y` (shares of people; the first is the total) and their precisions `w`.

    coarser   the same table fitted on fewer blocks: where to start from
    """
    sizes, ordered = tuple(axis.size for axis in axes), tuple(axis.ordered for axis in axes)
    effects = effects_of(sizes, ordered)
    problem = _Problem(y, w, axes, effects)
    state, first = problem.start(coarser), 0 if coarser else FIRST_ROUNDS
    if coarser:
        problem.let_go(state)
    for number in range(ROUNDS):
        for _ in range(FIRST_STEPS if number < first else 1):
            if not problem.step(state):
                break
        moved = problem.weigh(state)
        if number >= first and moved < SETTLED:
            break
    return problem.fitted(state)


@dataclass
class _State:
    theta: Floats
    tau: list[Floats]
    x: Floats
    damping: float
    kept: npt.NDArray[np.intp]
    gram: Floats  # J'J and J'r at this x, of the columns that are kept; empty: not worked out
    pull: Floats
    loss: float


class _Problem:
    def __init__(self, y: Floats, w: Floats, axes: Sequence[Axis], effects: tuple[Effect, ...]) -> None:
        self.axes, self.effects = axes, effects
        self.shape = tuple(axis.size for axis in axes)
        w = w.copy()
        w.reshape(-1)[0] = 0.0
        self.rows = np.flatnonzero(w.reshape(-1) > 0)
        self.root = np.sqrt(w.reshape(-1)[self.rows])
        self.y = y.reshape(-1)[self.rows]
        self.matrix = _columns(self.shape, [axis.ordered for axis in axes], effects)
        self.places = np.cumsum([0, *(effect.columns for effect in effects)])

    def strengths(self, tau: list[Floats]) -> Floats:
        return np.concatenate([own @ effect.spectra for own, effect in zip(tau, self.effects, strict=True)])

    def start(self, coarser: LogDensity | None) -> _State:
        every = np.arange(self.matrix.shape[1])
        if coarser is None:
            theta, tau = np.zeros(len(every)), [effect.start.copy() for effect in self.effects]
        else:
            theta = np.concatenate(_taken_over(coarser, self.effects))
            before = {
                (effect.axes, effect.powers): tau for effect, tau in zip(coarser.effects, coarser.tau, strict=True)
            }
            tau = [before.get((effect.axes, effect.powers), effect.start).copy() for effect in self.effects]
        state = _State(theta, tau, self.density(theta, every), 1e-6, every, np.zeros((0, 0)), np.zeros(0), 0.0)
        state.loss = self.loss(state, state.theta, state.x)
        return state

    def density(self, theta: Floats, kept: npt.NDArray[np.intp]) -> Floats:
        logs = self.matrix[:, kept] @ theta[kept]
        logs -= logs.max()
        x = np.exp(logs)
        return np.asarray(x / x.sum()).reshape(self.shape)

    def contrasts(self, tables: Floats) -> Floats:
        """Of tables, each a row: (tables, contrasts that are known), each times the root of its precision."""
        out = tables.reshape(len(tables), *self.shape)
        for i, axis in enumerate(self.axes):
            out = np.moveaxis(np.tensordot(out, axis.contrasts, axes=(i + 1, 1)), -1, i + 1)
        return np.asarray(out.reshape(len(tables), -1)[:, self.rows] * self.root)

    def residual(self, x: Floats) -> Floats:
        return np.asarray(self.root * self.y - self.contrasts(x.reshape(1, -1))[0])

    def loss(self, state: _State, theta: Floats, x: Floats) -> float:
        v = self.strengths(state.tau)
        return float((self.residual(x) ** 2).sum() / 2 + (theta**2 / (2 * v)).sum())

    def curve(self, state: _State) -> None:
        """J'J and J'r of the columns that are kept, once for each x."""
        if len(state.gram):
            return
        x = state.x.reshape(-1)
        own = self.matrix[:, state.kept]
        slopes = (own - x @ own) * x[:, None]
        jacobian = self.contrasts(np.ascontiguousarray(slopes.T))
        state.gram = jacobian @ jacobian.T
        state.pull = jacobian @ self.residual(state.x)

    def step(self, state: _State) -> bool:
        """One damped step; False if none goes down."""
        self.curve(state)
        root = np.sqrt(self.strengths(state.tau)[state.kept])
        gram = root[:, None] * state.gram * root
        pull = root * state.pull - state.theta[state.kept] / root
        for _ in range(TRIALS):
            damped = gram + np.eye(len(gram)) * (1 + state.damping)
            move = root * np.linalg.solve(damped, pull)
            logs = self.matrix[:, state.kept] @ move
            move *= min(1.0, LONGEST_STEP / max(float(np.abs(logs).max(initial=0.0)), 1e-300))
            theta = state.theta.copy()
            theta[state.kept] += move
            x = self.density(theta, state.kept)
            loss = self.loss(state, theta, x)
            if loss <= state.loss:
                gained = state.loss - loss
                state.theta, state.x, state.loss, state.gram = theta, x, loss, np.zeros((0, 0))
                state.damping = max(state.damping / 5, 1e-6)
                return gained > 1e-6
            state.damping = max(10 * state.damping, 1e-4)
        return False

    def weigh(self, state: _State) -> float:
        """New strengths by evidence, and how much they moved. Columns that reports do not tell of are let go."""
        self.curve(state)
        v = self.strengths(state.tau)
        root = np.sqrt(v[state.kept])
        inverse = np.linalg.inv(root[:, None] * state.gram * root + np.eye(len(root)))
        spread = v.copy()
        spread[state.kept] *= np.diag(inverse)
        moved = 0.0
        for number, effect in enumerate(self.effects):
            own = slice(self.places[number], self.places[number + 1])
            tau, d = state.tau[number], effect.spectra
            num = (d / v[own] ** 2 * (state.theta[own] ** 2 + spread[own])).sum(axis=1)
            den = (d / v[own]).sum(axis=1)
            prior = 2 * np.log(tau / effect.expected) / (HYPER_VARIANCE * tau)
            factor = ((num + np.maximum(0, -prior)) / (den + np.maximum(0, prior))) ** 2
            new = np.clip(tau * np.clip(factor, 0.1, 10.0), 1e-9, 1e6)
            moved = max(moved, float((np.abs(new - tau) * (d / v[own]).mean(axis=1)).max()))
            state.tau[number] = new
        self.let_go(state)
        return moved

    def let_go(self, state: _State) -> None:
        """Leave columns at 0 that reports say next to nothing of."""
        self.curve(state)
        telling = np.diag(state.gram) * self.strengths(state.tau)[state.kept] > TELLING
        gone = state.kept[~telling]
        if len(gone) and telling.any():
            state.theta[gone] = 0.0
            state.kept, state.gram = state.kept[telling], np.zeros((0, 0))
            state.x = self.density(state.theta, state.kept)
        state.loss = self.loss(state, state.theta, state.x)

    def fitted(self, state: _State) -> LogDensity:
        self.curve(state)
        v = self.strengths(state.tau)
        root = np.sqrt(v[state.kept])
        values, vectors = np.linalg.eigh(root[:, None] * state.gram * root + np.eye(len(root)))
        spread = np.diag(np.sqrt(v))
        spread[np.ix_(state.kept, state.kept)] = root[:, None] * vectors / np.sqrt(values)
        freedom = float((1 - 1 / values).sum())
        return LogDensity(state.x, self.matrix, spread, self.effects, state.theta, tuple(state.tau), freedom)


def _taken_over(coarser: LogDensity, effects: Sequence[Effect]) -> list[Floats]:
    """Coefficients for more waves, from those for fewer; a wave is the same whatever the number of blocks, and powers nearly."""
    ends = np.cumsum([effect.columns for effect in coarser.effects])
    there = {(effect.axes, effect.powers): (effect, end) for effect, end in zip(coarser.effects, ends, strict=True)}
    found = []
    for own in effects:
        grid = np.zeros(own.waves)
        if (own.axes, own.powers) in there:
            before, end = there[own.axes, own.powers]
            grid[tuple(slice(0, n) for n in before.waves)] = coarser.theta[end - before.columns : end].reshape(
                before.waves
            )
        found.append(grid.ravel())
    return found


def _columns(shape: tuple[int, ...], ordered: Sequence[bool], effects: Sequence[Effect]) -> Floats:
    """B: (cells, columns of all effects)."""
    blocks = []
    for effect in effects:
        parts: list[Any] = []
        for i, (size, order) in enumerate(zip(shape, ordered, strict=True)):
            if i in effect.axes:
                own = powers_of(size) if effect.powers and order else waves_of(size, order)
                parts.append(own[:, : effect.waves[effect.axes.index(i)]])
            else:
                parts.append(np.ones((size, 1)))
        blocks.append(np.asarray(reduce(np.kron, parts), dtype=np.float64))
    return np.concatenate(blocks, axis=1)
