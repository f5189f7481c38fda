"""Names of result columns: each once, and found without trying all that are taken."""

from __future__ import annotations

import sqlglot

from untold.ask.sql.results.output_names import OutputNames


class Counted(set[str]):
    """A set that counts how often it is asked."""

    asked = 0

    def __contains__(self, name: object) -> bool:
        Counted.asked += 1
        return super().__contains__(name)


def names_of(select: str, names: OutputNames) -> list[str]:
    return [names.name(item) for item in sqlglot.parse_one(select, read="duckdb").expressions]


def test_every_name_is_there_once() -> None:
    given = "SELECT 1, age, 1, COUNT(*), AGE, 1 AS age_1, age, COUNT(*) AS n, 1"
    wanted = ["1", "age", "1_1", "count_star()", "AGE_1", "age_2", "n", "1_2"]
    assert names_of(given.replace("1 AS age_1, ", ""), OutputNames()) == wanted


def test_names_of_errors_are_taken() -> None:
    names = OutputNames()
    assert names_of("SELECT COUNT(*) AS n", names) == ["n"]
    names.take_errors_of("n")
    assert names_of("SELECT n_se, n_LOW", names) == ["n_se_1", "n_LOW_1"]


def test_thousands_of_columns_of_one_name_take_as_many_looks() -> None:
    """A text of 15,000 times `1,` held a process for minutes, in a loop that no deadline could interrupt."""
    names, many = OutputNames(), 3000
    names._taken, Counted.asked = Counted(), 0
    found = names_of("SELECT " + ", ".join(["1"] * many), names)
    assert len(set(found)) == many
    assert Counted.asked <= 3 * many
