"""Run a timing script of a peer inside the peers' environment: python -m benchmarks.peers.run pure_ldp"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from benchmarks.peers.env import HERE, peers_python

SCRIPTS = {path.stem.removesuffix("_timing"): path for path in sorted(HERE.glob("*_timing.py"))}


def run(name: str) -> dict[str, Any]:
    """What <name>_timing.py measured. It runs without our packages in sight; its complaints go to our stderr."""
    if name not in SCRIPTS:
        raise ValueError(f"no timing script for {name!r}; there are {', '.join(SCRIPTS)}")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    command = [peers_python(), SCRIPTS[name]]
    result = subprocess.run(command, cwd=HERE, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    measured: dict[str, Any] = json.loads(result.stdout)
    return measured


if __name__ == "__main__":
    for name in sys.argv[1:] or SCRIPTS:
        print(json.dumps(run(name), indent=2))
