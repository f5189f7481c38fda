"""The tour: one person, everybody, eight questions, one page."""

from __future__ import annotations

import shutil
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from time import perf_counter

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from untold.ask.connection import connect
from untold.ask.dashboard.improved import improved_plan
from untold.collect.perturb import perturb
from untold.commands.demo.compare import Compared, compare
from untold.commands.demo.page import demo_page
from untold.commands.demo.people import people
from untold.commands.demo.person import Sent, send
from untold.commands.demo.questions import QUESTIONS
from untold.commands.demo.speech import Speaker
from untold.device.client import Client
from untold.errors import UntoldError
from untold.plan import Plan
from untold.plan.schema.service import DEFAULT_UNDECLARED, Declared
from untold.store.addresses import local_path

PAGE = "demo.html"
OURS = (
    "reports",
    "people",
    "shop.toml",
    "serve.log",
    "relay",
    "relay.log",
    "today",
    "today.toml",
    "made",
    "made.json",
    PAGE,
)  # what a tour leaves behind, and takes away when it is repeated
FEWEST = 1000  # people
SOMEBODY = 1  # the person who is shown


def tour(n: int, out: str | Path) -> Path:
    """Simulate n people, collect, ask; print as we go. Returns the page."""
    if n < FEWEST:
        raise UntoldError(
            f"{n:,} people are too few to hide in, or to say anything about.\nHint: untold demo --users {FEWEST}"
        )
    start = perf_counter()
    folder = make_room(Path(out))
    say = Speaker()
    (folder / "shop.toml").write_bytes(files("untold.commands.demo").joinpath("shop.toml").read_bytes())
    plan = Plan.load(folder / "shop.toml")
    users, transactions = people(n)

    say.begin(n)
    record, bought, sent = _somebody(plan, users, transactions)
    say.person(plan, record, bought, sent)

    (folder / "people").mkdir()
    pq.write_table(users, folder / "people" / "users.parquet")
    pq.write_table(transactions, folder / "people" / "transactions.parquet")
    begun = perf_counter()
    perturb(plan, "users", users, out=folder / "reports")
    perturb(plan, "transactions", transactions, population=users.select(["uid"]), out=folder / "reports")
    say.collected(
        n, sum(p.stat().st_size for p in (folder / "reports").rglob("*.parquet")), perf_counter() - begun, folder
    )

    _collect_for_questions(plan, folder, users, transactions)
    con, made = connect(folder / "reports"), connect(folder / "made")
    con.index()
    done: list[Compared] = []
    for number, asked in enumerate(QUESTIONS, 1):
        done.append(compare(con, made, asked, users, transactions))
        say.answered(number, done[-1])
    con.close()
    made.close()
    page = folder / PAGE
    page.write_text(demo_page(plan, record, bought, sent, done), encoding="utf-8")
    say.end(done, page, folder, perf_counter() - start)
    return page


def _collect_for_questions(plan: Plan, folder: Path, users: pa.Table, transactions: pa.Table) -> None:
    """The same people once more, under a plan that was made for the eight questions."""
    asked = [Declared(each.sql, 1.0) for each in QUESTIONS]
    made = improved_plan(replace(plan, schema=replace(plan.schema, people=users.num_rows)), asked, DEFAULT_UNDECLARED)
    (folder / "made.json").write_text(made.to_json(), encoding="utf-8")
    perturb(made, "users", users, out=folder / "made")
    perturb(made, "transactions", transactions, population=users.select(["uid"]), out=folder / "made")


def _somebody(
    plan: Plan, users: pa.Table, transactions: pa.Table
) -> tuple[dict[str, object], list[dict[str, object]], list[Sent]]:
    """(record, purchases, reports) of one person, made on a device of their own."""
    record = users.slice(SOMEBODY, 1).to_pylist()[0]
    key = record.pop("uid")
    bought = transactions.filter(pc.equal(transactions["uid"], key)).drop_columns("uid").to_pylist()
    device = Client(plan, user=key)
    return record, bought, [send(device, "users", [record]), send(device, "transactions", bought)]


def make_room(folder: Path) -> Path:
    """An empty folder; an earlier tour in it goes, anything else stays."""
    folder = local_path(folder, "give a folder")
    if folder.is_file():
        raise UntoldError(f"{folder} is a file.\nHint: untold demo --out another-folder")
    found = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if found - set(OURS):
        raise UntoldError(
            f"{folder} has other things in it ({sorted(found - set(OURS))[0]}), which the demo does not touch.\n"
            "Hint: untold demo --out another-folder"
        )
    for name in found:
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    return folder
