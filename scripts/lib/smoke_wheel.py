"""smoke_wheel.py APP PYTHON: a collector of the installed package takes reports of all clients, serves its survey, and is asked.

APP is a folder with the npm package and the two programs of scripts/lib/smoke_npm, PYTHON one that has the package for devices.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from importlib.resources import files
from pathlib import Path

import untold

PEOPLE = 300
PATIENCE = 180  # seconds; only to see that something hangs
UNTOLD = str(Path(sys.executable).with_name("untold"))
DATA = "reports"


DEVICE = """
import sys, untold_device
url, user, token = sys.argv[1:]
client = untold_device.HttpClient(url, user, token, folder="light")
client.report("users", {"age": 31, "income": 52000, "state": "NY", "os": "ios"})
sent = client.send()
assert (sent.counted, sent.waiting) == (1, 0), sent
print("untold-device: 1 report was counted")
"""


def main(app: Path, device: str) -> None:
    """Serve, take part, ask, stop."""
    Path("shop.toml").write_bytes(files("untold.commands.demo").joinpath("shop.toml").read_bytes())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    options = ["--port", str(port), "--enrol", "--enrol-per-minute", "100000"]
    server = subprocess.Popen([UNTOLD, "serve", "shop.toml", "--data", DATA, *options], stderr=subprocess.DEVNULL)
    try:
        wait_for(url, server)
        survey(url)
        for i in range(PEOPLE):
            report(url, i)
        print(f"HttpClient: {PEOPLE} reports were counted")
        for program in ("by_import.mjs", "by_require.cjs"):
            subprocess.run([shutil.which("node") or "node", program, url], cwd=app, check=True, timeout=PATIENCE)
        known = enrolled(url)
        told = [device, "-I", "-c", DEVICE, url, known["user"], known["token"]]
        subprocess.run(told, check=True, timeout=PATIENCE)
        subprocess.run([UNTOLD, "serve", "flush", "--data", DATA], check=True, stdout=subprocess.DEVNULL)
        asked("SELECT COUNT(*) AS n FROM users", PEOPLE + 3)
    finally:
        server.send_signal(signal.SIGTERM)
        ended = server.wait(PATIENCE)
    if ended:
        raise SystemExit(f"the collector ended with {ended}")


def get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=PATIENCE) as response:
        return bytes(response.read())


def wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    """Until it answers."""
    end = time.monotonic() + PATIENCE
    while server.poll() is None and time.monotonic() < end:
        try:
            get(f"{url}/health")
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the collector does not answer")


def survey(url: str) -> None:
    """The page and everything that it loads, modules of modules included."""
    waiting, seen = ["/survey"], set()
    while waiting:
        path = waiting.pop()
        seen.add(path)
        text = get(url + path).decode()
        here = path.rpartition("/")[0]
        found = re.findall(r'(?:src|href)="(/static/[^"]+)"', text)
        found += [urllib.parse.urljoin(f"{here}/", name) for name in re.findall(r'from "(\.{0,2}/[^"]+\.js)"', text)]
        waiting += sorted({each for each in found if each not in seen and each not in waiting})
    if not any(path.startswith("/static/client/") for path in seen):
        raise SystemExit(f"the survey does not load the client: {sorted(seen)}")
    print(f"survey: the page and the {len(seen) - 1} files that it loads")


def enrolled(url: str) -> dict[str, str]:
    """A key and its token, as the survey gets them."""
    with urllib.request.urlopen(urllib.request.Request(f"{url}/enrol", b"", method="POST"), timeout=PATIENCE) as given:
        return dict(json.loads(given.read()))


def report(url: str, i: int) -> None:
    """One person's."""
    known = enrolled(url)
    client = untold.HttpClient(url, known["user"], known["token"], folder=f"devices/{i}")
    client.report(
        "users", {"age": 20 + i % 60, "income": 1000 * (i % 90), "state": ("NY", "WA", "CA")[i % 3], "os": "ios"}
    )
    sent = client.send()
    if (sent.counted, sent.waiting) != (1, 0):
        raise SystemExit(f"the report was not counted: {sent}")


def asked(sql: str, expected: int) -> None:
    """The command line's answer: everybody reported, so that a count without conditions is exact."""
    done = subprocess.run([UNTOLD, "query", DATA, sql, "--format", "json"], check=True, capture_output=True, text=True)
    if json.loads(done.stdout)["rows"][0]["n"] != expected:
        raise SystemExit(f"{sql} gave {done.stdout}, not {expected}")
    subprocess.run([UNTOLD, "query", DATA, "SELECT state, COUNT(*) AS n FROM users GROUP BY state"], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
