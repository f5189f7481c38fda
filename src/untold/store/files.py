"""All writes to disk, so that they are durable in one way, and a test can make any of them fail."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

STAGED = ".staged-"  # begins the name of every unfinished file, and of every folder of them
PRIVATE, USUAL = 0o600, 0o666  # permissions, less the umask
GONE = "-gone"  # ends the name of a folder that is being removed
TRIES, PAUSE = 10, 0.2  # a file that a late process still holds open keeps its folder, on some file systems


@contextmanager
def naming(file: BinaryIO) -> Iterator[None]:
    """An error of the system names the file that it is about: a full disk alone does not say which."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = str(file.name)
        raise


def create(path: Path, mode: int = USUAL) -> BinaryIO:
    """A new file to write, with these permissions; an old unfinished one of that name is overwritten."""
    return open(path, "wb", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW, mode))


def write(file: BinaryIO, data: bytes) -> int:
    """Append bytes."""
    with naming(file):
        return file.write(data)


def sync(file: BinaryIO) -> None:
    """Have the bytes of an open file on the disk before going on."""
    with naming(file):
        file.flush()
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Have the names in a folder on the disk before going on."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def rename(old: Path, new: Path) -> None:
    """Give a finished file its name, in one step."""
    os.replace(old, new)


def claim(old: Path, new: Path) -> bool:
    """The same, unless somebody was first, on whatever machine of a shared file system: then False, and nothing is changed."""
    try:
        os.link(old, new)
    except FileExistsError:
        return False
    remove(old)
    return True


def mode_of(path: Path) -> int:
    """Who may read and write a file."""
    return stat.S_IMODE(path.stat().st_mode)


def show(path: Path, mode: int) -> None:
    """Let those read a file who may."""
    if mode_of(path) != mode:
        path.chmod(mode)


def replace_durably(path: Path, data: bytes, mode: int = USUAL) -> None:
    """A small file, old or new but never half: write aside, fsync, rename, fsync the folder."""
    rename(stage(path, data, mode), path)
    sync_folder(path.parent)


def keep_first(path: Path, data: bytes) -> None:
    """A file for its owner alone that is written once, durably: of several writers, the first one's stays."""
    number, name = tempfile.mkstemp(prefix=STAGED + path.name, dir=path.parent)
    try:
        with open(number, "wb") as file:
            write(file, data)
            sync(file)
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        remove(Path(name))
    sync_folder(path.parent)


def stage(path: Path, data: bytes, mode: int = USUAL) -> Path:
    """Write what is to become `path` under its unfinished name, durably."""
    aside = path.with_name(STAGED + path.name)
    with create(aside, mode) as file:
        write(file, data)
        sync(file)
    return aside


def make_folders(path: Path) -> list[Path]:
    """Create a folder and its parents; returns those that were not there, the innermost first."""
    missing = [each for each in (path, *path.parents) if not each.exists()]
    path.mkdir(parents=True, exist_ok=True)
    return missing


def remove(path: Path) -> None:
    """Remove a file if it is there."""
    path.unlink(missing_ok=True)


def remove_empty(folders: list[Path]) -> None:
    """Remove folders, the innermost first, as far as they are empty."""
    for folder in folders:
        try:
            folder.rmdir()
        except OSError:  # not empty: somebody else uses it by now
            return


def remove_any(path: Path) -> None:
    """Remove what has this name, whatever it is. A link goes, not what it leads to."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        remove(path)


def make_private(path: Path) -> None:
    """A new folder that only its owner can look into."""
    path.mkdir(mode=0o700)


def remove_folder(path: Path) -> None:
    """Remove a folder with all that is in it. Its name goes first: whoever comes late finds no door, and leaves nothing."""
    gone = path if path.name.endswith(GONE) else path.with_name(path.name + GONE)
    if gone != path:
        rename(path, gone)
    for _ in range(TRIES):
        shutil.rmtree(gone, ignore_errors=True)
        if not gone.exists():
            return
        time.sleep(PAUSE)
    shutil.rmtree(gone)  # says why it cannot


def append_to(path: Path) -> BinaryIO:
    """A file to add to, without a buffer of our own."""
    return open(path, "ab", buffering=0, opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW, PRIVATE))


def sync_data(file: BinaryIO) -> None:
    """Have the bytes and the length of an unbuffered file on the disk before going on; its times may wait."""
    with naming(file):
        os.fdatasync(file.fileno())


def put(path: Path, data: bytes) -> None:
    """A whole small file, on the disk. Uses none of the steps above: it is for the way back when one of them has failed."""
    with open(path, "wb", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW, USUAL)) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def try_sync(path: Path) -> None:
    """Have the names in a folder on the disk if that can be: on the way back there is nothing else to do about it."""
    with suppress(OSError):
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
