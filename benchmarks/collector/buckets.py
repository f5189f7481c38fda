"""An S3 server of our own (moto), for segments in a bucket."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.error
import urllib.request

from benchmarks.collector.server import free_port

KEYS = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_REGION": "us-east-1",
    "AWS_ALLOW_HTTP": "true",
}


class Buckets:
    """A server; `environment` is what a program needs to reach it."""

    def __init__(self) -> None:
        self.port = free_port()
        self.environment = {**KEYS, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}"}
        command = [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def make(self, name: str, patience: float = 60.0) -> str:
        """A new bucket; returns its address."""
        began = time.perf_counter()
        while True:
            try:
                request = urllib.request.Request(f"{self.environment['AWS_ENDPOINT_URL']}/{name}", method="PUT")
                urllib.request.urlopen(request, timeout=30).close()
                return f"s3://{name}"
            except (urllib.error.URLError, OSError):
                if time.perf_counter() - began > patience:
                    raise
                time.sleep(0.1)

    def stop(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
