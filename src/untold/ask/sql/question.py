"""From SQL text to a Question, in a fixed order of small steps. What has no unbiased answer is refused here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sqlglot import exp

from untold.ask.question.formulas import is_bent
from untold.ask.question.model import (
    Column,
    Condition,
    EstimateOutput,
    Floats,
    Formula,
    FunctionOutput,
    KeyFunction,
    KeyOutput,
    Output,
    PublicNumber,
    Question,
    SensitiveKey,
    SortKey,
    Total,
)
from untold.ask.sql.conditions.logic import ALWAYS, Joint, Open, both
from untold.ask.sql.conditions.where import condition
from untold.ask.sql.from_clause.bind import NO_DATES, EpochDates, bind_from, refuse_aggregates
from untold.ask.sql.from_clause.catalogue import Catalogue, catalogue_of, with_catalogues
from untold.ask.sql.from_clause.lookups import Lookup
from untold.ask.sql.names import Scope
from untold.ask.sql.one_attribute.finer import Cut, CutClass, with_finer
from untold.ask.sql.parameters import NO_VALUES, Values
from untold.ask.sql.parse import DIALECT, parse
from untold.ask.sql.public_expressions import indicator
from untold.ask.sql.refusals import Refusal, whole
from untold.ask.sql.results.group_by import group_keys
from untold.ask.sql.results.having import compared, having, keys_first, tail
from untold.ask.sql.results.output_names import OutputNames
from untold.ask.sql.totals.aggregates import aggregate
from untold.ask.sql.totals.asked import Asked, KeyRef
from untold.ask.sql.totals.collect import QueryTotals, indicators
from untold.ask.sql.totals.formulas import formula, rounding
from untold.ask.sql.totals.like_terms import merged
from untold.plan import Plan
from untold.plan.schema import Sensitive

if TYPE_CHECKING:
    from untold.ask.sql.facts import Facts

BENT_NOTE = (
    "Not unbiased, as they bend estimates: {}. More people bring them nearer to the truth; intervals allow for that."
)
VALUES_NOTE = "These are the values that are declared, whether anybody has them or not."
MOST_CUT_COLUMNS = 16
Tables = Mapping[str, Lookup | Catalogue]


@dataclass
class Draft:
    """A question in the making: every pass fills in its part."""

    sql: str
    plan: Plan
    tables: Tables = field(default_factory=dict)
    dates: EpochDates = field(default_factory=dict)
    values: Values = field(default_factory=dict)
    facts: Facts | None = None
    grouping: int | None = None
    lists_values: bool = False
    select: exp.Select = field(default_factory=exp.Select)
    asked: Asked = field(init=False)
    filter: PublicNumber | None = None
    outputs: tuple[Output, ...] = ()
    having: Condition | None = None
    order: tuple[SortKey, ...] = ()
    limit: int | None = None
    offset: int = 0

    def bind(self, select: exp.Select) -> Scope:
        """The scope of a SELECT over services; one inside of a formula knows the CTEs of the whole."""
        ctes = self.select.args.get("with_")
        if ctes is not None and select.args.get("with_") is None:
            select = select.copy()
            select.set("with_", ctes.copy())
        return bind_from(select, self.plan, self.tables, self.dates)


def question(
    sql: str,
    plan: Plan,
    tables: Tables | None = None,
    dates: EpochDates = NO_DATES,
    shown: str | None = None,
    values: Values = NO_VALUES,
    facts: Facts | None = None,
    grouping: int | None = None,
) -> Question:
    """What a query asks. UnsupportedQuery, with the place underlined, if there is no unbiased answer.

    tables: registered tables, by their names in lower case; dates: on which day epochs began; shown: the text that refusals
    underline, if this one is a part of it with blanks around; values: of parameters; facts: what is known of the reports without
    an error; grouping: which one of several that GROUP BY asks for.

    >>> plan = Plan.from_dict({"name": "poll", "user_key": "uid", "epsilon": 1.0, "services": {"people": {
    ...     "attributes": {"age": {"kind": "ordinal", "low": 0, "high": 99}, "os": {"kind": "public"}}}}})
    >>> asked = question("SELECT AVG(age) AS mean FROM people WHERE age >= 18 AND os = 'ios'", plan)
    >>> asked.filter.sql, len(asked.totals), asked.outputs[0].name
    ('CASE WHEN "people"."os" = \\'ios\\' THEN 1 ELSE 0 END', 2, 'mean')
    """
    finer: dict[Column, Cut] = {}
    try:
        with np.errstate(over="raise"):
            draft = partial(Draft, sql, tables=tables or {}, dates=dates, values=values, facts=facts, grouping=grouping)
            while (found := _read(draft, plan, finer)) is None:
                if len(finer) > MOST_CUT_COLUMNS:
                    raise Refusal(whole(sql), "This cuts classes of too many columns.", "Ask about fewer at a time.")
            return found
    except Refusal as refusal:
        raise refusal.said_of(shown or sql) from None
    except (OverflowError, FloatingPointError):
        reason = "The numbers of this query grow beyond what a computer calculates with."
        raise Refusal(whole(sql), reason, "Use smaller ones.").said_of(shown or sql) from None
    except RecursionError:
        raise Refusal(whole(sql), "The query is nested too deeply.", "Write it flatter.").said_of(
            shown or sql
        ) from None


def _read(begin: Callable[..., Draft], plan: Plan, finer: dict[Column, Cut]) -> Question | None:
    """The question, read over attributes that are cut as it needs them; None if it needs one that is cut further, which is
    among them then."""
    draft = begin(plan=plan)
    known = with_catalogues(plan, draft.tables) if draft.tables else plan
    draft.plan = with_finer(known, finer) if finer else known
    try:
        for step in PASSES:
            step(draft)
    except CutClass as found:
        finer[found.column] = found.cut
        return None
    asked = draft.asked
    read = Question(
        sql=draft.sql,
        services=asked.scope.services,
        filter=draft.filter,
        keys=tuple(key for _, key in asked.keys),
        totals=tuple(asked.totals.found),
        outputs=draft.outputs,
        having=draft.having,
        order=draft.order,
        limit=draft.limit,
        offset=draft.offset,
        notes=(*dict.fromkeys(asked.notes), *_notes(asked, draft.outputs)),
        counts_people=asked.counts_people,
        things=catalogue_of(asked.scope) if draft.tables else None,
        where=Total(merged(indicators(asked.totals.where)), is_count=True),
        parameters=tuple(draft.values.items()),
        grouping=draft.grouping,
    )
    if not finer:
        return read
    from untold.ask.sql.totals.cut_classes import written_in_classes

    return written_in_classes(read, finer)


def read_text(draft: Draft) -> None:
    """The tree."""
    draft.select = parse(draft.sql, draft.values, draft.plan)
    if draft.grouping is not None:
        from untold.ask.sql.unions.grouping_sets import grouped_by

        draft.select = grouped_by(draft.select, draft.grouping)
    if draft.facts is not None and draft.select.find(exp.Subquery) is not None:
        from untold.ask.sql.facts import with_facts

        draft.select = with_facts(draft.select, draft.plan, draft.facts)


def write_out(draft: Draft) -> None:
    """Subqueries and CTEs that aggregate become part of the query around them."""
    if len(list(draft.select.find_all(exp.Select))) == 1:
        return
    from untold.ask.sql.derived.written_out import written_out

    draft.select = written_out(draft.select, lambda select: bind_from(select, draft.plan, draft.tables, draft.dates))


def bind_services(draft: Draft) -> None:
    """FROM, joins, CTEs and subqueries."""
    draft.asked = Asked(
        draft.bind(draft.select), QueryTotals(ALWAYS), aggregate, _over, _subquery, draft.bind, compared
    )


def _over(node: exp.Window, asked: Asked) -> Formula:
    from untold.ask.sql.totals.windows import over

    return over(node, asked)


def _subquery(node: exp.Subquery, asked: Asked) -> Formula:
    from untold.ask.sql.totals.across_groups import subquery

    return subquery(node, asked)


def _has_subquery(select: exp.Select) -> bool:
    """Whether an item of SELECT, HAVING or ORDER BY asks a question of its own."""
    clauses = [*select.expressions, select.args.get("having"), select.args.get("order")]
    return any(clause.find(exp.Subquery) is not None for clause in clauses if clause is not None)


def split_where(draft: Draft) -> None:
    """WHERE and what subqueries and ON brought: public conditions that every row must meet, and the rest."""
    scope = draft.asked.scope
    if draft.select.args.get("having") is not None:
        keys_first(draft.select, scope)
    trees = list(scope.conditions)
    where = draft.select.args.get("where")
    if where is not None:
        refuse_aggregates(where.this)
        _refuse_results(draft.select, where.this, scope)
        trees.append(scope.resolve(where.this))
    logic = both(*(condition(tree, scope) for tree in trees))
    draft.asked.note_empty("WHERE", logic, trees)
    parts = logic.parts if isinstance(logic, Joint) and logic.every else (logic,)
    apart = not _has_subquery(draft.select)  # a subquery is about all rows, whatever the query around it leaves out
    filters = [part for part in parts if isinstance(part, Open)] if apart else []
    if filters:
        draft.filter = indicator(_all_open(filters))
        logic = both(*(part for part in parts if part not in filters))
    draft.asked.totals.where = logic


def _refuse_results(select: exp.Select, where: exp.Expr, scope: Scope) -> None:
    """WHERE n > 3, where n is an aggregate of SELECT."""
    sums = {item.alias.lower() for item in select.expressions if item.alias and item.find(exp.AggFunc) is not None}
    for column in where.find_all(exp.Column):
        if not column.table and column.name.lower() in sums and not scope.knows(column):
            raise Refusal(
                column,
                f"'{column.name}' is an aggregate of SELECT; WHERE chooses rows before they are added up.",
                f"Write HAVING {column.name} ..., after GROUP BY.",
            )


def _all_open(filters: list[Open]) -> exp.Expr:
    tree = filters[0].tree
    for part in filters[1:]:
        tree = exp.And(this=exp.Paren(this=tree.copy()), expression=exp.Paren(this=part.tree.copy()))
    return tree


def read_distinct(draft: Draft) -> None:
    """SELECT DISTINCT: without aggregates the groups of all its columns, with them nothing, as groups differ."""
    from untold.ask.sql.results.distinct import without_distinct

    draft.select, draft.lists_values = without_distinct(draft.select, draft.select.args["distinct"])


def read_groups(draft: Draft) -> None:
    """GROUP BY."""
    if draft.select.args.get("distinct") is not None:
        read_distinct(draft)
    if draft.select.args.get("group") is not None:
        group_keys(draft.select, draft.asked)


def read_outputs(draft: Draft) -> None:
    """SELECT."""
    asked, names = draft.asked, OutputNames()
    outputs: list[Output] = []
    for item in draft.select.expressions:
        tree = item.this if isinstance(item, exp.Alias) else item
        name = names.name(item)
        key = asked.key_of(tree)
        if key is not None:
            outputs.append(KeyOutput(name, key))
            asked.aliases.setdefault(item.alias.lower() or name.lower(), KeyRef(key))
            continue
        function = _key_function(tree, asked)
        if function is not None:
            outputs.append(FunctionOutput(name, function))
            if isinstance(item, exp.Alias):
                asked.aliases.setdefault(item.alias.lower(), function)
            continue
        inner, digits = rounding(tree)
        found = formula(inner, asked)
        outputs.append(EstimateOutput(name, found, tree.sql(DIALECT, comments=False), digits))
        names.take_errors_of(name)
        if isinstance(item, exp.Alias):
            asked.aliases.setdefault(item.alias.lower(), found)
    draft.outputs = tuple(outputs)
    for output in outputs:
        if isinstance(output, EstimateOutput) or (isinstance(output, FunctionOutput) and not output.function.keys):
            break
    else:
        if draft.lists_values:
            asked.totals.count(ALWAYS)
            asked.notes += [VALUES_NOTE] if any(isinstance(key, SensitiveKey) for _, key in asked.keys) else []
            return
        raise Refusal(
            draft.select.expressions[0],
            "There is no aggregate: which groups have members at all is an estimate too.",
            "Add COUNT(*) to SELECT.",
        )


def _key_function(tree: exp.Expr, asked: Asked) -> KeyFunction | None:
    if tree.find(exp.AggFunc, exp.Query) is not None:
        return None
    from untold.ask.sql.results.key_functions import key_function

    return key_function(tree, asked)


def read_having(draft: Draft) -> None:
    """HAVING."""
    if draft.select.args.get("having") is not None or draft.select.args.get("qualify") is not None:
        draft.having = having(draft.select, draft.asked)


def read_tail(draft: Draft) -> None:
    """ORDER BY, LIMIT, OFFSET."""
    if not any(map(draft.select.args.get, ("order", "limit", "offset"))):
        return
    last = tail(draft.select, draft.asked, draft.outputs)
    draft.order, draft.limit, draft.offset = last.order, last.limit, last.offset


def need_an_aggregate(draft: Draft) -> None:
    """Something must be estimated: rows themselves are never disclosed."""
    if not draft.asked.totals.found:
        raise Refusal(
            draft.select.expressions[0],
            "There is no aggregate, and so nothing to estimate: rows themselves are never disclosed.",
            "Add COUNT(*) to SELECT.",
            code="single-rows",
        )


def _notes(asked: Asked, outputs: tuple[Output, ...]) -> tuple[str, ...]:
    """What a reader should know about attributes that are used otherwise than in sums."""
    used: dict[tuple[str, str], None] = {}
    for total in asked.totals.found:
        for term in total.terms:
            for factor in term.factors:
                attribute = asked.scope.plan.service(factor.column.service).perturbed(factor.column.attribute)
                if _bends(attribute, factor.values[attribute.beyond : attribute.known - attribute.beyond]):
                    used[factor.column.service, factor.column.attribute] = None
    for _, key in asked.keys:
        if (
            isinstance(key, SensitiveKey)
            and not asked.scope.plan.service(key.column.service).perturbed(key.column.attribute).halves
        ):
            used[key.column.service, key.column.attribute] = None
    names = [o.name for o in outputs if isinstance(o, EstimateOutput) and is_bent(o.formula)]
    bent = (BENT_NOTE.format(", ".join(names)),) if names else ()
    cautions = (asked.scope.plan.service(service).perturbed(name).caution for service, name in used)
    return (*(caution for caution in cautions if caution is not None), *bent)


def _bends(attribute: Sensitive, values: Floats) -> bool:
    """Whether a function is more than a straight line; over classes, more than one line on some of them and a step on others."""
    largest = 1e-9 * np.abs(values).max(initial=0.0)
    if not attribute.halves:
        return bool(np.abs(np.diff(values, 2)).max(initial=0.0) > largest)
    ends, own = attribute.inside(attribute.numbers).reshape(-1, 2), values.reshape(-1, 2)
    sloped = np.abs(own[:, 1] - own[:, 0]) > largest
    if not sloped.any():
        return False
    slope, offset = np.polyfit(ends[sloped].reshape(-1), own[sloped].reshape(-1), 1)
    return bool(np.abs(slope * ends[sloped] + offset - own[sloped]).max() > 10 * largest)


PASSES = (
    read_text,
    write_out,
    bind_services,
    split_where,
    read_groups,
    read_outputs,
    read_having,
    read_tail,
    need_an_aggregate,
)
