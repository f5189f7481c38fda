"""The command line reference: what each parser says of itself."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager

from untold.cli import COMMANDS
from untold.commands.parser import Parser, variable
from untold.commands.serve import HELPERS

# words after a command that have parsers of their own
DEEPER = {"plan": ("init", "improve", "diff", "dossier"), "serve": tuple(HELPERS)}
WITHOUT = ("bench",)  # finds its options among the benchmarks of a clone


class Found(Exception):
    """Carries a parser out of its command."""


@contextmanager
def caught() -> Iterator[None]:
    """Parsers give themselves away instead of reading arguments."""

    def give(parser: Parser, *_: object, **__: object) -> None:
        raise Found(parser)

    before = Parser.parse_args
    Parser.parse_args = give  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        Parser.parse_args = before  # type: ignore[method-assign]


def parsers() -> Iterator[tuple[str, str, Parser]]:
    """Every command with its summary and its parser."""
    for command in COMMANDS:
        if command.name in WITHOUT:
            continue
        for words in ((), *((word,) for word in DEEPER.get(command.name, ()))):
            with caught():
                try:
                    command.load()([*words])
                except Found as found:
                    yield " ".join((command.name, *words)), command.summary if not words else "", found.args[0]


def options(parser: Parser) -> Iterator[str]:
    """A table with a line for each argument, and its name in the environment where it may stand there."""
    yield f"| argument |{' in the environment |' * parser.from_environment} meaning |"
    yield f"| --- |{' --- |' * parser.from_environment} --- |"
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction):
            continue
        value = f" {_value(action)}" if action.option_strings and action.nargs != 0 else ""
        name = ", ".join(f"`{each}{value}`" for each in action.option_strings) or f"`{action.dest}`"
        told = " ".join(
            ((action.help or "") % {"default": action.default}).replace("|", "\\|").replace("<", "&lt;").split()
        )
        if parser.from_environment:
            name += f" | `{variable(action)}`" if variable(action) else " | "
        yield f"| {name} | {told}{' (required)' if action.option_strings and action.required else ''} |"


def _value(action: argparse.Action) -> str:
    if action.metavar is not None:
        return action.metavar if isinstance(action.metavar, str) else " ".join(action.metavar)
    return " or ".join(map(str, action.choices)) if action.choices else action.dest.upper()


def command_line() -> str:
    """A section for each command."""
    os.environ.setdefault("COLUMNS", "100")
    lines: list[str] = []
    for name, summary, parser in parsers():
        about = " ".join((parser.description or "").split())
        example = (parser.epilog or "").removeprefix("Example:\n").strip()
        lines += [
            f"## untold {name}",
            "",
            *([f"*{summary[0].upper()}{summary[1:]}.*", ""] if summary else []),
            about,
            "",
        ]
        lines += [*options(parser), ""]
        lines += [
            "For example:",
            "",
            "<!-- not run: a line of the command's own help; the guides run it -->",
            "```sh",
            example,
            "```",
            "",
        ]
    return "\n".join(lines)
