"""Section 6 of the fusion paper: means and distributions from several services, against each service alone.

    python -m benchmarks accuracy fusion [--quick] [--only fig5-mean fig8 ...]

Prints one table for each figure and, at the end, each claim with its figure. MSE over trials is on [-1, 1]; errors
of single services, UA, UWA and population in one trial come from the same reports.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from benchmarks.accuracy._fusion_data import (
    PEOPLE,
    beta,
    beta_sin,
    bimodal,
    coarse,
    collect,
    histogram,
    js,
    wasserstein,
)

from untold import fuse
from untold.fusion.reports import Reports
from untold.numeric import BY_NAME, PM, SR, SW, Laplace, Numeric

EPSILONS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
FOUR, THREE = (SR, Laplace, PM, SW), (SR, PM, SW)
A = {"A1": (0.1, 0.2, 0.3, 0.4), "A2": (0.2, 0.4, 0.1, 0.3), "A3": (0.3, 0.1, 0.4, 0.2), "A4": (0.4, 0.3, 0.2, 0.1)}
C = {"C1": (0.1, 0.2, 0.3), "C2": (0.2, 0.3, 0.1), "C3": (0.3, 0.1, 0.2), "C4": (0.2, 0.1, 0.3)}
BUCKETS = 1024
claims: list[tuple[str, bool, str]] = []
figures: dict[str, list[dict[str, object]]] = {}


def claim(text: str, holds: bool, figure: str) -> None:
    """Note what should come out, and what did."""
    claims.append((text, bool(holds), figure))


def show(figure: str, row: dict[str, object]) -> None:
    """Print and keep one row of a figure."""
    figures.setdefault(figure, []).append(row)
    cells = (f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items())
    print(f"{figure}: " + "  ".join(cells), flush=True)


def named(mechanisms: Sequence[type[Numeric]], epsilons: Sequence[float]) -> dict[str, Numeric]:
    """Services called by mechanism, numbered where one is used twice."""
    names = [m.name if mechanisms.count(m) == 1 else f"{m.name}{i + 1}" for i, m in enumerate(mechanisms)]
    return {name: m(e) for name, m, e in zip(names, mechanisms, epsilons, strict=True)}


def mean_errors(u: np.ndarray, services: Mapping[str, Numeric], trials: int, at=None) -> dict[str, np.ndarray]:
    """Errors of every service alone and of the three fusions, over trials."""
    truth, found = 2 * u.mean() - 1, {name: [] for name in (*services, "ua", "uwa", "population")}
    for trial in range(trials):
        reports = collect(u, services, 1000 + trial, at)
        for name, column in zip(services, reports.values, strict=True):
            a, b = services[name].unit_line()
            found[name].append(2 * (a + b * np.nanmean(column)) - 1 - truth)
        for method in ("ua", "uwa", "population"):
            found[method].append(fuse.mean(reports, method).value - truth)
    return {name: np.array(errors) for name, errors in found.items()}


def mse_row(errors: Mapping[str, np.ndarray], services: Mapping[str, Numeric]) -> dict[str, object]:
    mse = {name: float(np.mean(e**2)) for name, e in errors.items()}
    best = min(mse[name] for name in services)
    return {**mse, "uwa_gain": 1 - mse["uwa"] / best, "ua_gain": 1 - mse["ua"] / best}


def distribution_row(make: Callable[[int], np.ndarray], services, trials: int, smoothing: str) -> dict[str, object]:
    """Mean JS divergence of each service alone, of ULE, and of pooled histograms."""
    found: dict[str, list[float]] = {name: [] for name in (*services, "ule", "pooled")}
    for trial in range(trials):
        u = make(trial)
        truth, reports = histogram(u, 256), collect(u, services, 2000 + trial)
        parts: dict[str, tuple[Reports, str]] = {name: (reports.only(name), "ule") for name in services}
        parts |= {"ule": (reports, "ule"), "pooled": (reports, "pooled")}
        for name, (part, method) in parts.items():
            got = fuse.distribution(part, BUCKETS, method, smoothing, bootstrap=0)
            found[name].append(js(coarse(got.probabilities), truth))
    row: dict[str, object] = {name: float(np.mean(values)) for name, values in found.items()}
    best = min(float(np.mean(found[name])) for name in services)
    return {**row, "ule_gain": 1 - float(np.mean(found["ule"])) / best}


def figure_4_mean(o: argparse.Namespace) -> None:
    """Equal budgets: MSE against epsilon."""
    gains = []
    for data, make in PEOPLE.items():
        for epsilon in EPSILONS:
            services = named(FOUR, [epsilon] * 4)
            row = mse_row(mean_errors(make(o.people, 7), services, o.trials), services)
            show("fig4 mean", {"data": data, "eps": epsilon, **row})
            gains.append((row["ua_gain"], row["uwa_gain"]))
    low, high = np.min(gains), np.max(gains)
    text = "fig 4: UA and UWA below the best single service at equal budgets"
    claim(text, low > 0, f"{low:.1%} to {high:.1%} lower MSE")


def figure_4_distribution(o: argparse.Namespace) -> None:
    """Equal budgets: JS against epsilon."""
    beats = []
    for data, make in PEOPLE.items():
        for epsilon in EPSILONS[:: 2 if o.quick else 1]:
            services = named(THREE, [epsilon] * 3)
            row = distribution_row(lambda t, m=make: m(o.crowd, t), services, o.rounds, "spline")
            show("fig4 distribution", {"data": data, "eps": epsilon, **row})
            beats.append(row["ule_gain"])
    claim("fig 4: ULE's mean JS at or below the best single service", min(beats) >= 0, _lower(beats))


def figure_5_mean(o: argparse.Namespace) -> None:
    """Unequal budgets A1..A4."""
    gains, ratios = [], []
    for data, make in PEOPLE.items():
        for label, epsilons in A.items():
            services = named(FOUR, epsilons)
            row = mse_row(mean_errors(make(o.people, 7), services, o.trials), services)
            show("fig5 mean", {"data": data, "set": label, **row})
            gains.append(row["uwa_gain"])
            ratios.append(row["population"] / row["uwa"])
    claim("fig 5: UWA at least 11% below the best single service, A1-A4", min(gains) >= 0.11, _lower(gains))
    span = f"ratios {min(ratios):.4f} to {max(ratios):.4f}"
    claim("fig 5: population's MSE at most UWA's (same reports, 1% slack)", max(ratios) <= 1.01, span)


def figure_5_distribution(o: argparse.Namespace) -> None:
    """Unequal budgets C1..C4."""
    beats: dict[str, list[float]] = {"spline": [], "ems": []}
    for data, make in PEOPLE.items():
        for label, epsilons in C.items():
            services = named(THREE, epsilons)
            for smoothing, kept in beats.items():
                rounds = o.rounds if smoothing == "spline" else o.rounds // 2
                row = distribution_row(lambda t, m=make: m(o.crowd, t), services, rounds, smoothing)
                show("fig5 distribution", {"data": data, "set": label, "smoothing": smoothing, **row})
                kept.append(row["ule_gain"])
    for smoothing, kept in beats.items():
        text = f"fig 5: ULE ({smoothing}) JS at or below the best single service, C1-C4"
        claim(text, min(kept) >= 0, f"{_lower(kept)}, in {sum(g >= 0 for g in kept)} of {len(kept)}")


def _lower(gains: Sequence[float]) -> str:
    return f"{min(gains):.1%} to {max(gains):.1%} lower"


def figure_6(o: argparse.Namespace) -> None:
    """One mechanism everywhere, and many dimensions."""
    gains, beats = [], []
    for mechanism in FOUR:
        services = named([mechanism] * 4, (0.1, 0.2, 0.3, 0.4))
        row = mse_row(mean_errors(beta_sin(o.people, 7), services, o.trials), services)
        show("fig6 mean", {"mechanism": mechanism.name, **row})
        gains.append(row["uwa_gain"])
        if mechanism is not Laplace:
            services = named([mechanism] * 3, (0.1, 0.2, 0.3))
            row = distribution_row(lambda t: beta_sin(o.crowd, t), services, o.rounds, "spline")
            show("fig6 distribution", {"mechanism": mechanism.name, **row})
            beats.append(row["ule_gain"])
    claim(
        "fig 6: UWA lowest with one mechanism at four budgets",
        min(gains) > 0,
        f"{min(gains):.1%} to {max(gains):.1%} lower MSE",
    )
    claim(
        "fig 6: ULE lowest with one mechanism at three budgets",
        min(beats) >= 0,
        f"{min(beats):.1%} to {max(beats):.1%} lower JS",
    )
    fused, single = [], []
    for dimensions in (10, 20, 40, 60):
        found = [_dimensions(dimensions, o.crowd // 2, seed) for seed in range(max(2, o.rounds // 2))]
        mse = {name: float(np.mean([f[name] for f in found])) for name in found[0]}
        show("fig6 dimensions", {"dimensions": dimensions, **mse})
        fused.append(mse["population"])
        single.append(min(v for name, v in mse.items() if name not in ("population", "ua", "uwa")))
    good = all(f < s for f, s in zip(fused, single, strict=True))
    claim(
        "fig 6c: fused mean below the best single for 10 to 60 dimensions",
        good,
        f"MSE ratio {max(np.divide(fused, single)):.2f} at most",
    )


def _dimensions(dimensions: int, people: int, seed: int) -> dict[str, float]:
    """People sampled over dimensions; dimension d holds Beta(2, 5) moved by d. Mean squared error over dimensions."""
    services, rng = named(FOUR, (0.6,) * 4), np.random.default_rng(seed)
    of = rng.integers(dimensions, size=people).astype(np.int32)
    u = 0.5 * rng.beta(2, 5, people) + 0.5 * of / dimensions
    flat = collect(u, services, seed)
    reports = Reports(services, flat.values, True, -1, 1, tuple(map(str, range(dimensions))), of)
    errors: dict[str, list[float]] = {name: [] for name in (*services, "ua", "uwa", "population")}
    for name, part in reports.split().items():
        truth = 2 * u[of == int(name)].mean() - 1
        for service in services:
            errors[service].append(fuse.mean(part.only(service), "ua").value - truth)
        for method in ("ua", "uwa", "population"):
            errors[method].append(fuse.mean(part, method).value - truth)
    return {name: float(np.mean(np.square(e))) for name, e in errors.items()}


def figure_7(o: argparse.Namespace) -> None:
    """More services, more people."""
    last, one = np.inf, 0.0
    falling = True
    for count in (4, 8, 12, 16):
        services = {f"s{j}": FOUR[j % 4](0.1) for j in range(count)}
        row = mse_row(mean_errors(beta_sin(o.people, 7), services, o.trials // 2), services)
        show("fig7 mean", {"services": count, **{k: v for k, v in row.items() if not k.startswith("s")}})
        falling, last = falling and row["uwa"] < last * 1.1, row["uwa"]
        one = min(v for k, v in row.items() if k.startswith("s"))
    claim("fig 7a: MSE of UWA falls with 4 to 16 services", falling, f"at 16: {last / one:.2f} of the best single")
    scores = []
    for count in (3, 6, 9, 15):
        services = {f"s{j}": THREE[j % 3](0.1) for j in range(count)}
        got = []
        for t in range(max(2, o.rounds // 2)):
            u = beta_sin(o.crowd, t)
            found = fuse.distribution(collect(u, services, t), BUCKETS)
            got.append(js(coarse(found.probabilities), histogram(u, 256)))
        show("fig7 distribution", {"services": count, "engine": found.notes["engine"], "ule": float(np.mean(got))})
        scores.append(float(np.mean(got)))
    claim(
        "fig 7b: JS of ULE lower with 15 services than with 3",
        scores[-1] < scores[0],
        f"{scores[0]:.4f} to {scores[-1]:.4f}",
    )
    scores = []
    for n in (o.crowd // 4, o.crowd, o.crowd * 4):
        rows = [
            distribution_row(lambda t, n=n: beta_sin(n, t), named(THREE, [0.1] * 3), max(2, o.rounds // 3), "spline")
        ]
        show("fig7 people", {"n": n, **rows[0]})
        scores.append(rows[0]["ule"])
    claim("fig 7d: JS of ULE falls with n", scores[-1] < scores[0], " > ".join(f"{s:.4f}" for s in scores))


def figure_8(o: argparse.Namespace) -> None:
    """Direct collection, and people at any of the services: groups G1..G11."""
    services = named(FOUR, [0.1] * 4)
    errors = mean_errors(beta_sin(o.people, 7), services, o.trials)
    row = mse_row(errors, services)
    show("fig8 direct", {"new budget of direct collection": 0.1, **row})
    claim(
        "fig 8a: fusion below direct collection by any mechanism at eps 0.1",
        row["uwa_gain"] > 0,
        f"{row['uwa_gain']:.1%} lower MSE",
    )
    names = list(named(FOUR, [0.5] * 4))
    groups = [g for size in (2, 3, 4) for g in combinations(names, size)]
    uwa, ule = [], []
    for number, members in enumerate(groups, 1):
        services = {name: BY_NAME[name](0.5) for name in members}
        row = mse_row(mean_errors(beta(9000, 7), services, o.trials), services)
        scores = distribution_row(lambda t: beta(9000, t), services, o.trials // 8, "spline")
        kept = {k: row[k] for k in ("ua", "uwa", "population", "uwa_gain")}
        shares = {k: scores[k] for k in ("ule", "ule_gain")}
        show("fig8 groups", {"group": f"G{number}", "services": "+".join(members), **kept, **shares})
        uwa.append(row["uwa_gain"])
        ule.append(scores["ule_gain"])
    claim(
        "fig 8c: UWA below the best single service in all groups G1-G11",
        min(uwa) > 0,
        f"{min(uwa):.1%} to {max(uwa):.1%} lower MSE",
    )
    claim(
        "fig 8d: ULE at or below the best single service in most groups",
        np.mean(np.array(ule) >= 0) >= 0.5,
        f"in {sum(g >= 0 for g in ule)} of 11; {min(ule):.1%} to {max(ule):.1%}",
    )
    together = {name: BY_NAME[name](0.5) for name in names}
    of = np.random.default_rng(1).integers(len(groups), size=99_000)
    at = {name: np.array([name in g for g in groups])[of] for name in names}
    row = mse_row(mean_errors(beta(99_000, 7), together, o.trials // 2, at), together)
    show("fig8 all groups", row)


def bias(o: argparse.Namespace) -> None:
    """UWA's bias, and that `population` has none: z over runs."""
    worst, shown = 0.0, []
    cases = [("v = 0.9", np.full(10_000, 0.95), [e] * 4) for e in (0.5, 2.0, 4.0)]
    cases += [("Beta(2,5)", beta(10_000, 7), A["A1"]), ("Beta(2,5)", beta(10_000, 7), (2.0, 1.0, 3.0, 2.0))]
    for data, u, epsilons in cases:
        errors = mean_errors(u, named(FOUR, epsilons), o.bias_runs)
        z = {m: float(e.mean() / (e.std(ddof=1) / np.sqrt(len(e)))) for m, e in errors.items()}
        ratio = float(np.mean(errors["population"] ** 2) / np.mean(errors["uwa"] ** 2))
        estimate = {f"mean_{m}": float(errors[m].mean() + 2 * u.mean() - 1) for m in ("uwa", "population")}
        show(
            "bias",
            {
                "data": data,
                "eps": str(tuple(epsilons)),
                "z_uwa": z["uwa"],
                "z_population": z["population"],
                **estimate,
                "mse_ratio": ratio,
            },
        )
        worst = max(worst, abs(z["population"]))
        shown.append((z["uwa"], ratio))
    claim(f"population is unbiased: |z| < 4 over {o.bias_runs} runs", worst < 4, f"largest |z| {worst:.2f}")
    claim("UWA's bias is visible", min(z for z, _ in shown) < -4, f"z down to {min(z for z, _ in shown):.1f}")
    claim(
        "population's MSE at most UWA's in these runs",
        max(r for _, r in shown) <= 1.01,
        f"ratios {min(r for _, r in shown):.3f} to {max(r for _, r in shown):.3f}",
    )


