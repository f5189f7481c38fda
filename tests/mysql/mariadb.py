"""A MariaDB server of the tests' own, without a network, as another user than root."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pymysql

PLACES = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"
SERVER, INSTALL = (shutil.which(name, path=PLACES) for name in ("mariadbd", "mariadb-install-db"))
STARTS = 60  # seconds, on a busy machine


@contextmanager
def mariadb() -> Iterator[Any]:
    """A connection to an empty database; the server ends with it."""
    assert SERVER is not None
    assert INSTALL is not None
    with TemporaryDirectory(prefix="maria") as home:  # a socket's path is short
        user = []
        if os.getuid() == 0:
            shutil.chown(home, "nobody")
            user = ["--user=nobody"]
        data, socket = f"--datadir={home}/data", Path(home) / "s"
        options = ["--no-defaults", *user, data]
        made = [INSTALL, *options, "--auth-root-authentication-method=normal", "--skip-test-db"]
        subprocess.run(made, check=True, capture_output=True)
        memory = ["--innodb-buffer-pool-size=8M", "--innodb-log-file-size=4M", "--skip-networking", "--skip-log-bin"]
        run = [SERVER, *options, f"--socket={socket}", *memory]
        with subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
            try:
                con = _connected(socket, server)
                yield con
                con.close()
            finally:
                server.terminate()
                server.wait(STARTS)


def _connected(socket: Path, server: subprocess.Popen[bytes]) -> Any:
    ends = time.monotonic() + STARTS
    while not socket.exists():
        assert server.poll() is None, "the server has ended"
        assert time.monotonic() < ends, "the server does not start"
        time.sleep(0.05)
    con = pymysql.connect(unix_socket=str(socket), user="root", charset="utf8mb4", autocommit=True)
    with con.cursor() as cursor:
        cursor.execute("CREATE DATABASE shop CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
        cursor.execute("USE shop")
    return con
