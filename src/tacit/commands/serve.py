"""tacit serve"""

from __future__ import annotations

from collections.abc import Sequence

from tacit.commands.inputs import read_plan
from tacit.commands.parser import Parser
from tacit.errors import TacitError


def serve_command(argv: Sequence[str]) -> int:
    """Run the collector, or one of its helpers."""
    helpers = {"token": token_command}
    if argv and argv[0] in helpers:
        return helpers[argv[0]](argv[1:])
    parser = Parser(
        "serve",
        "Collect reports over HTTP into a folder. `tacit serve token` prints tokens.",
        "tacit serve shop.toml --data reports/",
    )
    parser.add_argument("plan", help="a plan file")
    parser.add_argument("--data", required=True, metavar="FOLDER", help="the folder that the reports are added to")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="the port to listen on (default 8000)")
    parser.add_argument("--user-key", choices=("text", "integer"), help="how user keys are stored (default text)")
    parser.add_argument(
        "--public", action="append", default=[], metavar="COLUMN=TYPE", help="type of a public column (default text)"
    )
    given = parser.parse_args(argv)
    public = dict(_pair(each) for each in given.public)
    plan = read_plan(given.plan)

    from tacit.serve.collector import Collector
    from tacit.serve.run import run

    with Collector(plan, given.data, given.user_key, public) as collector:
        return run(collector, given.host, given.port)


def token_command(argv: Sequence[str]) -> int:
    """Print a token."""
    parser = Parser(
        "serve token", "Print the token of a device or of a role.", "tacit serve token device u-17 --data reports/"
    )
    parser.add_argument("role", choices=("device", "gateway", "analyst", "operator"))
    parser.add_argument("user", nargs="?", help="the user key, for a device")
    parser.add_argument("--data", required=True, metavar="FOLDER", help="the folder of the collector")
    given = parser.parse_args(argv)
    if (given.role == "device") != (given.user is not None):
        parser.error("a device needs its user key, and only a device has one")

    from pathlib import Path

    from tacit.serve.settings import HOME, Secrets, Settings

    home = Path(given.data) / HOME
    tokens = Secrets.load(home).tokens
    settings = Settings.load(home) or Settings()
    print(tokens.role(given.role) if given.user is None else tokens.device(settings.user_key, given.user))
    return 0


def _pair(text: str) -> tuple[str, str]:
    name, equals, kind = text.partition("=")
    if not equals:
        raise TacitError(f"--public {text}: COLUMN=TYPE is needed, such as --public os=text.")
    return name, kind
