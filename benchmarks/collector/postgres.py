"""A PostgreSQL server of our own, in a scratch folder and as another user than root; with a standby, if asked."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from benchmarks.collector.server import free_port

PLACES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda each: int(each.parent.name), reverse=True)
SMALL = {"shared_buffers": "64MB", "max_connections": "60", "max_wal_senders": "8", "wal_keep_size": "256MB"}
FAST = {"fsync": "off", "full_page_writes": "off"}  # for tests that kill no machine


def program(name: str) -> str | None:
    """Where a program of the server is; Debian keeps them off the path."""
    return shutil.which(name, path=os.pathsep.join([*map(str, PLACES), os.environ.get("PATH", "")]))


def available() -> bool:
    """Whether a server can be started here."""
    return program("initdb") is not None


class Postgres:
    """One server. `stop` or `kill` it; `start` it again; `standby` makes another one that follows it."""

    def __init__(self, folder: Path, settings: dict[str, str] | None = None) -> None:
        self.folder, self.port = folder, free_port()
        self.settings = {**SMALL, **(settings or {})}
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its address."""
        return f"postgresql://untold@127.0.0.1:{self.port}/postgres"

    def create(self) -> Postgres:
        """An empty database."""
        run("initdb", "-D", str(self.folder), "-U", "untold", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
        return self

    def start(self, patience: float = 600.0) -> float:
        """Start it; returns the seconds until it answers."""
        options = {
            **self.settings,
            "port": str(self.port),
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
        }
        command = [str(program("postgres")), "-D", str(self.folder)]
        for name, value in options.items():
            command += ["-c", f"{name}={value}"]
        began = time.perf_counter()
        with open(self.folder.with_name(self.folder.name + ".log"), "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True, **as_other())
        while time.perf_counter() - began < patience:
            if (
                subprocess.run([str(program("pg_isready")), "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode
                == 0
            ):
                return time.perf_counter() - began
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError(
            f"PostgreSQL does not start: {self.folder.with_name(self.folder.name + '.log').read_text()[-2000:]}"
        )

    def standby(self, folder: Path, name: str) -> Postgres:
        """A copy that follows this server; start it, then let this one wait for it (`wait_for`)."""
        made = Postgres(folder, {k: v for k, v in self.settings.items() if k != "synchronous_standby_names"})
        source = f"host=127.0.0.1 port={self.port} user=untold application_name={name}"
        run("pg_basebackup", "-D", str(folder), "-d", source, "-R", "-X", "stream", "-c", "fast", "--no-sync")
        return made

    def wait_for(self, name: str) -> None:
        """Acknowledge nothing that a standby of this name has not on its disk."""
        self.settings["synchronous_standby_names"] = name
        self.ask(f"ALTER SYSTEM SET synchronous_standby_names = '{name}'")
        self.ask("SELECT pg_reload_conf()")

    def promote(self) -> None:
        """From a standby to a server that takes writes."""
        run("pg_ctl", "promote", "-D", str(self.folder), "-w", "-t", "600")

    def ask(self, sql: str) -> list[tuple[object, ...]]:
        """One statement, on a connection of its own."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(sql)  # type: ignore[arg-type]
            return cursor.fetchall() if cursor.description else []

    def cpu(self) -> float:
        """Seconds of processor time so far, of all of its processes."""
        ticks = sum(sum(map(int, fields[11:15])) for fields in self._processes().values())
        return ticks / os.sysconf("SC_CLK_TCK")

    def _processes(self) -> dict[int, list[str]]:
        """The server and its children, by number, with what the system says of each. Each is in a session of its own."""
        found = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):  # it has just ended
                fields = stat.read_text().rpartition(")")[2].split()
                if self.process is not None and self.process.pid in (int(stat.parent.name), int(fields[1])):
                    found[int(stat.parent.name)] = fields
        return found

    def kill(self) -> None:
        """kill -9 of the server and all of its processes."""
        if self.process is not None and self.process.poll() is None:
            for pid in sorted(
                self._processes(), key=lambda each: each != self.process.pid
            ):  # it first: it would clean up
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.process.wait()
        wait_for_children(self.folder)

    def stop(self) -> None:
        """Ask it to end, at once."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()


def wait_for_children(folder: Path) -> None:
    """A killed server's lock file is in the way of the next start only while one of its processes lives."""
    (folder / "postmaster.pid").unlink(missing_ok=True)


def other_user() -> str | None:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    return None


def as_other() -> dict[str, object]:
    """Options for a process of that user."""
    name = other_user()
    return {} if name is None else {"user": name, "group": pwd.getpwnam(name).pw_gid, "extra_groups": [], "cwd": "/"}


def run(name: str, *arguments: str) -> None:
    """One program of the server, to its end."""
    done = subprocess.run([str(program(name)), *arguments], capture_output=True, text=True, **as_other())  # type: ignore[call-overload]
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stdout}{done.stderr}")


def scratch() -> Path:
    """A folder for servers, which their user owns."""
    folder = Path(tempfile.mkdtemp(prefix="untold-pg-"))
    if (name := other_user()) is not None:
        shutil.chown(folder, name, pwd.getpwnam(name).pw_gid)
    return folder
