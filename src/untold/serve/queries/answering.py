"""Requests of analysts, answered from a folder of reports. Their text is parsed and checked; no engine ever sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from untold.answers.numbers import json_value
from untold.ask.connection import Connection, connect
from untold.ask.connection.introspection import introspected, is_show_budget
from untold.ask.connection.tables import tables_of
from untold.ask.estimates.estimate import check_confidence
from untold.ask.forecast import forecast as forecasts
from untold.ask.forecast.errors_wanted import relative
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.compile import compile_question
from untold.ask.sql.facts import UNREAD
from untold.ask.sql.parameters import read_parameters
from untold.ask.sql.unions.questions import questions
from untold.errors import HINT, StoreError, UnsupportedQuery, UntoldError
from untold.plan import Plan
from untold.serve.queries.about import about
from untold.serve.queries.faults import Fault, too_large
from untold.serve.queries.formats import FORMATS
from untold.serve.queries.frames import Reply, as_json
from untold.serve.queries.limits import QueryLimits
from untold.store.epoch_dates import read_dates
from untold.store.folder import read_plan
from untold.store.manifest import NAME

Request = Mapping[str, Any]
Epochs = tuple[int, ...] | None
MOST_EPOCHS = 1000
MOST_CONNECTIONS = 4  # that a process keeps: one for each choice of epochs


@dataclass
class Source:
    """A folder that grows while it is asked: opened again when its manifest has changed."""

    path: Path
    limits: QueryLimits
    _seen: tuple[int, int] | None = field(default=None, init=False)
    _connections: dict[Epochs, Connection] = field(default_factory=dict, init=False)
    _plan: Plan | None = field(default=None, init=False)

    @property
    def plan(self) -> Plan:
        """The plan, which never changes."""
        if self._plan is None:
            self._plan = read_plan(self.path)
        return self._plan

    def connection(self, epochs: Epochs) -> Connection:
        """Asks the reports of these epochs (None: of all) that the manifest lists now."""
        file = self.path / NAME
        seen = (stat.st_mtime_ns, stat.st_ino) if (stat := file.stat() if file.exists() else None) else None
        if seen != self._seen or len(self._connections) >= MOST_CONNECTIONS:
            for connection in self._connections.values():
                connection.close()
            self._connections, self._seen = {}, seen
        if epochs not in self._connections:
            half = self.limits.megabytes // 2  # the rest is for Python
            self._connections[epochs] = connect(
                self.path, epochs=epochs, summaries="in memory", threads=1, megabytes=half
            )
        return self._connections[epochs]


def query(source: Source, asked: Request) -> Reply:
    """The answer in the form that was asked for."""
    confidence = asked.get("confidence", 0.95)
    form = asked.get("format", "json")
    check_confidence(confidence)
    if form not in FORMATS:
        raise UntoldError(f"format is not one of {', '.join(FORMATS)}.")
    plausible, sample = (_switch(asked, name) for name in ("plausible", "sample"))
    con = source.connection(_epochs(asked.get("epochs")))
    given = asked.get("parameters")
    together = None if asked.get("simultaneous") is None else _switch(asked, "simultaneous")
    answer = con.sql(
        asked["sql"],
        confidence=confidence,
        plausible=plausible,
        sample=sample,
        parameters=given,
        simultaneous=together,
    )
    return FORMATS[form](answer, source.limits.rows)


def _switch(asked: Request, name: str) -> bool:
    found = asked.get(name, False)
    if not isinstance(found, bool):
        raise UntoldError(f"{name} is true or false.")
    return found


def _epochs(asked: Any) -> Epochs:
    if asked is None:
        return None
    if not isinstance(asked, list) or not 0 < len(asked) <= MOST_EPOCHS or any(type(e) is not int for e in asked):
        raise UntoldError(f"epochs is a list of 1 to {MOST_EPOCHS} integers; leave it out to ask all epochs.")
    return tuple(sorted(set(asked)))


def check(source: Source, asked: Request) -> Reply:
    """Whether a text can be answered under this plan; nothing is read for it."""
    sql, values = asked["sql"], read_parameters(asked["sql"], asked.get("parameters"))
    if not is_show_budget(sql) and introspected(sql, tables_of(source.plan), source.plan.name, values) is None:
        dates = read_dates(source.path)
        for each in questions(sql, source.plan, dates=dates, values=values, facts=UNREAD):
            compile_question(each, source.plan, ESTIMATORS["blue"])
    return as_json({"ok": True})


def forecast(source: Source, asked: Request) -> Reply:
    """The errors to expect from so many users: from the plan alone, or from the reports that are there."""
    users = asked.get("users")
    if not isinstance(users, int | float) or isinstance(users, bool) or not 1 <= users <= 1e12:
        raise UntoldError("users is how many people report, a number from 1 to 1e12, such as 1000000.")
    sample, reports = (_switch(asked, name) for name in ("sample", "reports"))
    if sample and reports:
        raise UntoldError("a forecast from reports takes nobody as a sample: leave out reports, or sample.")
    if reports:
        found = source.connection(_epochs(asked.get("epochs"))).forecast(asked["sql"], users=users)
    else:
        dates = read_dates(source.path)
        found = forecasts.forecast(source.plan, asked["sql"], users=users, dates=dates, sample=sample)
    columns = [
        {
            "name": c.name,
            "se": json_value(c.se),
            "grows": c.grows,
            "share": json_value(relative(c, found.users)),
            "share_of": c.share_of,
            "factor": json_value(c.factor),
        }
        for c in found.columns
    ]
    return as_json({"users": found.users, "groups": found.groups, "assumptions": found.assumptions, "columns": columns})


def explain(source: Source, asked: Request) -> Reply:
    """Which views and reports a query uses; none is read."""
    return as_json({"text": source.connection(None).explain(asked["sql"], parameters=asked.get("parameters"))})


def state(source: Source, asked: Request) -> Reply:
    """A statement in MySQL's dialect, from a connection that has set what `session` says."""
    from untold.serve.statements.replies import SYNTAX, Refused, Session
    from untold.serve.statements.statement import statement

    try:
        return as_json(statement(source.connection(None), asked["sql"], Session(**asked["session"])))
    except RecursionError:
        return as_json({"refused": SYNTAX, "message": "The statement is nested too deeply. Write it flatter."})
    except Refused as refused:
        return as_json({"refused": refused.code, "message": str(refused)})


