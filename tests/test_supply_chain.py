"""What is installed and released is what was looked at: locked versions, a list of parts, checksums of the JavaScript."""

from __future__ import annotations

import json
import sys
from importlib.metadata import distributions
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))

import javascript  # noqa: E402
import lock  # noqa: E402
import sbom  # noqa: E402


@pytest.mark.parametrize("name", ["build", "docs", "runtime", "test"])
def test_every_pinned_version_is_locked_by_checksums(name: str) -> None:
    pinned, locked = (ROOT / "requirements" / f"{name}{ending}" for ending in (".txt", ".lock"))
    assert lock.locked(locked) == lock.pins(pinned), "run scripts/lock"


def test_archives_of_other_systems_and_versions_are_left_out() -> None:
    names = {
        "polars-2.1.0-cp39-abi3-manylinux_2_17_x86_64.whl": True,
        "polars-2.1.0.tar.gz": True,
        "polars-2.1.0-py3-none-any.whl": True,
        "polars-2.1.0-cp311-cp311-macosx_11_0_arm64.whl": True,
        "polars-2.1.0-cp39-cp39-macosx_11_0_arm64.whl": False,
        "polars-2.1.0-cp312-cp312-win_amd64.whl": False,
        "polars-2.1.0rc1.tar.gz": False,
        "polars_extra-2.1.0.tar.gz": False,
        "polars-2.1.0.exe": False,
    }
    assert {name: lock.usable(name, "Polars", "2.1.0") for name in names} == names


def test_pages_of_an_index_are_read() -> None:
    links = lock.Links()
    links.feed(f'<a href="../../a%2Bb-1.0.tar.gz#sha256={"0" * 64}">x</a><a href="c.zip">y</a>')
    assert links.found == {"a+b-1.0.tar.gz": "0" * 64}


def test_scripts_install_nothing_without_a_checksum() -> None:
    for script in ("scripts/lib/env.sh", "scripts/release"):
        lines = [line for line in (ROOT / script).read_text().splitlines() if " install " in line and "-r " in line]
        assert all("--require-hashes" in line for line in lines), script
    assert "--require-hashes" in (ROOT / "scripts/lib/env.sh").read_text()


def test_the_list_of_parts_is_whole(tmp_path: Path) -> None:
    published = tmp_path / "untold.whl"
    published.write_bytes(b"wheel")
    found = sbom.sbom(list(distributions()), [published])
    assert (found["bomFormat"], found["specVersion"], found["metadata"]["component"]["name"]) == (
        "CycloneDX",
        "1.6",
        "untold",
    )
    parts = {each["name"]: each for each in found["components"]}
    assert {"numpy", "duckdb", "uvicorn", "cryptography", "untold.whl"} <= set(parts)
    assert parts["untold.whl"]["hashes"][0]["content"] == sbom.files([published])[0]["hashes"][0]["content"]
    known = {each["bom-ref"] for each in found["components"]} | {found["metadata"]["component"]["bom-ref"]}
    assert len(known) == len(found["components"]) + 1
    used = {ref for each in found["dependencies"] for ref in (each["ref"], *each["dependsOn"])}
    assert used <= known
    (own,) = (each for each in found["dependencies"] if each["ref"].startswith("pkg:pypi/untold@"))
    assert any(ref.startswith("pkg:pypi/numpy@") for ref in own["dependsOn"])
    assert sbom.sbom(list(distributions()), [published]) == found  # the same release, the same list
    published.write_bytes(b"another wheel")
    assert sbom.sbom(list(distributions()), [published])["serialNumber"] != found["serialNumber"]


def test_the_javascript_of_a_wheel_is_compared_and_signed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wheel, told, key = tmp_path / "untold-1-py3-none-any.whl", tmp_path / "javascript.json", tmp_path / "key"
    key.write_text("07" * 32)
    pack(wheel, b"send(report)")
    assert javascript.main("make", str(wheel), str(told), str(key)) == 0
    assert list(json.loads(told.read_text())["sha256"]) == ["html/survey.html", "static/client/http.js"]
    public = (tmp_path / "javascript.json.sig").read_text().split()[0]
    assert javascript.main("check", str(wheel), str(told), public) == 0
    assert javascript.main("check", str(wheel), str(told), "ab" * 32) == 1  # signed by another key
    signature = tmp_path / "javascript.json.sig"
    signature.write_text(f"{public} {'00' * 64}\n")
    assert javascript.main("check", str(wheel), str(told), public) == 1
    pack(wheel, b"send(record)")
    assert javascript.main("check", str(wheel), str(told)) == 1
    assert "other JavaScript" in capsys.readouterr().err


def pack(wheel: Path, script: bytes) -> None:
    with ZipFile(wheel, "w") as packed:
        packed.writestr("untold/serve/pages/static/client/http.js", script)
        packed.writestr("untold/serve/pages/html/survey.html", b"<p>")
        packed.writestr("untold/other.js", b"")
