"""The types of arrays that loops and oracles hand to each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Cells = npt.NDArray[np.integer[Any]]
Floats = npt.NDArray[np.float64]
