"""`untold`, but the process ends at a named step: KILL_AT names it, KILL_AFTER says how often it may be reached before."""

from __future__ import annotations

import os
import signal
import sys

from untold import cli
from untold.serve.folder import announced, convert, index, log, rolling, storage
from untold.serve.postgres import announced as announced_there
from untold.serve.postgres import commit, drain
from untold.serve.relay import arrivals, leaving, mixer
from untold.serve.reports import forget, merge, segment_rows, steps


def main(words: list[str]) -> int:
    wanted, left = os.environ.get("KILL_AT"), [int(os.environ.get("KILL_AFTER", "0"))]
    known = (
        *steps.STEPS,
        *steps.DRAIN_STEPS,
        *steps.MIX_STEPS,
        *steps.VERSION_STEPS,
        *steps.FORGET_STEPS,
        *steps.LEAVE_STEPS,
    )
    assert wanted is None or wanted in known

    def reached(step: str) -> None:
        if step == wanted:
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1

    changing = (announced, announced_there, forget, leaving)
    storing = (storage, rolling, convert, index, log, segment_rows, merge, steps, commit, drain, arrivals, mixer)
    for module in (*storing, *changing):
        module.reached = reached  # type: ignore[attr-defined]
    return cli.main(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
