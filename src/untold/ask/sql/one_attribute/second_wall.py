"""The second wall: what DuckDB itself reads in the text that is about to run."""

from __future__ import annotations

import json
import re
from typing import Any

from untold.ask.sql.one_attribute.functions import CLASSES, NAMES, OPERATORS, TYPE_NAMES

COLUMN = re.compile(r"t\d+\.(v\d*|n|code)")
PLACES = ("BASE_TABLE", "JOIN", "EMPTY")
TABLE = re.compile(r"values_\d+|part|keys")


def strangers(parsed: str) -> list[str]:
    """What stands in a statement, parsed by json_serialize_sql, that no expression over declared values has."""
    tree = json.loads(parsed)
    if tree.get("error") or len(tree.get("statements", ())) != 1:
        return ["a statement that DuckDB cannot read"]
    node = tree["statements"][0]["node"]
    found: list[str] = [] if node.get("type") == "SELECT_NODE" else [str(node.get("type"))]
    found += [key for key in ("group_expressions", "having", "qualify", "sample", "modifiers") if node.get(key)]
    if node.get("aggregate_handling", "STANDARD_HANDLING") != "STANDARD_HANDLING":
        found.append("GROUP BY ALL")
    if (node.get("cte_map") or {}).get("map"):
        found.append("WITH")
    queue: list[Any] = [node.get("select_list"), node.get("where_clause")]
    while queue:
        each = queue.pop()
        if isinstance(each, list):
            queue += each
        elif isinstance(each, dict):
            found += _of_node(each)
            queue += each.values()
    return found + _of_tables(node.get("from_table"))


def _of_node(node: dict[str, Any]) -> list[str]:
    found = []
    kind = node.get("class")
    if kind is not None and kind not in CLASSES:
        found.append(str(kind))
    if kind == "OPERATOR" and node.get("type") not in OPERATORS:
        found.append(str(node.get("type")))
    if kind == "COLUMN_REF" and not COLUMN.fullmatch(".".join(node.get("column_names", ()))):
        found.append(".".join(node.get("column_names", ())))
    if kind == "TYPE" and str(node.get("type_name")).upper() not in TYPE_NAMES:
        found.append(str(node.get("type_name")))
    if "function_name" in node and str(node["function_name"]).lower() not in NAMES:
        found.append(str(node["function_name"]))
    return found + [key for key in ("schema", "catalog", "filter", "distinct") if kind == "FUNCTION" and node.get(key)]


def _of_tables(place: dict[str, Any] | None) -> list[str]:
    if place is None:
        return []
    found = [] if place.get("type") in PLACES else [str(place.get("type"))]
    if place.get("type") == "BASE_TABLE" and not TABLE.fullmatch(str(place.get("table_name"))):
        found.append(str(place.get("table_name")))
    return found + _of_tables(place.get("left")) + _of_tables(place.get("right"))
