"""`untold`, but the process ends at a named step: KILL_AT names it, KILL_AFTER says how often it may be reached before."""

from __future__ import annotations

import os
import signal
import sys

from untold import cli
from untold.serve.ledger import collector, commits, convert, index, log, merge, steps
from untold.serve.postgres import committer, drain
from untold.serve.relay import batches, mixer


def main(words: list[str]) -> int:
    wanted, left = os.environ.get("KILL_AT"), [int(os.environ.get("KILL_AFTER", "0"))]
    assert wanted is None or wanted in (*steps.STEPS, *steps.DRAIN_STEPS, *steps.MIX_STEPS)

    def reached(step: str) -> None:
        if step == wanted:
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1

    for module in (collector, commits, convert, index, log, merge, steps, committer, drain, batches, mixer):
        module.reached = reached  # type: ignore[attr-defined]
    return cli.main(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
