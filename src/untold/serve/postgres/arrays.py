"""Columns of numpy as arrays of PostgreSQL, byte by byte: ten thousand values for the price of one."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from untold.kernels.siphash import Hashes

if TYPE_CHECKING:
    from psycopg import Connection

UUID, INT8 = (2950, 2951), (20, 1016)  # numbers of a type, and of arrays of it
HEAD = struct.Struct(">iiIii")  # dimensions, NULLs, type, length, first index


@dataclass(frozen=True)
class Uuids:
    """16 bytes each."""

    data: bytes


@dataclass(frozen=True)
class Longs:
    """64 bits each."""

    data: bytes


def uuids(prints: Hashes) -> Uuids:
    """The first two words of fingerprints, as they lie in memory."""
    out = np.empty(len(prints), dtype=[("size", ">i4"), ("value", "V16")])
    out["size"] = 16
    out["value"] = np.ascontiguousarray(prints[:, :2]).view("V16").ravel()
    return Uuids(_head(len(prints), UUID[0]) + out.tobytes())


def longs(values: npt.NDArray[np.uint64]) -> Longs:
    """Words of 64 bits; PostgreSQL takes them as signed."""
    out = np.empty(len(values), dtype=[("size", ">i4"), ("value", ">u8")])
    out["size"], out["value"] = 8, values
    return Longs(_head(len(values), INT8[0]) + out.tobytes())


def _head(count: int, kind: int) -> bytes:
    return HEAD.pack(1, 0, kind, count, 1)


def teach(connection: Connection[Any]) -> None:
    """Have a connection take these as parameters."""
    from psycopg.adapt import Dumper
    from psycopg.pq import Format

    class Binary(Dumper):
        format = Format.BINARY

        def dump(self, obj: Any) -> bytes:
            data: bytes = obj.data
            return data

    class UuidsDumper(Binary):
        oid = UUID[1]

    class LongsDumper(Binary):
        oid = INT8[1]

    connection.adapters.register_dumper(Uuids, UuidsDumper)
    connection.adapters.register_dumper(Longs, LongsDumper)
