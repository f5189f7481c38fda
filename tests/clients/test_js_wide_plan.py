"""A plan of 32 attributes is small enough for a phone, and a device reads it in a moment."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import untold

CLIENT = Path(untold.__file__).parent / "serve" / "pages" / "static" / "client" / "plan.js"
READ = """
import { readFileSync } from "node:fs";
const { Plan } = await import(process.argv[2]);
const text = readFileSync(process.argv[1], "utf8");
const times = [];
for (let i = 0; i < 3; i++) {
  const before = process.cpuUsage();
  const plan = await Plan.fromJson(text);
  times.push(process.cpuUsage(before).user / 1000);
  if (plan.services[0].sensitive.length !== 32) throw new Error("not that plan");
}
console.log(Math.min(...times));
"""


def test_thirty_two_attributes_are_read_within_a_fifth_of_a_second(tmp_path: Path) -> None:
    """Processor time, the best of three: other work on the machine does not count."""
    kinds: tuple[dict[str, Any], ...] = (
        {"kind": "ordinal", "low": 0, "high": 99},
        {"kind": "categorical", "values": list(range(8))},
        {"kind": "categorical", "values": ["yes", "no"]},
    )
    service = {"attributes": {f"a{i}": kinds[i % 3] for i in range(32)}}
    plan = untold.Plan.from_dict({"name": "w", "user_key": "uid", "epsilon": 2.0, "services": {"s": service}})
    path = tmp_path / "plan.json"
    path.write_text(plan.to_json())
    command = ["node", "--input-type=module", "-e", READ, str(path), CLIENT.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert len(plan.to_json()) < 250_000
    assert float(done.stdout) < 200
