"""Questions made of a question: a total within one group, and one more total about the same rows."""

from __future__ import annotations

from dataclasses import replace

from untold.question.algebra import restricted
from untold.question.model import EstimateOutput, Factor, PublicKey, Question, SensitiveKey, Total, TotalOf


def of_group(asked: Question, total: Total, group: int) -> Total:
    """A total within one combination of sensitive labels, numbered as `Compiled.groups` numbers them."""
    within = total.within
    for number, key in reversed([(n, key) for n, key in enumerate(asked.keys) if isinstance(key, SensitiveKey)]):
        group, label = divmod(group, len(key.labels))
        if within is None or number in within:
            total = restricted(total, Factor(key.column, key.indicators[label]))
    return total


def further_question(question: Question, total: Total) -> Question:
    """One more total, in the rows of each combination of public keys."""
    return replace(
        question,
        keys=tuple(key for key in question.keys if isinstance(key, PublicKey)),
        totals=(total,),
        outputs=(EstimateOutput("d", TotalOf(0), ""),),
        having=None,
        order=(),
    )
