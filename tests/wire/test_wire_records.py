"""Records: what is encoded is decoded, the fast reader agrees with the slow one, and hashes are the published ones."""

from __future__ import annotations

import hmac
from typing import Any

import numpy as np
import pytest

from helpers.survey import KINDS, LAYOUTS, PLAN, PUBLIC_VALUES, ROWS, said
from untold.device.client import Client
from untold.errors import UntrustedPlan
from untold.kernels.records import find_records, gather, is_utf8
from untold.kernels.runs import NEW, OTHER, SAME, Table, merge_some, search, sort
from untold.kernels.siphash import fingerprints, siphash
from untold.wire.layout import Layout
from untold.wire.records import BadReport, decode_record, encode_body, encode_record
from untold.wire.signing import SignedPlan
from untold.wire.strict_json import json_report, read_json, write_json
from untold.wire.tokens import ROLES, Tokens


def find(layout: Layout, data: bytes, count: int) -> Any:
    return find_records(np.frombuffer(data, np.uint8), count, layout.shape, layout.views, layout.kinds)


@pytest.mark.parametrize("service", PLAN.services)
def test_a_record_comes_back(service: str) -> None:
    layout = LAYOUTS[service]
    for user in ("u-1", "é" * 100, "\U0001f600", "x" * 255):
        report, record = said(service, user)
        name, slots, public = decode_record(layout, record)
        assert name == user
        assert public == (PUBLIC_VALUES if service == "users" else {})
        assert json_report(layout, 0, name, slots, public) == report
        [parsed] = read_json(write_json(PLAN.id, [report]), PLAN.id, LAYOUTS)
        assert parsed.record == record
        found = find(layout, record, 1)
        assert found.status.tolist() == [0]
        assert record[found.keys[0] : found.keys[0] + found.key_sizes[0]].decode() == user


def test_missing_public_values_and_integer_keys() -> None:
    layout = Layout.of(PLAN, "users", "integer", KINDS)
    slots = [each.messages for each in Client(PLAN, "u").report("users", ROWS["users"])]
    for user in ("0", "-1", str(2**63 - 1), str(-(2**63))):
        for public in ({}, {"os": None, "paid": False}, {"visits": str(2**60), "score": -0.0}):
            record = encode_record(layout, user, slots, public)
            assert decode_record(layout, record)[0] == user
            assert find(layout, record, 1).status.tolist() == [0]
    for user in ("", "1.0", "+1", "01", "-0", str(2**63), "x"):
        with pytest.raises(BadReport):
            encode_record(layout, user, slots, {})


@pytest.mark.parametrize("service", PLAN.services)
def test_the_fast_reader_agrees_with_the_slow_one(service: str) -> None:
    """On thousands of changed records: what one takes the other takes, and reads the same."""
    layout, rng = LAYOUTS[service], np.random.default_rng(8)
    records = [said(service, f"u-{i}")[1] for i in range(20)]
    taken = 0
    for _ in range(3000):
        record = bytearray(records[rng.integers(len(records))])
        for _ in range(rng.integers(1, 3)):
            record[rng.integers(4, len(record))] ^= 1 << int(rng.integers(8))
        status = find(layout, bytes(record), 1).status[0]
        assert (status == 0) == slowly_good(layout, bytes(record))
        taken += status == 0
    assert 0 < taken < 3000


def slowly_good(layout: Layout, record: bytes) -> bool:
    """Decode it, encode it anew with all its checks, and compare."""
    try:
        user, slots, public = decode_record(layout, record)
        return encode_record(layout, user, slots, public) == record
    except Exception:
        return False


def test_utf8_is_what_python_says() -> None:
    rng = np.random.default_rng(2)
    starts = [b"", "aé€😀".encode(), b"\xf0\x90\x80", b"\xed\x9f\xbf", b"\xee\x80\x80", b"\xf4\x8f\xbf\xbf"]
    for _ in range(20_000):
        data = starts[rng.integers(len(starts))] + rng.bytes(rng.integers(0, 5))
        try:
            data.decode()
            good = True
        except UnicodeDecodeError:
            good = False
        assert is_utf8(np.frombuffer(data, np.uint8), 0, len(data)) == good


def test_gather_takes_stretches() -> None:
    data = np.frombuffer(b"abcdefgh", np.uint8)
    offsets, out = gather(data, np.array([5, 0, 2]), np.array([3, 0, 2]))
    assert (offsets.tolist(), out.tobytes()) == ([0, 3, 3, 5], b"fghcd")