def smoothing(o: argparse.Namespace) -> None:
    """Wasserstein distance of the log-spline against EMS."""
    data = {"Beta(2,5)": beta, "bimodal 0.02": bimodal, "bimodal 0.05": lambda n, s: bimodal(n, s, 0.05)}
    ratios: dict[str, list[float]] = {}
    for name, make in data.items():
        for epsilon in EPSILONS[:: 2 if o.quick else 1]:
            found = {"spline": [], "ems": [], "pooled": []}
            for t in range(o.rounds + 2):
                u = make(o.crowd, t)
                reports, truth = collect(u, named(THREE, [epsilon] * 3), t), histogram(u, 256)
                for kind in ("spline", "ems"):
                    got = fuse.distribution(reports, BUCKETS, smoothing=kind, bootstrap=0)
                    found[kind].append(wasserstein(coarse(got.probabilities), truth))
                pooled = fuse.distribution(reports, BUCKETS, "pooled").probabilities
                found["pooled"].append(wasserstein(coarse(pooled), truth))
            row = {k: float(np.mean(v)) for k, v in found.items()}
            show("smoothing", {"data": name, "eps": epsilon, **row, "ratio": row["ems"] / row["spline"]})
            ratios.setdefault(name, []).append(row["ems"] / row["spline"])
    for name, least in (("Beta(2,5)", 1.2), ("bimodal 0.02", 3.0)):
        r = ratios[name]
        claim(
            f"log-spline at least {least}x closer than EMS on {name}, eps <= 0.6",
            min(r) >= least,
            f"{min(r):.2f}x to {max(r):.2f}x, mean {np.mean(r):.2f}x",
        )


