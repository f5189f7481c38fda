"""Writes the test vectors beside this file: what every client, in whatever language, must get from the same words.

PYTHONPATH=tests python -m vectors.make
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from vectors.attributes import attribute_vectors
from vectors.cell_order import cell_order_vectors
from vectors.chains import chain_vectors
from vectors.client import client_vectors
from vectors.contract import contract_vectors
from vectors.draws import draw_vectors
from vectors.hostile import hostile_vectors
from vectors.mixed import mixed_vectors
from vectors.promised import promised_vectors
from vectors.reports import report_vectors
from vectors.small import small_vectors
from vectors.text_tables import text_table_vectors
from vectors.wire import wire_vectors

HERE = Path(__file__).parent
VECTORS = {
    "attributes": attribute_vectors,
    "cell_order": cell_order_vectors,
    "chains": chain_vectors,
    "draws": draw_vectors,
    "reports": report_vectors,
    "client": client_vectors,
    "contract": contract_vectors,
    "hostile": hostile_vectors,
    "mixed": mixed_vectors,
    "promised": promised_vectors,
    "small": small_vectors,
    "text_tables": text_table_vectors,
    "wire": wire_vectors,
}


def as_text(vectors: Any) -> str:
    """One line for each vector, so that a change can be read."""
    lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in vectors)
    return f"[\n{lines}\n]\n"


def main() -> None:
    """Write all files."""
    for name, build in VECTORS.items():
        (HERE / f"{name}.json").write_text(as_text(build()), encoding="utf-8")


if __name__ == "__main__":
    main()
