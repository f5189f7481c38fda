"""CASE and IF as pairs of conditions and results."""

from __future__ import annotations

from sqlglot import exp

from untold.ask.sql.refusals import SPAN

WHOLE = (exp.DType.INT, exp.DType.BIGINT, exp.DType.SMALLINT, exp.DType.TINYINT, exp.DType.INT128)


def branches(tree: exp.Expr) -> tuple[list[tuple[exp.Expr, exp.Expr]], exp.Expr]:
    """CASE or IF as (condition, result) pairs and the result otherwise; CASE x WHEN v is CASE WHEN x = v."""
    if isinstance(tree, exp.If):
        return [(tree.this, tree.args["true"])], tree.args.get("false") or exp.null()
    pairs = []
    for branch in tree.args["ifs"]:
        condition = branch.this
        if tree.this is not None:
            condition = exp.EQ(this=tree.this.copy(), expression=branch.this.copy())
            condition.meta[SPAN] = branch.meta.get(SPAN)
        pairs.append((condition, branch.args["true"]))
    return pairs, tree.args.get("default") or exp.null()