PARTS = {
    "fig4-mean": figure_4_mean,
    "fig4-distribution": figure_4_distribution,
    "fig5-mean": figure_5_mean,
    "fig5-distribution": figure_5_distribution,
    "fig6": figure_6,
    "fig7": figure_7,
    "fig8": figure_8,
    "bias": bias,
    "smoothing": smoothing,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the figures; 0 if every claim holds."""
    parser = argparse.ArgumentParser(prog="benchmarks accuracy fusion", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer people and trials: minutes become seconds")
    parser.add_argument("--only", nargs="*", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--out", default="bench-results/fusion_accuracy.json")
    o = parser.parse_args(argv)
    o.people, o.trials, o.bias_runs = (5_000, 60, 60) if o.quick else (20_000, 200, 200)
    o.crowd, o.rounds = (100_000, 2) if o.quick else (1_000_000, 4)
    claims.clear()
    figures.clear()
    for name in o.only:
        start = time.perf_counter()
        PARTS[name](o)
        print(f"[{name}: {time.perf_counter() - start:.0f} s]", flush=True)
    print("\nclaims")
    for text, holds, figure in claims:
        print(f"  {'yes' if holds else 'NO '}  {text}: {figure}")
    Path(o.out).parent.mkdir(parents=True, exist_ok=True)
    Path(o.out).write_text(json.dumps({"claims": claims, "figures": figures}, indent=1, default=float))
    return 0 if all(holds for _, holds, _ in claims) else 1


if __name__ == "__main__":
    raise SystemExit(main())
