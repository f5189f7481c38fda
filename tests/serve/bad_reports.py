"""Bad reports, each by name: what is wrong, and the status and code that must come back."""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, NamedTuple

from helpers.survey import LAYOUTS, PLAN, said
from untold.wire.records import HEADER, encode_body

GOOD, RECORD = said("users")
HASHED, HASHED_RECORD = said("hashed")
SALES, SALES_RECORD = said("sales")
SPLIT, SPLIT_RECORD = said("split")
MESSAGES = {name: layout.design.messages for name, layout in LAYOUTS.items()}
JSON, BINARY = {"content_type": "application/json"}, {"content_type": "application/vnd.untold.reports"}
NOT_INTEGERS: dict[str, Any] = {
    "null": None,
    "true": True,
    "false": False,
    "a fraction": 1.5,
    "1.0": 1.0,
    "text": "1",
    "empty text": "",
    "a list": [1],
    "an object": {"a": 1},
}
NOT_TEXTS: dict[str, Any] = {"null": None, "true": True, "a number": 17, "a list": ["u"], "an object": {"u": 1}}
NOT_LISTS: dict[str, Any] = {"null": None, "true": True, "a number": 5, "text": "[[1]]", "an object": {"0": [1]}}


class Bad(NamedTuple):
    name: str
    body: bytes
    headers: dict[str, str]
    status: int
    code: str


def as_json(*reports: Any, **around: Any) -> bytes:
    return json.dumps({"plan": PLAN.id, "reports": list(reports), **around}).encode()


def with_field(report: dict[str, Any], field: str, value: Any) -> dict[str, Any]:
    return {**deepcopy(report), field: value}


def without(report: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: value for name, value in report.items() if name != field}


def bad_fields() -> Iterator[Bad]:
    def bad(name: str, report: Any, code: str, status: int = 422) -> Bad:
        return Bad(f"json: {name}", as_json(report), JSON, status, code)

    for field in ("service", "user", "epoch", "slots"):
        yield bad(f"no {field}", without(GOOD, field), "bad-json", 400)
    for extra in ("slot", "messages", "plan", "insecure", "token", "User", "epoch ", ""):
        yield bad(f"unknown field {extra!r}", with_field(GOOD, extra, 0), "bad-json", 400)
    for what, value in {**NOT_LISTS, "an empty list": [], "nothing": 0}.items():
        yield bad(f"the report is {what}", value, "bad-json", 400)
    for what, value in {
        **NOT_TEXTS,
        "unknown": "user",
        "upper case": "USERS",
        "empty": "",
        "a path": "../users",
    }.items():
        yield bad(f"the service is {what}", with_field(GOOD, "service", value), "bad-service")
    long = {
        "empty": "",
        "256 bytes": "u" * 256,
        "128 wide letters": "é" * 128,
        "half a surrogate": "\ud800",
        "huge": "u" * 9999,
    }
    for what, value in {**NOT_TEXTS, **long}.items():
        yield bad(f"the user is {what}", with_field(GOOD, "user", value), "bad-user")
    for what, value in {**NOT_INTEGERS, "negative": -1, "beyond 31 bits": 2**31, "huge": 10**30}.items():
        yield bad(f"the epoch is {what}", with_field(GOOD, "epoch", value), "bad-epoch")
    for epoch in (1, 2, 7, 2**31 - 1):
        yield bad(f"the epoch is {epoch}, which is not open", with_field(GOOD, "epoch", epoch), "epoch-not-open")
    slots = {
        "empty": [],
        "of no message": [[]],
        "of two messages": [[1, 1]],
        "two": [[1], [1]],
        "flat": [1],
        "too deep": [[[1]]],
    }
    for what, value in {**NOT_LISTS, **slots}.items():
        code = "bad-message" if what == "too deep" else "bad-slots"
        yield bad(f"the slots are {what}", with_field(GOOD, "slots", value), code)
    top = MESSAGES["users"]
    messages = {
        **NOT_INTEGERS,
        "negative": -1,
        "one too many": top,
        "beyond 32 bits": 2**32,
        "huge": 10**40,
        "with seeds": [1, "2", "3"],
    }
    for what, value in messages.items():
        yield bad(f"the message is {what}", with_field(GOOD, "slots", [[value]]), "bad-message")


