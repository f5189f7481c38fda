"""Checks what Spark needs (pyspark, Java) and says what to install."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from importlib import metadata
from pathlib import Path

from untold.errors import UntoldError

PYSPARK, JAVA = (4, 3), 17  # the oldest that will do
INSTALL_JAVA = "on Debian and Ubuntu: apt-get install openjdk-17-jre-headless; then set JAVA_HOME if there are several"

MASTERS = "local[2], spark://host:7077, yarn, or sc://host:15002 for Spark Connect"
CORES = r"(\*|[1-9]\d*)"
PLACE = r"([^/;,:\[\]]+|\[[0-9a-fA-F:.]+\]):\d+"
HOSTS = rf"(?P<hosts>{PLACE}(,{PLACE})*)"
FORMS = (  # of a master
    rf"local(\[{CORES}(, *[1-9]\d*)?\])?",
    r"local-cluster\[\d+, *\d+, *\d+\]",
    rf"spark://{HOSTS}",
    r"yarn",
    r"k8s://.+",
    rf"sc://({HOSTS}|[^/;,:]+)(/.*)?",
)
PROXIES = ("grpc_proxy", "https_proxy", "http_proxy")
PATIENCE = 5.0  # seconds for a machine to answer; Spark itself would try for minutes


def check_master(master: str) -> None:
    """A master must have the form of one, and where a port is named, something must answer there."""
    form = next((found for form in FORMS if (found := re.fullmatch(form, master))), None)
    if form is None:
        raise UntoldError(f"Spark: there is no such master as '{master}'.\nHint: {MASTERS}.")
    hosts = form.groupdict().get("hosts")
    if hosts and not any(os.environ.get(name) for name in PROXIES):
        troubles = [_trouble(*place.rsplit(":", 1)) for place in hosts.split(",")]
        if all(troubles):
            raise UntoldError(
                f"Spark: nothing answers at {master} ({troubles[0]}).\n"
                "Hint: check host and port, and that it was started; Spark Connect servers listen on 15002, masters on 7077."
            )


def _trouble(host: str, port: str) -> str:
    """Why nobody can be reached there; empty if somebody can."""
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except (OSError, OverflowError) as error:
        return getattr(error, "strerror", None) or str(error)
    return ""


def check_pyspark() -> None:
    """pyspark must be there, and new enough."""
    needed = ".".join(map(str, PYSPARK))
    try:
        version = metadata.version("pyspark")
    except metadata.PackageNotFoundError as error:
        raise UntoldError(
            f'The Spark engine needs pyspark {needed} or newer.\nHint: pip install "untold[spark]"'
        ) from error
    if tuple(int(part) for part in version.split(".")[:2]) < PYSPARK:
        raise UntoldError(
            f'pyspark {version} is too old; {needed} or newer is needed.\nHint: pip install --upgrade "untold[spark]"'
        )


def check_java() -> None:
    """So must Java, unless a Spark Connect server does the work elsewhere."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if java is None or not Path(java).exists():
        where = f"JAVA_HOME is {home}, which has no bin/java" if home else "none was found"
        raise UntoldError(f"Spark needs Java {JAVA} or newer: {where}.\nHint: {INSTALL_JAVA}.")
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    version = java_version(told)
    if version is not None and version < JAVA:
        raise UntoldError(f"Spark needs Java {JAVA} or newer; {java} is Java {version}.\nHint: {INSTALL_JAVA}.")


def java_version(told: str) -> int | None:
    """The number that people use, from what `java -version` says; None if it cannot be read.

    >>> java_version('openjdk version "17.0.15" 2025-04-15'), java_version('java version "1.8.0_402"')
    (17, 8)
    """
    found = re.search(r'version "(?:1\.)?(\d+)', told)
    return int(found.group(1)) if found else None