def tell_about(source: Source, asked: Request) -> Reply:
    """What there is to ask."""
    return as_json(about(source.plan, source.path, source.limits))


CODES = (
    (UnsupportedQuery, "unsupported-query"),
    (StoreError, "no-reports"),
    (UntoldError, "bad-request"),
)  # first that fits
KINDS: dict[str, Callable[[Source, Request], Reply]] = {
    "about": tell_about,
    "query": query,
    "check": check,
    "forecast": forecast,
    "explain": explain,
    "statement": state,
}


def answer(source: Source, kind: str, asked: Request) -> Reply:
    """The reply to a request, refusals included."""
    try:
        return KINDS[kind](source, asked)
    except UntoldError as error:
        return fault_of(asked.get("sql", ""), error).reply()
    except MemoryError:
        return too_large(source.limits).reply()


def fault_of(sql: str, error: UntoldError) -> Fault:
    """An error as the page shows it: without the drawn underline, which the page makes itself."""
    said = str(error).partition(HINT)[0]
    code = next(code for kind, code in CODES if isinstance(error, kind))
    if not isinstance(error, UnsupportedQuery):
        return Fault(code, said, error.hint)
    if error.span is None:
        return Fault(code, said, error.hint, reason=error.code)
    fault = Fault.at(sql, error.span, code, "\n".join(said.split("\n")[:-2]), error.hint)
    return replace(fault, reason=error.code)
