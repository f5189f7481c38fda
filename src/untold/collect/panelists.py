"""Who takes part in an epoch of a panel when a whole table is perturbed: decided by a secret key, never by data."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256, shake_256
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from untold.device.panels import panel_name
from untold.errors import StoreError
from untold.plan import Plan
from untold.randomness import Randomness, Secure
from untold.store import FolderWriter
from untold.store.folder import PANEL
from untold.store.sealed import sealed, unsealed


@dataclass(frozen=True)
class PanelKey:
    """By which it is decided who takes part; and the one plan that it is for, if an earlier version of this program drew it
    for one plan alone."""

    secret: bytes
    of: str | None = None


@dataclass(frozen=True)
class Panelists:
    """Each person takes part in `report` of every `epochs` epochs, in the same ones whatever is asked and whoever asks.

    The epochs of a person are a function of the key, the panel (of all versions of a plan), the stretch of epochs and the
    person's key as on the wire.
    Words w_1, w_2, ... come from SHAKE-256 of these, and Floyd's algorithm makes a set of them:

        for j = epochs - report, ..., epochs - 1:  t = w mod (j + 1);  take t, or j if t is taken already

    Every set is as likely as any other, up to epochs / 2^64. No data have touched it, so what a report costs stays exact:
    for any two histories a person's reports differ by at most e^epsilon in `report` epochs of a stretch, and else not.
    """

    plan: Plan
    epoch: int
    key: PanelKey

    def among(self, users: pa.Array) -> npt.NDArray[np.bool_]:
        """Which of these people take part."""
        panel = self.plan.panel
        assert panel is not None
        texts = users.cast(pa.string()).to_pylist()
        drawn = b"".join(shake_256(self._prefix + text.encode()).digest(8 * panel.report) for text in texts)
        words = np.frombuffer(drawn, dtype="<u8").reshape(len(texts), panel.report)
        chosen = np.full(words.shape, -1, dtype=np.int64)
        for i, j in enumerate(range(panel.epochs - panel.report, panel.epochs)):
            t = (words[:, i] % np.uint64(j + 1)).astype(np.int64)
            chosen[:, i] = np.where((chosen[:, :i] == t[:, None]).any(axis=1), j, t)
        return np.asarray((chosen == self.epoch % panel.epochs).any(axis=1))

    @cached_property
    def _prefix(self) -> bytes:
        assert self.plan.panel is not None
        stretch = f"{self.key.of or panel_name(self.plan)}/{self.plan.panel.cycle(self.epoch)}"
        return self.key.secret + sha256(stretch.encode()).digest()


def new_key(rng: Randomness | None = None) -> PanelKey:
    """256 random bits."""
    drawn = rng or Secure()
    return PanelKey(b"".join(drawn.word().to_bytes(8, "little") for _ in range(4)))


def key_of(folder: Path, plan: Plan) -> PanelKey | None:
    """The key by which the people of a folder were drawn; None if none was."""
    file = folder / PANEL
    if not file.exists():
        return None
    try:
        found = json.loads(unsealed(file.read_text(encoding="utf-8"), file))
        return PanelKey(bytes.fromhex(found["key"]), found.get("of", plan.id))
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{file} is not the key of a panel.\nHint: restore it from a copy.") from error


def keep_key(writer: FolderWriter, key: PanelKey) -> None:
    """For the owner of the reports alone, before the first of them count."""
    if key_of(writer.path, writer.plan) is None:
        writer.keep_beside(PANEL, sealed(json.dumps({"key": key.secret.hex(), "of": key.of})).encode())
