"""The files of deploy/ are what they say: well-formed, not root, read-only, and with options that the command line has."""

from __future__ import annotations

import re
import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml

from untold import cli

DEPLOY = Path(__file__).parents[1] / "deploy"


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def test_two_collectors_a_standby_and_a_proxy(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert set(services) == {"collector1", "collector2", "primary", "standby", "proxy"}
    for name in ("collector1", "collector2"):
        one = services[name]
        assert one["read_only"] is True
        assert one["cap_drop"] == ["ALL"]
        assert "@primary,standby/" in one["environment"]["UNTOLD_LEDGER"]
        assert not any("postgresql://" in word for word in one["command"])  # a password in the list of processes
    assert "synchronous_standby_names = 'ANY 1 (standby)'" in (DEPLOY / "primary.sh").read_text()
    assert services["primary"]["environment"]["POSTGRES_INITDB_ARGS"] == "--data-checksums"
    assert "application_name=standby" in (DEPLOY / "standby.sh").read_text()
    volumes = {each.partition(":")[0] for one in services.values() for each in one.get("volumes", ())}
    assert {each for each in volumes if not each.startswith(".")} == set(compose["volumes"])
    mounted = {each for each in volumes if each.startswith("./")} - {"./plan.toml", "./tls"}  # yours
    assert all((DEPLOY / each).is_file() for each in mounted)


def test_the_options_in_deploy_are_options_of_the_command(
    compose: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    cli.main(["serve", "--help"])
    known = capsys.readouterr().out
    used = ["--" + name.removeprefix("UNTOLD_").lower() for name in compose["services"]["collector1"]["environment"]]
    assert {"--ledger", "--data", "--host", "--plan"} == set(used)
    unit = (DEPLOY / "untold.service").read_text()
    used += re.findall(r"(--[a-z-]+) ", unit)
    assert [each for each in used if each not in known and each != "--plan"] == []


def test_the_timer_calls_a_command_that_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    unit = ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string((DEPLOY / "untold-epoch.service").read_text())
    _, *words = unit["Service"]["ExecStart"].split()
    assert words[:3] == ["serve", "epoch", "next"]
    cli.main(["serve", "epoch", "--help"])
    known = capsys.readouterr().out
    assert [each for each in words if each.startswith("--") and each not in known] == []
    timer = (DEPLOY / "untold-epoch.timer").read_text()
    assert "OnCalendar=" in timer
    assert "Persistent=true" in timer


def test_the_proxy_asks_another_collector_for_a_report_that_failed(compose: dict[str, Any]) -> None:
    conf = (DEPLOY / "nginx.conf").read_text()
    assert re.findall(r"server (\w+):8000", conf) == ["collector1", "collector2"]
    assert "non_idempotent" in conf
    assert conf.count("{") == conf.count("}")


def test_the_image_is_not_roots(compose: dict[str, Any]) -> None:
    lines = [line for line in (DEPLOY / "Dockerfile").read_text().splitlines() if line and not line.startswith("#")]
    last = max(i for i, line in enumerate(lines) if line.startswith("FROM"))
    assert "USER untold" in lines[last:]
    assert not any(line.startswith(("COPY", "RUN", "ADD")) for line in lines[lines.index("USER untold") :])
    copied = [word for line in lines[:last] if line.startswith("COPY") for word in line.split()[1:-1]]
    assert all((DEPLOY.parent / each).exists() for each in copied)
    assert "--require-hashes" in "\n".join(lines)


def test_the_unit_is_one(tmp_path: Path) -> None:
    unit = ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(DEPLOY / "untold.service")
    assert unit["Service"]["User"] != "root"
    assert unit["Service"]["ProtectSystem"] == "strict"
    analyze = shutil.which("systemd-analyze")
    if analyze is not None:
        copy = tmp_path / "untold.service"  # with programs and users that are here
        text = (DEPLOY / "untold.service").read_text()
        copy.write_text(text.replace("/opt/untold/bin/untold", "/bin/true").replace("=untold\nGroup=untold", "=root"))
        done = subprocess.run([analyze, "verify", str(copy)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("script", ["primary.sh", "standby.sh"])
def test_scripts_are_well_formed(script: str) -> None:
    assert subprocess.run(["bash", "-n", str(DEPLOY / script)], capture_output=True).returncode == 0