def bad_shapes() -> Iterator[Bad]:
    """Hashed, several slots, split."""

    def bad(name: str, report: Any, code: str = "bad-message") -> Bad:
        return Bad(f"json: {name}", as_json(report), JSON, 422, code)

    index, a, b = HASHED["slots"][0][0]
    seeds = {
        **NOT_TEXTS,
        "empty": "",
        "negative": "-1",
        "with a plus": "+1",
        "padded": "01",
        "hexadecimal": "0x1",
        "with a blank": " 1",
        "a fraction": "1.5",
        "beyond its width": str(2**32),
        "beyond 64 bits": str(2**64),
        "Arabic digits": "١",
    }
    for what, value in seeds.items():
        yield bad(f"the first seed is {what}", with_field(HASHED, "slots", [[[index, value, b]]]))
        yield bad(f"the second seed is {what}", with_field(HASHED, "slots", [[[index, a, value]]]))
    shapes = {
        "without seeds": index,
        "with one seed": [index, a],
        "with three": [index, a, b, a],
        "in an object": {"0": index},
    }
    for what, value in shapes.items():
        yield bad(f"a hashed message {what}", with_field(HASHED, "slots", [[value]]))
    yield bad("a hashed message one too many", with_field(HASHED, "slots", [[[MESSAGES["hashed"], a, b]]]))
    yield bad("one slot of two", with_field(SALES, "slots", SALES["slots"][:1]), "bad-slots")
    yield bad("three slots of two", with_field(SALES, "slots", SALES["slots"] + SALES["slots"][:1]), "bad-slots")
    yield bad("both slots in one", with_field(SALES, "slots", [SALES["slots"][0] + SALES["slots"][1]]), "bad-slots")
    yield bad("public values where there are none", with_field(SALES, "public", {"os": "ios"}), "bad-public")
    views = SPLIT["slots"][0]
    yield bad("a split report without its last view", with_field(SPLIT, "slots", [views[:-1]]), "bad-slots")
    yield bad("a split report with a view twice", with_field(SPLIT, "slots", [[views[0], *views[:-1]]]))
    yield bad("a split report in another order", with_field(SPLIT, "slots", [views[::-1]]))
    yield bad(
        "a split report sent as several slots", with_field(SPLIT, "slots", [[each] for each in views]), "bad-slots"
    )


def bad_public() -> Iterator[Bad]:
    values: dict[str, dict[str, Any]] = {
        "os": {
            "a number": 1,
            "true": True,
            "a list": ["ios"],
            "an object": {},
            "1001 bytes": "x" * 1001,
            "a surrogate": "\udc00",
        },
        "visits": {
            "a fraction": 1.5,
            "1.0": 1.0,
            "true": True,
            "a list": [1],
            "beyond 64 bits": 2**63,
            "a word": "many",
            "padded": "01",
            "empty": "",
            "below 64 bits": str(-(2**63) - 1),
        },
        "score": {"text": "0.5", "true": True, "a list": [0.5], "beyond all numbers": 10**400},
        "paid": {"one": 1, "zero": 0, "text": "true", "a list": [True]},
    }
    for column, each in values.items():
        for what, value in each.items():
            public = {**GOOD["public"], column: value}
            yield Bad(f"json: {column} is {what}", as_json(with_field(GOOD, "public", public)), JSON, 422, "bad-public")
    for what, value in NOT_LISTS.items():
        if what != "an object":
            yield Bad(f"json: public is {what}", as_json(with_field(GOOD, "public", value)), JSON, 422, "bad-public")
    yield Bad("json: public is a list", as_json(with_field(GOOD, "public", ["ios"])), JSON, 422, "bad-public")
    for extra in ("OS", "age", "uid", "message", "", "os "):
        public = {**GOOD["public"], extra: "x"}
        yield Bad(
            f"json: unknown public column {extra!r}",
            as_json(with_field(GOOD, "public", public)),
            JSON,
            422,
            "bad-public",
        )


