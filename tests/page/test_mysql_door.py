"""The door for BI tools: pymysql and SQLAlchemy enter with tokens as passwords, strangers do not, and the hostile texts
that the page was tried with find no more here."""

from __future__ import annotations

import datetime
import os
import socket
import ssl
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hostile_bombs
import hostile_reaching
import numpy as np
import pandas as pd
import pymysql
import pytest
import sqlalchemy as sa
from processes import children, environment, parents
from site_under_test import Site, fill, serving
from watched_folder import CHANGES, Watched

import untold
from untold.cli import main

SECONDS = 4.0
SLACK = 30.0  # seconds on top of the deadline: far from the endless, however busy the machine
SECRET = "canary-7d1f0c"
BY_STATE = "SELECT state, COUNT(*) AS n FROM users GROUP BY state ORDER BY state"
TEXTS = [*hostile_reaching.texts(), *hostile_bombs.texts()[:: 1 if "UNTOLD_ALL_HOSTILE" in os.environ else 5]]
ANSWERED = {
    1049,
    1054,
    1064,
    1104,
    1146,
    1235,
    3024,
}  # MySQL's numbers for a refusal in words; 1105 would be a failure of ours


@dataclass(frozen=True)
class Door:
    """A collector with a door for BI tools."""

    site: Site
    port: int
    tls: ssl.SSLContext

    def connect(self, user: str = "analyst", password: str | None = None, **options: Any) -> pymysql.Connection[Any]:
        password = self.site.tokens["analyst"] if password is None else password
        return pymysql.connect(
            host="127.0.0.1", port=self.port, user=user, password=password, database="shop", ssl=self.tls, **options
        )

    def ask(self, sql: str) -> tuple[tuple[Any, ...], ...]:
        """The rows of a statement that nothing is wrong with; a process may have to start first."""
        end = time.monotonic() + 300
        while True:
            try:
                with self.connect() as connection, connection.cursor() as cursor:
                    cursor.execute(sql)
                    return tuple(cursor.fetchall())
            except pymysql.err.OperationalError as error:
                if error.args[0] not in (1205, 2003, 2006, 2013, 3024) or time.monotonic() > end:
                    raise


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """For those who ask what can be answered, however busy the machine."""
    with opened(tmp_path_factory.mktemp("door"), 120.0) as found:
        yield found


