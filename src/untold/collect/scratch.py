"""DuckDB as scratch paper: groups, sorts and joins more rows than fit into memory, and leaves nothing behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import ENOSPC
from pathlib import Path
from shutil import disk_usage
from typing import Any

from untold.collect.pool import threads
from untold.collect.private import private_folder
from untold.errors import UntoldError
from untold.tables.duckdb_settings import apply_settings

LEAST, MOST = 512, 2048  # megabytes, whatever the machine has
PER_THREAD = 128  # megabytes that each needs for itself, before anything goes to disk
NEARLY_FULL = 1 << 24  # bytes: less than this is free on a disk that cannot take more


def megabytes(machine: int) -> int:
    """Memory for one sheet of scratch paper: a quarter of what the machine lets this process have, within limits.

    What does not fit goes to disk. 10 million people with as many rows were grouped with 200 MB, and `perturb` took 0.8 GB in
    all; with 51 MB they were not. So MOST does for about 100 million, in less than 4 GB.

    >>> megabytes(1_000), megabytes(4_000), megabytes(256_000)
    (512, 1000, 2048)
    """
    return min(max(machine // 4, LEAST), MOST)


def machine_megabytes() -> int:
    """The memory of this machine, or of the container around this process where that is less."""
    found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20]
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):
            found.append(int(Path(limit).read_text()) >> 20)
    return min(found)


@contextmanager
def translate_failures(limit: int, folder: Path) -> Iterator[None]:
    """Want of memory or of disk in words. What else fails is not about scratch paper, and goes on as it is."""
    import duckdb

    try:
        yield
    except (duckdb.OutOfMemoryException, duckdb.IOException, OSError) as error:
        wanting = what_is_wanting(error, limit, folder)
        if wanting is None:
            raise
        raise UntoldError(
            f"sorting and grouping the rows: {wanting}. Nothing was collected.\n  {str(error).splitlines()[0]}\n"
            "Hint: rows that do not fit into memory go to the temporary folder: name a larger disk with TMPDIR, give the "
            "machine more memory, or perturb on Spark (docs/spark.md)."
        ) from error


def what_is_wanting(error: Exception, limit: int, folder: Path) -> str | None:
    """Memory, or disk; None if neither. DuckDB says "offload" where it cannot move more from memory to disk."""
    import duckdb

    disk = f"the disk of {folder.parent} is full"
    if isinstance(error, duckdb.OutOfMemoryException):
        return disk if "offload" in str(error) else f"{limit} MB of memory are not enough"
    if os.strerror(ENOSPC) in str(error) and disk_usage(folder).free < NEARLY_FULL:
        return disk
    return None


@contextmanager
def scratch() -> Iterator[tuple[Any, Path]]:
    """A connection with bounded memory, and the private folder that it works in; both go away together."""
    import duckdb

    limit = megabytes(machine_megabytes())
    with private_folder() as folder, translate_failures(limit, folder):
        settings: dict[str, Any] = {
            "memory_limit": f"{limit}MB",
            "threads": min(threads(), max(1, limit // PER_THREAD)),
            "temp_directory": str(folder / "spill"),
            "autoinstall_known_extensions": False,
            "preserve_insertion_order": False,
        }
        with duckdb.connect(str(folder / "scratch.duckdb"), config=settings) as connection:
            apply_settings(connection, ())
            yield connection, folder


def first_row(connection: Any, query: str, *values: Any) -> Any:
    """The first row of a short result, or None."""
    rows = connection.execute(query, list(values)).fetchall()
    return rows[0] if rows else None
