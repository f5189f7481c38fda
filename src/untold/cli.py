"""The command line: `untold COMMAND ...`. Nothing heavy is imported before a command is known to need it."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from io import TextIOWrapper
from typing import NoReturn

from untold.errors import AlreadyReported, UntoldError
from untold.tables.near_miss import closest

REFUSED = 2  # what was asked cannot be done as it was asked
FAILED = 1  # untold itself failed
DONE_ALREADY = 3  # a scheduler may take this as success: these people have reported in this epoch
STOPPED = 130  # by Ctrl-C, as shells count it
PIPE_CLOSED = 141  # the reader went away, as with `| head`

EXAMPLE = """\
Example:
  untold demo
  untold query untold-demo/reports "SELECT state, COUNT(*) AS people FROM users GROUP BY state"

`untold COMMAND --help` explains a command."""


@dataclass(frozen=True)
class Command:
    """A word of the command line, and the function (arguments -> exit code) that it stands for, as module:function."""

    name: str
    function: str
    summary: str

    def load(self) -> Callable[[Sequence[str]], int | None]:
        """Import the function."""
        module, _, name = self.function.partition(":")
        loaded: Callable[[Sequence[str]], int | None] = getattr(import_module(module), name)
        return loaded


COMMANDS = (
    Command("demo", "untold.commands.demo.command:demo_command", "simulate a shop, collect reports, ask them: a tour in seconds"),
    Command("plan", "untold.commands.plan:plan_command", "check a plan file, show it in words, or propose one for a table"),
    Command("forecast", "untold.commands.forecast:forecast_command", "the error a query will have, before anything is collected"),
    Command("perturb", "untold.commands.perturb:perturb_command", "turn a table of records into reports"),
    Command("query", "untold.commands.query:query_command", "ask a folder of reports in SQL"),
    Command("explain", "untold.commands.explain:explain_command", "which views and reports a query uses, and why"),
    Command("index", "untold.commands.index:index_command", "count reports once, so that most queries need no scan"),
    Command("epoch", "untold.commands.epoch:epoch_command", "say on which day an epoch of a folder began"),
    Command("compact", "untold.commands.compact:compact_command", "put small files of a folder together"),
    Command("retire", "untold.commands.retire:retire_command", "remove the reports of old epochs for good"),
    Command("verify", "untold.commands.verify:verify_command", "check every byte of a folder of reports"),
    Command("audit", "untold.commands.audit:audit_command", "try to tell people apart by what a client, yours or ours, sends"),
    Command("conformance", "untold.commands.conformance:conformance_command", "try a client in any language in every way"),
    Command("marginals", "untold.commands.marginals:marginals_command", "shares of all combinations of attributes; synthetic rows"),
    Command("serve", "untold.commands.serve:serve_command", "collect reports over HTTP into a folder"),
    Command("sql-server", "untold.commands.sql_server:sql_server_command", "let BI tools ask a folder (MySQL's protocol)"),
    Command("mcp", "untold.commands.mcp:mcp_command", "let agents ask a folder of reports (Model Context Protocol)"),
    Command("relay", "untold.commands.relay:relay_command", "mix sealed reports for another party's collector"),
    Command("fuse", "untold.commands.fuse:fuse_command", "means and distributions from numbers that services already hold"),
    Command("stream", "untold.commands.stream:stream_command", "release a stream of numbers: values in, private values out"),
    Command("bench", "untold.commands.bench:bench_command", "run the benchmarks of the repository"),
)  # fmt: skip
AT_ONCE = ("query", "forecast", "explain")  # short, and leave nothing open: the process ends when they have printed
BY_NAME = {command.name: command for command in COMMANDS}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; every failure becomes a message on standard error and an exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows no Unicode shows ? instead
    try:
        code = _run(arguments)
        sys.stdout.flush()
        return code
    except SystemExit as stopped:  # argparse has said why
        return stopped.code if isinstance(stopped.code, int) else 0 if stopped.code is None else REFUSED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains when it ends
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return _say("\nStopped.", STOPPED)
    except Exception as error:
        if os.environ.get("UNTOLD_DEBUG"):
            raise
        if isinstance(error, AlreadyReported):
            return _say(str(error), DONE_ALREADY)
        if isinstance(error, UntoldError):
            return _say(str(error), REFUSED)
        if isinstance(error, OSError):
            about = f"{error.filename}: " if error.filename is not None else ""
            return _say(f"{about}{error.strerror or error}.", REFUSED)
        return _say(
            f"untold failed: {type(error).__name__}: {error}\n"
            "Hint: this should not happen. UNTOLD_DEBUG=1 in the environment shows where; please report it.",
            FAILED,
        )


def run() -> NoReturn:
    """The command as a process of its own. Most of what it loads stays: looking for garbage in it is in vain."""
    gc.set_threshold(400_000, 20, 100)
    short = bool(sys.argv[1:2]) and sys.argv[1] in AT_ONCE
    if short:
        os.environ.setdefault(
            "OPENBLAS_NUM_THREADS", "1"
        )  # its products are small: on a busy machine threads only wait
    code = main()
    if short and threading_ended():
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(
            code
        )  # a thousand modules are not taken apart one by one, which would take a tenth of a question's time
    sys.exit(code)


def threading_ended() -> bool:
    """Whether nobody else works in this process."""
    threading = sys.modules.get("threading")
    return threading is None or threading.active_count() == 1


def overview() -> str:
    """One line per command, and an example."""
    lines = [f"  {command.name:<12}{command.summary}" for command in COMMANDS]
    head = ["SQL answers from data that nobody disclosed.", "", "usage: untold COMMAND ...", "", "Commands:"]
    return "\n".join([*head, *lines, "", EXAMPLE])


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        if arguments[1:2] and arguments[1] in BY_NAME:
            return BY_NAME[arguments[1]].load()(["--help"]) or 0
        print(overview())
        return 0
    if arguments[0] in ("-V", "--version", "version"):
        from untold import __version__

        print(f"untold {__version__}")
        return 0
    name, rest = arguments[0], arguments[1:]
    if name in BY_NAME:
        return BY_NAME[name].load()(rest) or 0
    near = closest(name, BY_NAME)
    hint = f"Did you mean 'untold {near}'?" if near else f"There are: {', '.join(BY_NAME)}."
    return _say(f"untold: there is no command '{name}'. {hint}\nHint: untold --help", REFUSED)


def _say(message: str, code: int) -> int:
    print(message, file=sys.stderr)
    return code


if __name__ == "__main__":
    run()
