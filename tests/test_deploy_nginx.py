"""deploy/nginx.conf in a real nginx, before two small servers that write down what reaches them."""

from __future__ import annotations

import http.client
import os
import shutil
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from benchmarks.collector.server import free_port

CONF = Path(__file__).parents[1] / "deploy" / "nginx.conf"
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
MIB = 1 << 20


class Behind(ThreadingHTTPServer):
    """Stands for a collector."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[tuple[str, dict[str, str], int]] = []
        self.status = 200


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Behind

    def do_GET(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        left = size
        while left:
            left -= len(self.rfile.read(min(left, MIB)))
        self.server.seen.append((self.path, {k.lower(): v for k, v in self.headers.items()}, size))
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_POST = do_GET

    def log_message(self, format: str, *args: Any) -> None:
        """Be quiet."""


def certificate(folder: Path) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "reports.example.org")])
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    now = datetime.now(UTC)
    signed = made.not_valid_before(now - timedelta(1)).not_valid_after(now + timedelta(1)).sign(key, hashes.SHA256())
    (folder / "fullchain.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    (folder / "privkey.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


class Proxy:
    """nginx with the file of deploy/, its names and ports exchanged for those of the test."""

    def __init__(self, folder: Path, operators: str = "allow 127.0.0.1;") -> None:
        self.behind = (Behind(), Behind())
        for each in self.behind:
            threading.Thread(target=each.serve_forever, daemon=True).start()
        self.plain, self.port, self.folder = free_port(), free_port(), folder
        certificate(folder)
        text = CONF.read_text()
        exchanged = {
            "collector1:8000": f"127.0.0.1:{self.behind[0].server_port}",
            "collector2:8000": f"127.0.0.1:{self.behind[1].server_port}",
            "listen 80;": f"listen 127.0.0.1:{self.plain};",
            "listen 443 ssl;": f"listen 127.0.0.1:{self.port} ssl;",
            "/etc/nginx/tls/": f"{folder}/",
            "/var/log/nginx/error.log": f"{folder}/error.log",
            "allow 127.0.0.1;": operators,
        }
        for before, after in exchanged.items():
            assert before in text
            text = text.replace(before, after)
        temporary = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy"))
        unused = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("fastcgi", "uwsgi", "scgi"))
        (folder / "collectors.conf").write_text(text)
        (folder / "nginx.conf").write_text(
            f"daemon off; master_process off; pid {folder}/pid; error_log {folder}/start.log;\n"
            f"events {{}}\nhttp {{ {temporary} {unused} include {folder}/collectors.conf; }}\n"
        )
        assert NGINX is not None
        self.process = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")])
        end = time.monotonic() + 60
        while True:
            try:
                self.ask("GET", "/plan")
                return
            except OSError:
                assert self.process.poll() is None, (folder / "start.log").read_text()
                assert time.monotonic() < end
                time.sleep(0.02)

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> int:
        context = ssl._create_unverified_context()
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=context, timeout=60)
        try:
            connection.request(method, path, body or None, headers)
            return connection.getresponse().status
        finally:
            connection.close()

    @property
    def seen(self) -> list[tuple[str, dict[str, str], int]]:
        return [each for one in self.behind for each in one.seen]

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)
        for each in self.behind:
            each.shutdown()
            each.server_close()


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[Proxy]:
    if NGINX is None:
        pytest.skip("nginx is not installed")
    made = Proxy(tmp_path)
    try:
        yield made
    finally:
        made.stop()


def test_bodies_of_reports_are_bounded_and_batches_pass(proxy: Proxy) -> None:
    assert proxy.ask("POST", "/reports", bytes(4 * MIB)) == 200
    assert proxy.ask("POST", "/reports", bytes(4 * MIB + 1)) == 413
    assert proxy.ask("POST", "/batches", bytes(24 * MIB)) == 200
    assert {(path, size) for path, _, size in proxy.seen if size} == {("/reports", 4 * MIB), ("/batches", 24 * MIB)}


def test_who_enrols_all_the_time_is_told_to_wait(proxy: Proxy) -> None:
    codes = [proxy.ask("POST", "/enrol") for _ in range(10)]
    assert codes[:6] == [200] * 6  # one and a burst of five
    assert set(codes[6:]) == {429}
    assert proxy.ask("POST", "/reports", b"x") == 200


def test_collectors_see_no_address_and_the_name_that_was_asked_for(proxy: Proxy) -> None:
    assert proxy.ask("GET", "/plan", Host="reports.example.org:8443", **{"X-Forwarded-For": "203.0.113.7"}) == 200
    named = [headers for _, headers, _ in proxy.seen if headers["host"] == "reports.example.org:8443"]
    assert len(named) == 1
    assert not {"x-forwarded-for", "x-real-ip", "forwarded"} & set(named[0])


def test_another_collector_is_asked_when_one_is_busy(proxy: Proxy) -> None:
    proxy.behind[0].status = 503
    assert [proxy.ask("POST", "/reports", b"x") for _ in range(4)] == [200] * 4
    assert proxy.ask("GET", "/metrics") == 403


def test_plain_http_leads_to_tls_and_nothing_is_logged(proxy: Proxy, tmp_path: Path) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", proxy.plain, timeout=60)
    connection.request("GET", "/survey", headers={"Host": "reports.example.org"})
    answer = connection.getresponse()
    assert (answer.status, answer.getheader("Location")) == (301, "https://reports.example.org/survey")
    connection.close()
    assert proxy.ask("POST", "/reports", bytes(5 * MIB)) == 413
    assert (tmp_path / "error.log").read_text() == ""


def test_operators_come_from_networks_of_yours(proxy: Proxy, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert proxy.ask("POST", "/epochs/1/open") == proxy.ask("POST", "/flush") == 200
    other = Proxy(tmp_path_factory.mktemp("other"), operators="")
    try:
        assert [other.ask("POST", path) for path in ("/epochs/1/open", "/epochs/0/close", "/flush")] == [403] * 3
        assert other.ask("GET", "/epochs") == 200
    finally:
        other.stop()
