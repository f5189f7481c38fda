"""The log that a collector writes: the format is that of `untold.store.logs`."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

from untold.serve.reports.steps import reached
from untold.store import files
from untold.store.logs import CRC, FRAME, FRAME_SIZE, HEAD, HEAD_SIZE, MAGIC, VERSION, log_path


class Log:
    """The log that is being written. One thread writes."""

    def __init__(self, folder: Path, number: int, plan_id: str) -> None:
        self.folder, self.number, self._plan_id = folder, number, bytes.fromhex(plan_id)
        path = log_path(folder, number)
        head = HEAD.pack(MAGIC, VERSION, number, self._plan_id)
        self._file = files.append_to(path)
        try:
            self.size = 0
            self._write(head + CRC.pack(crc32(head)))
            files.sync_data(self._file)
            files.sync_folder(folder)
        except BaseException:
            self._file.close()
            raise

    @property
    def empty(self) -> bool:
        """Whether it holds no frame."""
        return self.size == HEAD_SIZE

    def append(self, payloads: Sequence[bytes]) -> None:
        """Frames, on the disk when this returns. After an error nothing is known: stop, and read the log anew."""
        parts, at = [], self.size
        for payload in payloads:
            head = FRAME.pack(len(payload), crc32(payload))
            parts += [head, CRC.pack(crc32(struct.pack("<Q", at), crc32(head))), payload]
            at += FRAME_SIZE + len(payload)
        self._write(b"".join(parts))
        reached("written")
        files.sync_data(self._file)
        reached("synced")

    def release(self) -> None:
        """Let go of the file, whatever is in it."""
        self._file.close()

    def close(self) -> None:
        """It is finished; an empty log is removed."""
        self.release()
        if self.empty:
            files.remove(log_path(self.folder, self.number))

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            done = files.write(self._file, left)  # type: ignore[arg-type]
            left = left[done:]
        self.size += len(data)
