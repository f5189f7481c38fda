"""Arguments, read the same way by all commands: an example in the help, a hint in every refusal."""

from __future__ import annotations

import os
import sys
from argparse import Action, ArgumentError, ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from math import isfinite
from typing import Any, NoReturn

from untold.errors import UntoldError

SWITCHES = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


class Parser(ArgumentParser):
    """argparse that guesses what a misspelled option was meant to be, and accepts no abbreviations.

    from_environment   an option that is not given may stand in the environment: --sql-port as UNTOLD_SQL_PORT
    """

    def __init__(self, command: str, about: str, example: str, from_environment: bool = False) -> None:
        self.from_environment = from_environment
        super().__init__(
            prog=f"untold {command}",
            description=about,
            epilog=f"Example:\n  {example}",
            formatter_class=RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Namespace:  # type: ignore[override]
        """What was given, on the command line or (where this command reads it) in the environment."""
        if self.from_environment:
            self._take_defaults(os.environ, sys.argv[1:] if args is None else args)
        found: Namespace = super().parse_args(args, namespace)
        return found

    def _take_defaults(self, environment: Mapping[str, str], args: Sequence[str]) -> None:
        said = {arg.partition("=")[0] for arg in args}
        for action in self._actions:
            name = variable(action)
            text = "" if name is None else environment.get(name, "")
            if text == "" or said & set(action.option_strings):
                continue
            action.default, action.required = self._from_text(action, text), False
            if not action.option_strings:
                action.nargs = "?"

    def _from_text(self, action: Action, text: str) -> Any:
        """The value of a variable; a switch is 1 or 0, and what may be given several times is separated by commas."""
        name = variable(action)
        if action.nargs == 0:
            if text.lower() not in SWITCHES:
                raise UntoldError(f"{name}={text}: 1 or 0 is needed.")
            return SWITCHES[text.lower()]
        several = isinstance(action.default, list)
        try:
            values = [self._get_value(action, each.strip()) for each in (text.split(",") if several else [text])]
            for value in values:
                self._check_value(action, value)
        except ArgumentError as error:
            raise UntoldError(
                f"{name}={text}: {error.message}.\nHint: it stands for {(*action.option_strings, action.dest)[0]}. "
                "Kubernetes sets such names for services of its own: enableServiceLinks: false in the pod."
            ) from error
        return values if several else values[0]

    def error(self, message: str) -> NoReturn:
        """Usage, what is wrong, and what to do; exit code 2."""
        unknown = message.removeprefix("unrecognized arguments: ")
        options = [option for action in self._actions for option in action.option_strings]
        close = get_close_matches(unknown.split("=")[0].split()[0], options, n=1) if unknown != message else []
        guess = f" Did you mean {close[0]}?" if close else ""
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: {message}.{guess}\nHint: {self.prog} --help\n")


def variable(action: Action) -> str | None:
    """The name in the environment that stands for an option, or for the plan file; None for other words of a command."""
    if action.dest == "help" or not (action.option_strings or action.dest == "plan"):
        return None
    name = next((each for each in action.option_strings if each.startswith("--")), action.dest)
    return "UNTOLD_" + name.lstrip("-").replace("-", "_").upper()


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


def part(text: str) -> float:
    """A number from 0 to below 1.

    >>> part("0"), part("0.2")
    (0.0, 0.2)
    """
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not 0 <= number < 1:
        raise ArgumentTypeError(f"'{text}' is not a number from 0 to below 1, such as 0.2")
    return number


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
