"""Helpers of one test folder can be imported from all others: `from exact import worst_ratio`."""

import sys
from pathlib import Path

for folder in ("privacy", "answers", "sql", "engines", "vectors", "serve"):
    sys.path.insert(0, str(Path(__file__).parent / folder))
