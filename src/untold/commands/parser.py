"""Arguments, read the same way by all commands: an example in the help, a hint in every refusal."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from difflib import get_close_matches
from math import isfinite
from typing import NoReturn


class Parser(ArgumentParser):
    """argparse that guesses what a misspelled option was meant to be, and accepts no abbreviations."""

    def __init__(self, command: str, about: str, example: str) -> None:
        super().__init__(
            prog=f"untold {command}",
            description=about,
            epilog=f"Example:\n  {example}",
            formatter_class=RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        """Usage, what is wrong, and what to do; exit code 2."""
        unknown = message.removeprefix("unrecognized arguments: ")
        options = [option for action in self._actions for option in action.option_strings]
        close = get_close_matches(unknown.split("=")[0].split()[0], options, n=1) if unknown != message else []
        guess = f" Did you mean {close[0]}?" if close else ""
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: {message}.{guess}\nHint: {self.prog} --help\n")


def count(text: str) -> int:
    """A number of people: 1000000, 1e6, 1_000_000 or 1,000,000.

    >>> count("1e6"), count("20,000")
    (1000000, 20000)
    """
    try:
        number = float(text.replace(",", "").replace("_", ""))
    except ValueError:
        number = float("nan")
    if not isfinite(number) or number < 1:
        raise ArgumentTypeError(f"'{text}' is not a number of people, such as 1000000 or 1e6")
    return int(number)


def share(text: str) -> float:
    """A positive number, or a percentage.

    >>> share("0.05"), share("5%")
    (0.05, 0.05)
    """
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        number = float("nan")
    if not isfinite(number) or number <= 0:
        raise ArgumentTypeError(f"'{text}' is not a positive number, such as 0.05 or 5%")
    return number


def epochs(text: str) -> tuple[int, ...]:
    """Epochs by number and range.

    >>> epochs("0,2-4")
    (0, 2, 3, 4)
    """
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or (dash and int(last) < int(first)):
            raise ArgumentTypeError(f"'{text}' does not name epochs, such as 3 or 0,2-4")
        found += range(int(first), int(last or first) + 1)
    return tuple(found)


def renamings(text: str) -> dict[str, str]:
    """Names of the plan and the columns that hold them; a name alone is its own column.

    >>> renamings("income=Yearly salary,age")
    {'income': 'Yearly salary', 'age': 'age'}
    """
    found: dict[str, str] = {}
    for part in text.split(","):
        name, equals, column = (each.strip() for each in part.partition("="))
        if not name or (equals and not column) or name in found:
            raise ArgumentTypeError(f"'{text}' does not name columns once each, such as income=salary,age=years")
        found[name] = column or name
    return found
