"""A virtual environment for the peer libraries, so that their needs never meet ours: .venv-peers."""

from __future__ import annotations

import subprocess
import sys
import venv
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLACE = HERE.parent.parent / ".venv-peers"
REQUIREMENTS = HERE / "requirements.txt"


def peers_python() -> Path:
    """The peers' interpreter, installed on first use and again when its requirements change."""
    python = PLACE / "bin" / "python"
    stamp = PLACE / ".installed"
    wanted = sha256(REQUIREMENTS.read_bytes() + f"{PLACE} {sys.version}".encode()).hexdigest()
    if not (python.exists() and stamp.exists() and stamp.read_text() == wanted):
        print("Making .venv-peers and installing the peer libraries, once.", file=sys.stderr, flush=True)
        venv.create(PLACE, clear=True, with_pip=True)
        quiet = ["--quiet", "--quiet", "--disable-pip-version-check"]
        subprocess.run([python, "-m", "pip", "install", *quiet, "-r", REQUIREMENTS], check=True)
        stamp.write_text(wanted)
    return python
