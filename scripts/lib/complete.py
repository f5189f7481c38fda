"""complete.py SOURCES WHEEL...: every wheel has every file below the sources, and nothing else but its own description."""

from __future__ import annotations

import sys
from pathlib import Path
from zipfile import ZipFile

sources = Path(sys.argv[1])
wanted = {path.relative_to(sources).as_posix() for path in sources.rglob("*") if path.is_file()}
wanted = {name for name in wanted if ".egg-info/" not in name and "__pycache__" not in name}
for wheel in sys.argv[2:]:
    names = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    if names != wanted:
        raise SystemExit(f"{wheel} lacks {sorted(wanted - names)} and has too much: {sorted(names - wanted)}")
print(f"complete: {len(wanted)} files")