@pytest.fixture(scope="module")
def fortress(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """For those who do not."""
    with opened(tmp_path_factory.mktemp("fortress"), SECONDS) as found:
        yield found


@contextmanager
def opened(place: Path, seconds: float) -> Iterator[Door]:
    fill(place / "reports", 2000)
    cert, key = certificate(place)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ("--sql-port", str(port), "--sql-cert", cert, "--sql-key", key)
    limits = ("--query-seconds", str(seconds), "--query-megabytes", "700")
    with serving(place / "reports", *options, *limits) as site:
        yield Door(site, port, ssl.create_default_context(cafile=cert))


def certificate(place: Path) -> tuple[str, str]:
    """A certificate for 127.0.0.1 that signs itself, and its key."""
    from ipaddress import ip_address

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    plain = serialization.NoEncryption()
    secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    (place / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (place / "key.pem").write_bytes(secret)
    return str(place / "cert.pem"), str(place / "key.pem")


def test_pymysql_asks(door: Door) -> None:
    plain = untold.connect(door.site.folder).sql(BY_STATE).fetchall()
    assert door.ask(BY_STATE) == tuple((s, n, low, high) for s, n, _, low, high in plain)
    with door.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SET untold_errors = OFF")
        cursor.execute(BY_STATE)
        assert [column[0] for column in cursor.description or ()] == ["state", "n"]
        cursor.execute("SELECT COUNT(*) AS n FROM users WHERE state = %s", ("N'Y",))
        assert [row[0] for row in cursor.fetchall()] == [0]  # nobody's state: a text, whatever it holds
        with pytest.raises(pymysql.err.ProgrammingError, match="categorical"):
            cursor.execute("SELECT AVG(state) FROM users")
        cursor.execute("SELECT * FROM users LIMIT 5")
        assert cursor.fetchall() == ()
        cursor.execute("SHOW WARNINGS")
        assert "There are no rows to see" in str(cursor.fetchall())


def test_sqlalchemy_reflects_and_pandas_reads(door: Door) -> None:
    url = sa.URL.create("mysql+pymysql", "analyst", door.site.tokens["analyst"], "127.0.0.1", door.port, "shop")
    engine = sa.create_engine(url, connect_args={"ssl": door.tls})
    found = sa.MetaData()
    found.reflect(engine)
    assert set(found.tables) == {"users", "transactions"}
    users = found.tables["users"]
    assert isinstance(users.c.age.type, sa.BigInteger)
    assert users.c.state.comment == "one of 'NY', 'WA', 'CA'"
    assert not sa.inspect(engine).has_table("people")
    asked = sa.select(users.c.state, sa.func.count().label("n")).group_by(users.c.state).order_by(users.c.state)
    with engine.connect() as connection:
        rows = connection.execute(asked).all()
    frame = pd.read_sql(BY_STATE, engine)
    assert list(frame.columns) == ["state", "n", "n_low", "n_high"]
    assert [tuple(row)[:2] for row in rows] == list(zip(frame["state"], frame["n"], strict=True))
    engine.dispose()


def test_a_named_analyst_until_the_token_is_revoked(door: Door, capsys: pytest.CaptureFixture[str]) -> None:
    data = ["--data", str(door.site.folder)]
    assert main(["serve", "tokens", "add", "ada", *data]) == 0
    token = capsys.readouterr().out.split()[-1]
    with door.connect("ada", token) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT CURRENT_USER() AS me")
        assert cursor.fetchall() == (("ada@%",),)
        assert main(["serve", "tokens", "revoke", "ada", *data]) == 0
        with pytest.raises(pymysql.err.OperationalError, match="revoked"):
            cursor.execute("SELECT 1")
    with pytest.raises(pymysql.err.OperationalError, match="Access denied"):
        door.connect("ada", token)


@pytest.mark.parametrize(
    ("user", "password"), [("analyst", ""), ("analyst", "x"), ("nobody", ""), ("", ""), ("root", "root")]
)
def test_strangers_do_not_enter(door: Door, user: str, password: str) -> None:
    with pytest.raises(pymysql.err.OperationalError, match="Access denied"):
        door.connect(user, password)


def test_tls_is_wanted(door: Door) -> None:
    with pytest.raises(pymysql.err.OperationalError, match="TLS"):
        pymysql.connect(
            host="127.0.0.1", port=door.port, user="analyst", password=door.site.tokens["analyst"], ssl_disabled=True
        )


def test_whoever_goes_on_after_a_wrong_password_hears_nothing(door: Door) -> None:
    """A client need not stop at the error; the server must."""
    with socket.create_connection(("127.0.0.1", door.port), 60) as sock:
        packet(sock)
        abilities = 0x0200 | 0x8000 | 0x80000  # protocol 4.1, secure connection, plugins
        answer = struct.pack("<IIB23x", abilities, 1 << 20, 45) + b"analyst\0" + b"\x14" + b"x" * 20
        send(sock, 1, answer + b"mysql_native_password\0")
        assert packet(sock)[0] == 0xFF  # an error
        replies = []
        try:
            for _ in range(3):
                send(sock, 0, b"\x03SELECT state, COUNT(*) AS n FROM users GROUP BY state")
                replies.append(packet(sock))
        except (ConnectionError, EOFError):
            pass
    assert all(reply[0] == 0xFF for reply in replies)


def test_nothing_is_prepared_on_the_server(door: Door) -> None:
    """The library would put values into the text unquoted."""
    connection = door.connect()
    connection._execute_command(0x16, "SELECT COUNT(*) AS n FROM users WHERE state = ?")  # COM_STMT_PREPARE
    with pytest.raises(pymysql.err.MySQLError, match="not prepared here") as caught:
        connection._read_packet()
    assert caught.value.args[0] == 1295
    connection.close()


@pytest.mark.parametrize("size", [0xFFFFFF, 1 << 17])
def test_a_stranger_cannot_fill_memory(door: Door, size: int) -> None:
    with socket.create_connection(("127.0.0.1", door.port), 60) as sock:
        packet(sock)
        with pytest.raises((ConnectionError, EOFError)):
            flood(sock, size)


def test_idle_strangers_make_way_for_analysts(door: Door) -> None:
    """Three times as many sockets as there is room for, which say nothing: before, they closed the door for 30 seconds."""
    idle = [socket.create_connection(("127.0.0.1", door.port), 60) for _ in range(600)]
    try:
        with door.connect(connect_timeout=60) as honest:
            honest.ping(reconnect=False)
            idle += [socket.create_connection(("127.0.0.1", door.port), 60) for _ in range(300)]
            honest.ping(reconnect=False)  # who has entered stays
    finally:
        for each in idle:
            each.close()


def test_a_connection_does_not_outlive_its_token(door: Door, capsys: pytest.CaptureFixture[str]) -> None:
    """A token is revoked, and its name gets another one: who entered with the old one is out, whatever they send."""

    def tokens(*words: str) -> str:
        assert main(["serve", "tokens", *words, "--data", str(door.site.folder)]) == 0
        return capsys.readouterr().out.strip()

    with door.connect("eve", tokens("add", "eve")) as old:
        tokens("revoke", "eve")
        new = tokens("add", "eve")
        with pytest.raises(pymysql.err.OperationalError, match="revoked"), old.cursor() as cursor:
            cursor.execute(BY_STATE)
        change(old, "eve")
        with pytest.raises(pymysql.err.MySQLError), old.cursor() as cursor:
            cursor.execute(BY_STATE)
    with door.connect("eve", new) as fresh:
        assert fresh.open


def change(connection: pymysql.Connection[Any], user: str) -> None:
    """COM_CHANGE_USER, with a wrong password: it is refused, and nobody gets a new mark by it."""
    words = user.encode() + b"\0\x14" + b"x" * 20 + b"shop\0" + struct.pack("<H", 45) + b"mysql_native_password\0"
    connection._execute_command(0x11, words)
    with pytest.raises(pymysql.err.MySQLError):
        connection._read_packet()


ENDLESS = {  # packets whose texts do not end: the library's reader went on for ever, and with it the whole collector
    "a name": b"analyst",
    "a password": b"analyst\0\x14" + b"x" * 20 + b"shop",
    "a password that is too long": b"analyst\0\xfa" + b"x" * 20 + b"shop\0mysql_native_password\0",
    "a plugin": b"analyst\0\x14" + b"x" * 20 + b"shop\0mysql_native",
}


@pytest.mark.parametrize("what", ENDLESS)
def test_a_greeting_that_does_not_end_ends(door: Door, what: str) -> None:
    abilities = 0x8 | 0x0200 | 0x8000 | 0x80000  # a database, protocol 4.1, secure connection, plugins
    with socket.create_connection(("127.0.0.1", door.port), 60) as sock:
        packet(sock)
        send(sock, 1, struct.pack("<IIB23x", abilities, 1 << 20, 45) + ENDLESS[what])
        assert packet(sock)[0] in (0xFE, 0xFF)  # another try, or an error
    with door.connect(connect_timeout=60) as honest:
        honest.ping(reconnect=False)


def test_commands_of_strange_content_end(door: Door) -> None:
    """Every command with nothing, with noise, and with texts that do not end; whoever has entered cannot stop it, either."""
    rng = np.random.default_rng(5)
    for command in (*range(1, 0x21), 0xFF):
        if command == 0x03:
            continue  # a query: there are texts of their own for it
        for words in (b"", b"users", rng.bytes(60)):
            with door.connect(read_timeout=60) as connection:
                connection._execute_command(command, words)
                with suppress(pymysql.err.MySQLError):
                    if command not in (0x01, 0x18, 0x19):  # good-bye, and two that are never answered
                        connection._read_packet()
    with door.connect(connect_timeout=60) as honest:
        honest.ping(reconnect=False)


@contextmanager
def always_healthy(door: Door) -> Iterator[None]:
    """Reports could be sent all the while: /health is asked ten times a second."""
    waits, done = [], threading.Event()

    def watch() -> None:
        while not done.is_set():
            began = time.monotonic()
            assert door.site.request("GET", "/health", role=None)[0] == 200
            waits.append(time.monotonic() - began)
            done.wait(0.1)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
    assert max(waits) < 2.0  # 0.01 on a quiet machine; it was 14 and 35 seconds


def test_greetings_do_not_delay_reports(door: Door) -> None:
    """Names of 64 kB, from people without a password: the library reads them in a time that grows with the square."""
    greeting = struct.pack("<IIB23x", 0x0200 | 0x8000 | 0x80000, 1 << 20, 45) + b"a" * 65_000 + b"\0\x00plugin\0"
    socks = [socket.create_connection(("127.0.0.1", door.port), 60) for _ in range(40)]
    with always_healthy(door):
        for sock in socks:
            packet(sock)
        for sock in socks:
            with suppress(ConnectionError):
                send(sock, 1, greeting)
        with door.connect(connect_timeout=60) as honest:
            honest.ping(reconnect=False)
    for sock in socks:
        sock.close()


SLOW = {
    "columns of a table with a long name": (0x04, b"a" * ((1 << 20) - 100) + b"\0"),
    "a database with a long name": (0x02, b"a" * (1 << 20)),
    "blanks before the end": (0x03, b"commit" + b" " * 200_000 + b"x"),
    "a variable with a long value": (0x03, b"SET @a = '" + b"a" * 40_000 + b"'"),
}


@pytest.mark.parametrize("what", SLOW)
def test_commands_do_not_delay_reports(door: Door, what: str) -> None:
    """Of somebody who has entered. Nor do they delay other analysts."""
    command, words = SLOW[what]
    with door.connect(read_timeout=60) as connection, always_healthy(door):
        with suppress(pymysql.err.MySQLError, ConnectionError):
            connection._execute_command(command, words)
            connection._read_packet()
        with door.connect(connect_timeout=60) as honest:
            honest.ping(reconnect=False)


def test_one_analyst_does_not_shut_the_door(door: Door, capsys: pytest.CaptureFixture[str]) -> None:
    """With as many connections as there is room for, which stay: others enter all the same, and ask."""
    assert main(["serve", "tokens", "add", "bob", "--data", str(door.site.folder)]) == 0
    token = capsys.readouterr().out.split()[-1]
    many = [door.connect() for _ in range(100)]
    try:
        with pytest.raises(pymysql.err.OperationalError, match="Too many connections"):
            door.connect()
        with door.connect("bob", token, connect_timeout=60) as bob, bob.cursor() as cursor:
            cursor.execute("SELECT CURRENT_USER() AS me")
            assert cursor.fetchall() == (("bob@%",),)
    finally:
        for each in many:
            with suppress(pymysql.err.MySQLError):
                each.close()


def test_a_door_that_falls_is_put_up_again(door: Door) -> None:
    """Its process is killed: the collector goes on, and so does the door."""
    (pid,) = [
        each for each in children(door.site.pid) if b"serve.mysql.worker" in Path(f"/proc/{each}/cmdline").read_bytes()
    ]
    assert b"A_SECRET" not in environment(pid)
    os.kill(pid, 9)
    assert door.ask("SELECT 1") == ((1,),)


def flood(sock: socket.socket, size: int) -> None:
    """Packets without end, then wait for a word."""
    for number in range(1, 200):
        sock.sendall(struct.pack("<I", size | (number << 24)) + b"x" * size)
    packet(sock)


def packet(sock: socket.socket) -> bytes:
    """One packet of the protocol."""
    (head,) = struct.unpack("<I", exactly(sock, 4))
    return exactly(sock, head & 0xFFFFFF)


def exactly(sock: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = sock.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def send(sock: socket.socket, number: int, data: bytes) -> None:
    sock.sendall(struct.pack("<I", len(data) | (number << 24)) + data)


def test_hostile_texts_find_nothing(fortress: Door, tmp_path: Path) -> None:
    """Every text is answered by its deadline; no file is read or written, no process is started, the server goes on."""
    canary = tmp_path / "secret.csv"
    canary.write_text(f'{{"a": "{SECRET}"}}\n')
    places = {"canary": str(canary), "out": str(tmp_path / "out"), "folder": str(fortress.site.folder)}
    fortress.ask(BY_STATE)
    trap, reports = Watched(tmp_path), Watched(fortress.site.folder, CHANGES)
    answers: Counter[int] = Counter()
    wrong: list[tuple[object, ...]] = []
    connection = fortress.connect()
    for text in TEXTS:
        for name, place in places.items():
            text = text.replace("{" + name + "}", place)
        began = time.monotonic()
        code, said = tried(connection, text)
        took = time.monotonic() - began
        if code == 1205:  # a process was stopped and the next one is not ready yet
            fortress.ask(BY_STATE)
            code, said = tried(connection, text)
        if code in (2006, 2013):  # the packet was too large for the fortress: it hangs up
            connection = fortress.connect()
        answers[code] += 1
        known = parents()
        if took > SECONDS + SLACK or code not in ANSWERED | {0, 2006, 2013} or SECRET in said:
            wrong.append((text[:200], code, said[:200], round(took, 2)))
        wrong += [(text[:200], "children", pid) for pid in children(fortress.site.pid, known) if children(pid, known)]
    assert wrong == []
    assert trap.events() == []
    assert reports.events() == []
    assert sum(answers.values()) == len(TEXTS) > 240
    assert fortress.ask(BY_STATE)


def tried(connection: pymysql.Connection[Any], text: str) -> tuple[int, str]:
    """MySQL's number for the reply (0: rows), and its words."""
    try:
        if not connection.open:
            connection.connect()
        with connection.cursor() as cursor:
            cursor.execute(text.encode("utf-8", "replace").decode())
            return 0, str(cursor.fetchall() if cursor.description else "")
    except pymysql.err.MySQLError as error:
        return int(error.args[0] or 2013), str(error)
