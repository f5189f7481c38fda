"""Charts are drawn from the results of tests/answers: `from made_up import by_state`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "answers"))