def bad_texts() -> Iterator[Bad]:
    good = as_json(GOOD)
    text = good.decode()
    texts = {
        "empty": b"",
        "a blank": b" ",
        "not JSON": b"reports",
        "half of it": good[: len(good) // 2],
        "twice": good + good,
        "something after it": good + b"x",
        "a byte order mark": b"\xef\xbb\xbf" + good,
        "UTF-16": text.encode("utf-16"),
        "Latin-1": text.replace("u-1", "ü").encode("latin-1"),
        "a NUL byte": good + b"\0",
        "null": b"null",
        "a list": b"[]",
        "a number": b"17",
        "text": b'"reports"',
        "single quotes": text.replace('"', "'").encode(),
        "a comment": b"/* */" + good,
        "a trailing comma": text.replace("]}", ",]}").encode(),
        "NaN": text.replace("0.5", "NaN").encode(),
        "Infinity": text.replace("0.5", "Infinity").encode(),
        "-Infinity": text.replace("0.5", "-Infinity").encode(),
        "the plan twice": text.replace('{"plan"', f'{{"plan": "{PLAN.id}", "plan"', 1).encode(),
        "the user twice": text.replace('"user"', '"user": "u-2", "user"').encode(),
        "a public column twice": text.replace('"os"', '"os": "x", "os"').encode(),
        "brackets without end": b"[" * 100_000,
        "braces without end": b'{"a":' * 50_000,
        "a number of 100,000 digits": text.replace("12", "9" * 100_000).encode(),
        "an unfinished escape": text.replace("u-1", "\\u12").encode(),
        "a raw newline in text": text.replace("u-1", "u\n1").encode(),
        "no plan": json.dumps({"reports": [GOOD]}).encode(),
        "no reports": json.dumps({"plan": PLAN.id}).encode(),
        "an unknown field": as_json(GOOD, version=1),
        "no report": as_json(),
        "10,001 reports": as_json(*[{}] * 10_001),
    }
    for what, body in texts.items():
        yield Bad(f"json body: {what}", body, JSON, 400, "bad-json")
    yield Bad("json body: a number beyond all numbers", text.replace("0.5", "1e999").encode(), JSON, 422, "bad-public")
    for what, value in {**NOT_LISTS, "text": "x"}.items():
        body = json.dumps({"plan": PLAN.id, "reports": value}).encode()
        yield Bad(f"json body: reports is {what}", body, JSON, 400, "bad-json")
    for what, value in {
        **NOT_TEXTS,
        "another plan": "0" * 64,
        "upper case": PLAN.id.upper(),
        "shorter": PLAN.id[:-1],
    }.items():
        body = json.dumps({"plan": value, "reports": [GOOD]}).encode()
        yield Bad(f"json body: plan is {what}", body, JSON, 422, "other-plan")
    for what, value in {"true": True, "1": 1, "null": None, "text": "no"}.items():
        yield Bad(f"json body: insecure is {what}", as_json(GOOD, insecure=value), JSON, 422, "insecure")


def bad_binary() -> Iterator[Bad]:
    good = encode_body(PLAN.id, LAYOUTS["users"], 0, [RECORD])

    def bad(name: str, body: bytes, code: str = "bad-binary") -> Bad:
        return Bad(f"binary: {name}", body, BINARY, 400 if code == "bad-binary" else 422, code)

    def header(**changed: Any) -> bytes:
        fields = dict(
            zip(
                ("magic", "version", "flags", "service", "epoch", "count", "plan"),
                HEADER.unpack_from(good),
                strict=True,
            )
        )
        return HEADER.pack(*{**fields, **changed}.values()) + RECORD

    yield bad("empty", b"")
    for size in (1, 4, 47, 48, 49, 52, len(good) - 1):
        yield bad(f"cut after {size} bytes", good[:size])
    yield bad("one byte more", good + b"\0")
    yield bad("another record than its header says", good + RECORD)
    for magic in (b"UNTL", b"untr", b"\0\0\0\0", b"PAR1", b'{"pl'):
        yield bad(f"magic {magic!r}", header(magic=magic))
    for version in (0, 2, 255):
        yield bad(f"version {version}", header(version=version))
    for flags in (2, 4, 128, 255):
        yield bad(f"flags {flags}", header(flags=flags))
    yield bad("flagged insecure", header(flags=1), "insecure")
    for number in (4, 5, 65535):
        yield bad(f"service {number}", header(service=number), "bad-service")
    for epoch in (2**31, 2**32 - 1):
        yield bad(f"epoch {epoch}", header(epoch=epoch), "bad-epoch")
    yield bad("an epoch that is not open", header(epoch=3), "epoch-not-open")
    for count in (0, 2, 9, 10_001, 2**32 - 1):
        yield bad(f"{count} reports in the header", header(count=count))
    for place in (0, 15, 31):
        plan = bytearray(bytes.fromhex(PLAN.id))
        plan[place] ^= 1
        yield bad(f"byte {place} of the plan's id changed", header(plan=bytes(plan)), "other-plan")
    yield bad("a record of another service", header(service=3), "bad-user")
    for size in (0, 1, len(RECORD) - 5, len(RECORD) - 3, 2**31, 2**32 - 1):
        yield bad(f"a record that says it has {size} bytes", good[:48] + struct.pack("<I", size) + RECORD[4:])


def bad_records() -> Iterator[Bad]:
    """The sizes fit, the fields do not."""

    def bad(name: str, service: str, fields: bytes, code: str) -> Bad:
        body = encode_body(PLAN.id, LAYOUTS[service], 0, [struct.pack("<I", len(fields)) + fields])
        return Bad(f"record: {name}", body, BINARY, 422, code)

    message, rest = RECORD[4:8], RECORD[8:]
    public = RECORD[8 + 1 + 3 :]
    for number in (MESSAGES["users"], MESSAGES["users"] + 1, 2**31, 2**32 - 1):
        yield bad(f"message {number}", "users", struct.pack("<I", number) + rest, "bad-message")
    yield bad("no message", "users", b"\0", "bad-slots")
    yield bad("half a message", "users", message[:2], "bad-slots")
    yield bad("nothing but a message", "users", message, "bad-slots")
    keys = {"empty": b"\0", "cut": b"\x09u-1", "longer than the record": b"\xffu-1"}
    for what, key in keys.items():
        yield bad(
            f"a user key that is {what}", "users", message + key + (public if what == "empty" else b""), "bad-user"
        )
    for what, text in {
        "not UTF-8": b"\xff\xfe",
        "half a letter": b"\xc3",
        "overlong": b"\xc0\xaf",
        "a surrogate": b"\xed\xa0\x80",
        "beyond Unicode": b"\xf4\x90\x80\x80",
        "a lone continuation": b"\x80",
    }.items():
        yield bad(f"a user key that is {what}", "users", message + bytes([len(text)]) + text + public, "bad-user")
        wrong = b"\1" + struct.pack("<H", len(text)) + text + public[6:]
        yield bad(f"a public text that is {what}", "users", message + rest[:4] + wrong, "bad-public")
    head = message + rest[:4]
    text, visits, score, paid = public[:6], public[6:15], public[15:24], public[24:26]
    columns = {
        "a public text of 1001 bytes": b"\1" + struct.pack("<H", 1001) + b"x" * 1001 + visits + score + paid,
        "a public text that is cut": b"\1" + struct.pack("<H", 200) + b"x" + visits + score + paid,
        "a presence of 2": b"\2" + text[1:] + visits + score + paid,
        "a presence of 255": text + b"\xff" + visits[1:] + score + paid,
        "a boolean of 2": text + visits + score + b"\1\2",
        "a score that is NaN": text + visits + b"\1" + struct.pack("<d", float("nan")) + paid,
        "a score that is infinite": text + visits + b"\1" + struct.pack("<d", float("inf")) + paid,
        "a score that is minus infinite": text + visits + b"\1" + struct.pack("<d", float("-inf")) + paid,
        "no public columns": b"",
        "one public column less": text + visits + score,
        "half a number": text + visits[:5],
        "a byte too many": text + visits + score + paid + b"\0",
        "a column too many": text + visits + score + paid + paid,
    }
    for what, fields in columns.items():
        yield bad(what, "users", head + fields, "bad-public")
    seeds = HASHED_RECORD[8:-4]
    key = HASHED_RECORD[-4:]
    yield bad(
        "a hashed message one too many", "hashed", struct.pack("<I", MESSAGES["hashed"]) + seeds + key, "bad-message"
    )
    yield bad("one slot of two", "sales", SALES_RECORD[4:8] + SALES_RECORD[-4:], "bad-slots")
    yield bad("bytes after the key", "sales", SALES_RECORD[4:] + b"\0", "bad-user")
    views = len(LAYOUTS["split"].views)
    swapped = SPLIT_RECORD[4 : 4 + 4 * views]
    swapped = b"".join(swapped[i : i + 4] for i in range(4 * views - 4, -1, -4))
    yield bad("a split report in another order", "split", swapped + SPLIT_RECORD[4 + 4 * views :], "bad-message")


def bad_requests() -> Iterator[Bad]:
    good = as_json(GOOD)
    packed = gzip.compress(good)
    for what, kind in {
        "missing": "-",
        "text": "text/plain",
        "parquet": "application/vnd.apache.parquet",
        "a form": "multipart/form-data",
        "half": "application",
    }.items():
        yield Bad(f"request: type {what}", good, {"content_type": kind}, 415, "bad-type")
    for encoding in ("deflate", "br", "zstd", "gzip, gzip", "x"):
        yield Bad(f"request: encoding {encoding}", good, {**JSON, "content_encoding": encoding}, 415, "bad-type")
    zipped = {**JSON, "content_encoding": "gzip"}
    bombs = {
        "not gzip": good,
        "empty": b"",
        "cut": packed[:-9],
        "a changed byte": packed[:40] + bytes([packed[40] ^ 255]) + packed[41:],
        "two members": packed + packed,
        "something after it": packed + b"x",
    }
    for what, body in bombs.items():
        yield Bad(f"request: gzip that is {what}", body, zipped, 400, "bad-gzip")
    yield Bad("request: gzip of 64 MiB of blanks", gzip.compress(b" " * (64 << 20), 1), zipped, 413, "too-large")
    for length, status in {
        "-": 411,
        "x": 411,
        "-5": 411,
        "1e3": 411,
        str(5 << 20): 413,
        "9" * 12: 413,
        "9" * 40: 411,
    }.items():
        code = "no-length" if status == 411 else "too-large"
        yield Bad(f"request: Content-Length {length[:13]}", good, {**JSON, "content_length": length}, status, code)
    tokens = {
        "none": "-",
        "empty": "Bearer ",
        "another scheme": "Basic dTpw",
        "too short": "Bearer ab",
        "of nobody": "Bearer " + "0" * 64,
        "not ASCII": "Bearer \xe9",
        "two": "Bearer a b",
    }
    for what, token in tokens.items():
        yield Bad(f"request: a token that is {what}", good, {**JSON, "authorization": token}, 401, "bad-token")


BAD = [
    *bad_fields(),
    *bad_shapes(),
    *bad_public(),
    *bad_texts(),
    *bad_binary(),
    *bad_records(),
    *bad_requests(),
]
