"""`untold`, but the process ends at a named step: KILL_AT names it, KILL_AFTER says how often it may be reached before."""

from __future__ import annotations

import os
import signal
import sys

from untold import cli
from untold.serve.ledger import collector, commits, convert, index, log, merge, steps
from untold.serve.postgres import committer, drain
from untold.serve.relay import batches, mixer

WANTED, LEFT = os.environ.get("KILL_AT"), [int(os.environ.get("KILL_AFTER", "0"))]


def reached(step: str) -> None:
    if step == WANTED:
        if LEFT[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        LEFT[0] -= 1


if __name__ == "__main__":
    assert WANTED is None or WANTED in (*steps.STEPS, *steps.DRAIN_STEPS, *steps.MIX_STEPS)
    for module in (collector, commits, convert, index, log, merge, steps, committer, drain, batches, mixer):
        module.reached = reached  # type: ignore[attr-defined]
    sys.exit(cli.main(sys.argv[1:]))
