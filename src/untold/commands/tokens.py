"""`untold serve token` and `tokens`: who may report, ask, relay and operate."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from time import time

from untold.commands.ledgers import changing_access, changing_analysts, check_writer, told
from untold.commands.operate import beside
from untold.errors import UntoldError

NAMED_ROLES, SHARED_ROLES = ("gateway", "relay", "operator"), ("gateway", "relay")
LONGEST_DAYS = 36_500


def token_command(argv: Sequence[str]) -> int:
    """Print a token."""
    parser = beside(
        "serve token", "Print the token of a device or of a role.", "untold serve token device u-17 --data reports/"
    )
    parser.add_argument(
        "role",
        choices=("device", "gateway", "analyst", "operator", "relay"),
        help="who will use it: device (reports of one person), gateway (reports of many), analyst (asks in SQL), operator "
        "(epochs, flush, metrics) or relay (mixes)",
    )
    parser.add_argument("user", nargs="?", help="the user key, for a device")
    given = parser.parse_args(argv)
    if (given.role == "device") != (given.user is not None):
        parser.error("a device needs its user key, and only a device has one")

    secrets, settings, analysts = told(given)
    tokens = secrets.tokens
    if given.role == "analyst" and not analysts.shared:
        raise UntoldError("the token for all analysts was revoked.\nHint: untold serve tokens add NAME --data FOLDER.")
    with changing_access(given) as (access, _):
        if given.role in access.ended:
            raise UntoldError(
                f"the token that all {given.role}s share was revoked.\n"
                f"Hint: untold serve tokens add NAME --role {given.role} --data FOLDER."
            )
        if given.user is not None and secrets.device_mark(given.user) in access.devices:
            raise UntoldError(
                f"devices of {given.user} may not report.\nHint: untold serve tokens add --device {given.user} --data FOLDER."
            )
    print(tokens.role(given.role) if given.user is None else tokens.device(settings.user_key, given.user))
    return 0


def tokens_command(argv: Sequence[str]) -> int:
    """Give people and programs tokens of their own, and take them back."""
    parser = beside(
        "serve tokens",
        "Names, each with a token of its own. It is shown once: only its hash is stored. A revoked one ends within a second, "
        "whether the collector runs or not. Analysts ask in SQL; with --role a name may do something else. 'analyst', 'gateway' "
        "and 'relay' are what `untold serve token` prints; revoked, these are over. With --device, the devices of one user may "
        "not report any more (revoke), or may again (add).",
        "untold serve tokens add ada --data reports/",
    )
    parser.add_argument("action", choices=("add", "list", "revoke"), help="add, list or revoke")
    parser.add_argument("name", nargs="?", help="whose token, to add or to revoke")
    parser.add_argument(
        "--role", choices=("analyst", *NAMED_ROLES), default="analyst", help="what the name may do (default: analyst)"
    )
    parser.add_argument("--days", type=float, metavar="N", help="the token ends by itself after so many days")
    parser.add_argument("--device", metavar="USER", help="the user whose devices may not, or may, report")
    given = parser.parse_args(argv)
    if (given.action == "list") != (given.name is None and given.device is None):
        parser.error("add and revoke need a name or --device, list has none")
    if given.name is not None and given.device is not None:
        parser.error("a name or --device, not both")
    if given.days is not None and (given.action != "add" or not 0 < given.days < LONGEST_DAYS):
        parser.error(f"--days is for add, above 0 and below {LONGEST_DAYS:,}")

    told(given)  # or say that there is no collector
    if given.action != "list":
        check_writer(given)
    print("\n".join(_devices(given) if given.device is not None else _named(given)))
    return 0


def _named(given: Namespace) -> Sequence[str]:
    """What is done about a name, in words."""
    from untold.serve.analysts import new_token

    token, until = new_token(), None if given.days is None else int(time() + 86_400 * given.days)
    with changing_access(given) as (access, save_access):
        others = {*access.named, *SHARED_ROLES} - {*access.ended}
        if given.action == "add" and given.role != "analyst":
            save_access(access.added(given.name, given.role, token, until))
            return [token]
        if given.action == "revoke" and given.name in others:
            save_access(access.revoked(given.name))
            return [f"revoked: {given.name}"]
        if given.action == "add" and given.name in others:
            raise UntoldError(f"'{given.name}' has a token already.\nHint: revoke it, then add it again.")
        listed = [f"{name} ({each.role}{_until(each.until)})" for name, each in sorted(access.named.items())]
        listed += [f"{role}: the shared token is revoked" for role in access.ended]
        listed += [f"devices of {len(access.devices)} users may not report"] if access.devices else []
    with changing_analysts(given) as (known, save):
        if given.action == "add":
            save(known.added(given.name, token, until))
        elif given.action == "revoke":
            save(known.revoked(given.name))
        names = [f"{name}{_until(known.until.get(name))}" for name in known.names]
    return {"add": [token], "list": [*names, *listed], "revoke": [f"revoked: {given.name}"]}[given.action]


def _until(end: int | None) -> str:
    return "" if end is None else f", until {datetime.fromtimestamp(end, UTC):%Y-%m-%d %H:%M} UTC"


def _devices(given: Namespace) -> Sequence[str]:
    secrets, _, _ = told(given)
    mark = secrets.device_mark(given.device)
    with changing_access(given) as (access, save):
        save(access.readmitted(mark) if given.action == "add" else access.without(mark))
    return [f"devices of {given.device} {'may report' if given.action == 'add' else 'may not report any more'}"]
