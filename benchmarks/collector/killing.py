"""`untold`, but the process ends at a named step: KILL_AT names it, KILL_AFTER says how often it may be reached before."""

from __future__ import annotations

import os
import signal
import sys

from untold import cli
from untold.serve.folder import convert, index, log, rolling, storage
from untold.serve.postgres import commit, drain
from untold.serve.relay import arrivals, mixer
from untold.serve.reports import merge, segment_rows, steps


def main(words: list[str]) -> int:
    wanted, left = os.environ.get("KILL_AT"), [int(os.environ.get("KILL_AFTER", "0"))]
    assert wanted is None or wanted in (*steps.STEPS, *steps.DRAIN_STEPS, *steps.MIX_STEPS)

    def reached(step: str) -> None:
        if step == wanted:
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1

    for module in (storage, rolling, convert, index, log, segment_rows, merge, steps, commit, drain, arrivals, mixer):
        module.reached = reached  # type: ignore[attr-defined]
    return cli.main(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