def slow_siphash(data: bytes, key: tuple[int, int], wide: bool) -> list[int]:
    """SipHash-2-4 as its paper and its reference code write it, in Python's integers."""
    mask = 2**64 - 1
    v = [
        key[0] ^ 0x736F6D6570736575,
        key[1] ^ 0x646F72616E646F6D,
        key[0] ^ 0x6C7967656E657261,
        key[1] ^ 0x7465646279746573,
    ]
    v[1] ^= 0xEE if wide else 0

    def rotate(x: int, b: int) -> int:
        return (x << b | x >> (64 - b)) & mask

    def rounds(n: int) -> None:
        for _ in range(n):
            v[0] = (v[0] + v[1]) & mask
            v[2] = (v[2] + v[3]) & mask
            v[1], v[3] = rotate(v[1], 13) ^ v[0], rotate(v[3], 16) ^ v[2]
            v[0] = rotate(v[0], 32)
            v[2] = (v[2] + v[1]) & mask
            v[0] = (v[0] + v[3]) & mask
            v[1], v[3] = rotate(v[1], 17) ^ v[2], rotate(v[3], 21) ^ v[0]
            v[2] = rotate(v[2], 32)

    padded = data + bytes(-(len(data) + 1) % 8) + bytes([len(data) % 256])
    for i in range(0, len(padded), 8):
        word = int.from_bytes(padded[i : i + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xEE if wide else 0xFF
    rounds(4)
    out = [v[0] ^ v[1] ^ v[2] ^ v[3]]
    if wide:
        v[1] ^= 0xDD
        rounds(4)
        out.append(v[0] ^ v[1] ^ v[2] ^ v[3])
    return out


def test_hashes_are_the_published_ones() -> None:
    key = (0x0706050403020100, 0x0F0E0D0C0B0A0908)
    assert slow_siphash(bytes(range(15)), key, False) == [0xA129CA6149BE45E5]  # appendix A of the paper
    for size in range(8, 64):
        data = bytes(range(size))
        assert [siphash(data, key)] == slow_siphash(data, key, False)
        stretches = np.array([[8, size - 8, 8, size - 8]])
        word = int.from_bytes(data[:8], "little")
        prints = fingerprints(np.frombuffer(data, np.uint8), stretches, word, key)[0].tolist()
        assert prints == [*slow_siphash(data, key, True), *slow_siphash(data, key, False)]


def test_tables_and_runs_agree_with_a_dict() -> None:
    rng = np.random.default_rng(3)
    known: dict[tuple[int, int], int] = {}
    table, runs = Table(slots=8), []
    for _ in range(30):
        prints = rng.integers(0, 40, (100, 3), dtype=np.uint64) << np.uint64(58)
        status = np.full(len(prints), NEW, dtype=np.uint8)
        for run in runs:
            search(run, prints, status)
        table.claim(prints, status)
        for row, code in zip(prints.tolist(), status.tolist(), strict=True):
            wanted = NEW if (row[0], row[1]) not in known else SAME if known[row[0], row[1]] == row[2] else OTHER
            assert code == wanted
            known.setdefault((row[0], row[1]), row[2])
        if rng.random() < 0.3:
            rows = np.array([[*k, v] for k, v in known.items()], dtype=np.uint64)
            half = rng.random(len(rows)) < 0.5
            runs, out = [], np.empty((len(rows) + 1, 3), dtype=np.uint64)
            a, b = sort(rows[half]), sort(rows[~half])
            _, _, count = merge_some(a, 0, b, 0, out)
            assert count == len(rows)
            assert np.array_equal(out[:count], sort(rows))
            runs.append(out[:count].copy())
            table = Table(slots=8)


def test_tokens_are_those_of_the_wire() -> None:
    """HMAC-SHA256 as docs/wire.md says, so that a login can make them itself."""
    secret = bytes(range(32))
    tokens = Tokens(secret)
    assert tokens.device("text", "u-é") == hmac.new(secret, "device\0text\0u-é".encode(), "sha256").hexdigest()
    assert tokens.device("integer", "-17") == hmac.new(secret, b"device\0integer\0-17", "sha256").hexdigest()
    assert tokens.role("gateway") == hmac.new(secret, b"gateway", "sha256").hexdigest()
    assert tokens.is_device("text", "u-1", tokens.device("text", "u-1"))
    assert not tokens.is_device("text", "17", tokens.device("integer", "17"))
    assert len({tokens.role(name) for name in ROLES}) == len(ROLES)


def test_a_body_has_one_header() -> None:
    record = said("users")[1]
    body = encode_body(PLAN.id, LAYOUTS["users"], 5, [record, record])
    assert body[:4] == b"UNTR"
    assert body[8:16] == bytes([5, 0, 0, 0, 2, 0, 0, 0])
    assert body[16:48].hex() == PLAN.id
    assert body[48:] == record + record


def test_a_plan_keeps_its_signature_and_nothing_else_does() -> None:
    signed = SignedPlan.sign(PLAN.to_json(), bytes(range(32)))
    assert signed.open(signed.key, PLAN.id) == PLAN
    assert signed.id == PLAN.id
    for place in range(0, len(signed.text), 997):
        text = signed.text[:place] + chr(ord(signed.text[place]) ^ 1) + signed.text[place + 1 :]
        with pytest.raises(UntrustedPlan, match="changed after signing"):
            SignedPlan(text, signed.key, signed.signature).open(signed.key)
