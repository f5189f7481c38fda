"""deploy/monitoring and deploy/kubernetes: alerts by promtool, panels by what a collector shows, manifests by the schemas."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from benchmarks.collector.server import PLAN

from helpers.inside import ask, open_collector, send
from untold import cli
from untold.serve.app import App
from untold.serve.metrics import HELP, Counts

DEPLOY = Path(__file__).parents[1] / "deploy"
MONITORING, KUBERNETES = DEPLOY / "monitoring", DEPLOY / "kubernetes" / "untold.yaml"
PROMTOOL = shutil.which("promtool")


def names_in(text: str) -> set[str]:
    """Metrics of ours that a text speaks of, parts of histograms as the whole."""
    found = set(re.findall(r"\buntold_[a-z_]+", text))
    return {re.sub(r"_bucket$", "", name) for name in found}


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed")
@pytest.mark.parametrize(
    "words",
    [("check", "rules", "alerts.yaml"), ("test", "rules", "alerts_test.yaml"), ("check", "config", "prometheus.yaml")],
)
def test_promtool_agrees(words: tuple[str, ...]) -> None:
    assert PROMTOOL is not None
    done = subprocess.run([PROMTOOL, *words], cwd=MONITORING, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed")
def test_metrics_are_prometheus_text(tmp_path: Path) -> None:
    with open_collector(tmp_path) as collector:
        send(collector, range(5))
        send(collector, range(3))
        app = App(collector)
        assert asyncio.run(ask(app, "POST", "/reports", b"{}"))[0] == 401
        _, text, _ = asyncio.run(ask(app, "GET", "/metrics"))
    assert PROMTOOL is not None
    done = subprocess.run([PROMTOOL, "check", "metrics"], input=text, capture_output=True)
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    assert b'untold_reports_by_epoch_total{service="people",epoch="0"} 5\n' in text
    assert b'untold_requests_refused_total{code="bad-token"} 1\n' in text
    assert b'untold_request_seconds_bucket{le="+Inf"} 1\n' in text
    assert b"untold_request_seconds_count 1\n" in text


def test_a_histogram_adds_up() -> None:
    counts = Counts()
    for seconds in (0.0005, 0.001, 0.3, 100.0):
        counts.observe("untold_request_seconds", seconds)
    text = counts.text({})
    found = re.findall(r'untold_request_seconds_bucket\{le="([^"]+)"\} (\d+)', text)
    assert dict(found)["0.001"] == "2"
    assert (dict(found)["0.25"], dict(found)["0.5"], dict(found)["30"], dict(found)["+Inf"]) == ("2", "3", "3", "4")
    assert "untold_request_seconds_sum 100.3015\n" in text


@pytest.mark.parametrize("file", ["alerts.yaml", "dashboard.json"])
def test_only_metrics_that_there_are(file: str) -> None:
    """And every refusal, wait and duration has a place on the dashboard."""
    used = names_in((MONITORING / file).read_text())
    assert used <= set(HELP)
    if file == "dashboard.json":
        panels = json.loads((MONITORING / file).read_text())["panels"]
        assert len({panel["id"] for panel in panels}) == len(panels)
        assert {name for name in HELP if "refused" in name or HELP[name][0] == "histogram"} <= used


def manifests() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(KUBERNETES.read_text()))


@pytest.mark.parametrize("kind", ["ConfigMap", "Deployment", "PodDisruptionBudget", "Service", "Ingress"])
def test_manifests_fit_the_schemas(kind: str) -> None:
    (found,) = (each for each in manifests() if each["kind"] == kind)
    kubernetes_validate.validate(found, kubernetes_validate.latest_version(), strict=True)


def test_a_mistake_in_a_manifest_is_noticed() -> None:
    (found,) = (each for each in manifests() if each["kind"] == "Deployment")
    found["spec"]["template"]["spec"]["containers"][0]["readinesProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(found, kubernetes_validate.latest_version(), strict=True)


def test_options_and_probes_are_those_of_the_collector(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    cli.main(["serve", "--help"])
    known = capsys.readouterr().out
    (options,) = (each["data"] for each in manifests() if each["kind"] == "ConfigMap")
    ours = {name for name in options if name.startswith("UNTOLD_")} - {"UNTOLD_PLAN", "UNTOLD_CACHE"}
    assert all("--" + name.removeprefix("UNTOLD_").lower().replace("_", "-") in known for name in ours)
    (pod,) = (each["spec"]["template"]["spec"] for each in manifests() if each["kind"] == "Deployment")
    (container,) = pod["containers"]
    assert pod["enableServiceLinks"] is False
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    paths = {container[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "liveness", "readiness")}
    (ingress,) = (each["spec"]["rules"][0]["http"]["paths"] for each in manifests() if each["kind"] == "Ingress")
    assert "/metrics" not in {each["path"] for each in ingress}
    with open_collector(tmp_path, PLAN) as collector:
        assert {asyncio.run(ask(App(collector), "GET", path))[0] for path in paths} == {200}
