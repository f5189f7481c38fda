"""What MySQL means by its functions, in DuckDB's: weeks begin on Sundays, texts are compared without case, 1/3 is 0.3333.

    WEEK(d)             (DAYOFYEAR(d) + 6 - DAYOFWEEK(d)) // 7, Sundays having 0 in DuckDB
    YEARWEEK(d)         the year and the number of the week's Sunday
    s = 'ROME'          UPPER(STRIP_ACCENTS(s)) = 'ROME', as MySQL's usual collations have it

What is not here has the same meaning in both, or is refused. A comparison with a real server is in tests/mysql.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from untold.serve.statements.replies import NOT_YET, Refused

SUNDAY = "CAST({x} AS DATE) - INTERVAL (DAYOFWEEK({x})) DAY"  # of the week of x; Sundays have 0 in DuckDB
MONDAY = "CAST({x} AS DATE) - INTERVAL (ISODOW({x}) - 1) DAY"
MIDDLE_OF_SUNDAY, MIDDLE_OF_MONDAY = f"{SUNDAY} + INTERVAL 3 DAY", f"{MONDAY} + INTERVAL 3 DAY"
IN_YEAR = {  # mode of WEEK: 0 to 53, within the year
    0: "(DAYOFYEAR({x}) + 6 - DAYOFWEEK({x})) // 7",
    1: "(DAYOFYEAR({x}) + 10 - ISODOW({x})) // 7",
    4: "(DAYOFYEAR({x}) + 9 - DAYOFWEEK({x})) // 7",
    5: "(DAYOFYEAR({x}) + 7 - ISODOW({x})) // 7",
}
DAY_THAT_DECIDES = {2: SUNDAY, 3: MIDDLE_OF_MONDAY, 6: MIDDLE_OF_SUNDAY, 7: MONDAY}  # to which year a week belongs
WITH_YEAR = {0: 2, 1: 3, 4: 6, 5: 7}  # of YEARWEEK, as these
PARTS = {  # of DATE_FORMAT, as the parser leaves them: what DuckDB's strftime does not have
    "%X": ("STRFTIME({sunday}, '%Y')"),
    "%V": ("STRFTIME({sunday}, '%U')"),
    "%v": ("STRFTIME({x}, '%V')"),
    "%W": ("RIGHT('0' || CAST((DAYOFYEAR({x}) + 10 - ISODOW({x})) // 7 AS VARCHAR), 2)"),
    "%D": (
        "CAST(DAY({x}) AS VARCHAR) || CASE WHEN DAY({x}) IN (11, 12, 13) THEN 'th' WHEN DAY({x}) % 10 = 1 THEN 'st' "
        "WHEN DAY({x}) % 10 = 2 THEN 'nd' WHEN DAY({x}) % 10 = 3 THEN 'rd' ELSE 'th' END"
    ),
}
WEEKS = {  # STR_TO_DATE(CONCAT(YEARWEEK(d, mode), ' Sunday'), format): the first day of the week
    ("%X%V %A", " Sunday"): (SUNDAY, (0, 2)),
    ("%G%v %A", " Monday"): (MONDAY, (1, 3)),
}
OTHERWISE = {
    "ORD": "its number depends on the encoding",
    "HEX": "its bytes depend on the encoding",
    "STRCMP": "it depends on a collation",
    "FIELD": "it depends on a collation",
}
TEXTS = (
    exp.Upper, exp.Lower, exp.Concat, exp.ConcatWs, exp.Substring, exp.Left, exp.Right, exp.Trim, exp.TimeToStr, exp.Dayname,
    exp.Monthname, exp.Replace, exp.Reverse, exp.Pad,
)  # fmt: skip
COMPARED = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ)
LARGEST_PAD = 40
MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
WITHIN = "DATE_DIFF('second', DATE_TRUNC('month', CAST({0} AS TIMESTAMP)), CAST({0} AS TIMESTAMP))"  # a month
A, B = "{a}", "{b}"
WHOLE_MONTHS = (
    "12 * (YEAR(CAST({b} AS TIMESTAMP)) - YEAR(CAST({a} AS TIMESTAMP))) + MONTH(CAST({b} AS TIMESTAMP)) "
    "- MONTH(CAST({a} AS TIMESTAMP)) + CASE "
    f"WHEN CAST({B} AS TIMESTAMP) >= CAST({A} AS TIMESTAMP) AND {WITHIN.format(B)} < {WITHIN.format(A)} THEN -1 "
    f"WHEN CAST({B} AS TIMESTAMP) < CAST({A} AS TIMESTAMP) AND {WITHIN.format(B)} > {WITHIN.format(A)} THEN 1 ELSE 0 END"
)
Names = Mapping[str, str]  # columns in lower case, and their SQL types


def as_meant(tree: exp.Expr, types: Names) -> exp.Expr:
    """A query as MySQL reads it, in nodes that mean the same in DuckDB."""
    return _Meaning(types).of(tree)


def _written(template: str, **parts: exp.Expr) -> exp.Expr:
    """A piece of DuckDB's SQL with expressions in it."""
    sql = template.format(**{name: part.sql(dialect="duckdb", comments=False) for name, part in parts.items()})
    return exp.Paren(this=sqlglot.parse_one(sql, dialect="duckdb"))


def folded(text: str) -> str:
    """A text without case and accents, as DuckDB's UPPER(STRIP_ACCENTS(x)) has it.

    >>> folded("San José")
    'SAN JOSE'
    """
    plain = unicodedata.normalize("NFD", text)
    return "".join(char for char in plain if not unicodedata.combining(char)).upper()


@dataclass(frozen=True)
class _Meaning:
    types: Names

    def of(self, node: exp.Expr) -> exp.Expr:
        """The node with its parts as meant, then itself."""
        if (whole := self._week_of(node)) is not None:
            return whole
        if (rows := _rows_compared(node)) is not None:
            return self.of(rows)
        copy = node.copy()
        for name, value in node.args.items():
            if isinstance(value, exp.Expr):
                copy.set(name, self.of(value))
            elif isinstance(value, list):
                copy.set(name, [self.of(each) if isinstance(each, exp.Expr) else each for each in value])
        rule = RULES.get(type(node))
        if isinstance(node, exp.Anonymous):
            rule = NAMED.get(node.name.upper())
            if node.name.upper() in OTHERWISE:
                raise Refused(NOT_YET, f"{node.name.upper()} is not answered: {OTHERWISE[node.name.upper()]}.")
        return copy if rule is None else rule(self, node, copy)

    def _week_of(self, node: exp.Expr) -> exp.Expr | None:
        """STR_TO_DATE of YEARWEEK: Metabase's week."""
        inner = node.this if isinstance(node, exp.StrToDate) else None
        if not isinstance(inner, exp.Concat) or len(inner.expressions) != 2:
            return None
        week, day = inner.expressions
        start, modes = WEEKS.get((node.args["format"].name, day.name), ("", ()))
        if not start or not isinstance(week, exp.Anonymous) or week.name.upper() != "YEARWEEK":
            return None
        mode = _mode(week.expressions[1] if len(week.expressions) > 1 else None)
        return _written(f"CAST({start} AS DATE)", x=self.of(week.expressions[0])) if mode in modes else None

    def is_text(self, node: exp.Expr) -> bool:
        """Whether an expression is a text, and no date or number that is written as one."""
        if isinstance(node, exp.Paren):
            return self.is_text(node.this)
        if isinstance(node, exp.Column):
            return self.types.get(node.name.lower(), "").upper() in ("VARCHAR", "TEXT")
        if isinstance(node, exp.Cast):
            return node.to.is_type(*exp.DataType.TEXT_TYPES)
        if isinstance(node, exp.Case | exp.If | exp.Coalesce):
            inner = [each.args.get("true") for each in node.find_all(exp.If)] + [node.args.get("default"), node.this]
            return any(each is not None and (_is_word(each) or self.is_text(each)) for each in inner)
        return isinstance(node, TEXTS)

    def is_date(self, node: exp.Expr) -> bool:
        """Whether an expression is a column with days or times."""
        kind = self.types.get(node.name.lower(), "").upper() if isinstance(node, exp.Column) else ""
        return kind in ("DATE", "TIMESTAMP")

    def fold(self, before: exp.Expr, now: exp.Expr) -> exp.Expr:
        """A text as it is compared."""
        if _is_word(before):
            if before.name != before.name.rstrip(" "):
                raise Refused(
                    NOT_YET, "Whether blanks at the end of a text count depends on a collation. Leave them out."
                )
            return exp.Literal.string(folded(before.name))
        return exp.Upper(this=exp.Anonymous(this="STRIP_ACCENTS", expressions=[now]))

    def compared(self, node: exp.Expr, now: exp.Expr) -> exp.Expr:
        """= <> < <= > >= <=>."""
        if self.is_text(node.this) or self.is_text(node.expression):
            now.set("this", self.fold(node.this, now.this))
            now.set("expression", self.fold(node.expression, now.expression))
        return now

    def among(self, node: exp.Expr, now: exp.Expr) -> exp.Expr:
        """IN."""
        if self.is_text(node.this) and node.expressions:
            now.set("this", self.fold(node.this, now.this))
            pairs = zip(node.expressions, now.expressions, strict=True)
            now.set("expressions", [self.fold(before, after) for before, after in pairs])
        return now

    def between(self, node: exp.Expr, now: exp.Expr) -> exp.Expr:
        """BETWEEN."""
        if self.is_text(node.this):
            for part in ("this", "low", "high"):
                now.set(part, self.fold(node.args[part], now.args[part]))
        return now

    def like(self, node: exp.Expr, now: exp.Expr) -> exp.Expr:
        """LIKE without case."""
        if not _is_word(node.expression):
            return now
        now.set("this", self.fold(node.this, now.this))
        now.set("expression", exp.Literal.string(folded(node.expression.name)))
        return now

    def regexp(self, node: exp.Expr, now: exp.Expr) -> exp.Expr:
        """REGEXP without case; a pattern with escapes of letters would change."""
        pattern = node.expression.name
        if not _is_word(node.expression) or "\\" in pattern or "[:" in pattern:
            raise Refused(NOT_YET, "This pattern of REGEXP is not answered. Use LIKE.")
        now.set("this", exp.Upper(this=now.this))  # accents count here, as in LOCATE
        now.set("expression", exp.Literal.string(pattern.upper()))
        return now

    def position(self, node: exp.Expr, now: exp.Expr) -> exp.Expr:
        """LOCATE, INSTR, POSITION."""
        for part in ("this", "substr"):
            now.set(part, exp.Upper(this=now.args[part]))
        return now

    def case(self, node: exp.Expr, now: exp.Expr) -> exp.Expr:
        """CASE s WHEN 'x'."""
        if node.this is not None and self.is_text(node.this):
            now.set("this", self.fold(node.this, now.this))
            for before, after in zip(node.args["ifs"], now.args["ifs"], strict=True):
                after.set("this", self.fold(before.this, after.this))
        return now

    def nullif(self, node: exp.Expr, now: exp.Expr) -> exp.Expr:
        """NULLIF of texts."""
        if not self.is_text(node.this):
            return now
        same = exp.EQ(this=self.fold(node.this, now.this.copy()), expression=self.fold(node.expression, now.expression))
        return exp.Case(ifs=[exp.If(this=same, true=exp.null())], default=now.this)

    def largest(self, node: exp.Expr, now: exp.Expr) -> exp.Expr:
        """GREATEST and LEAST of texts."""
        if any(map(self.is_text, [node.this, *node.expressions])):
            raise Refused(NOT_YET, "Which of several texts is first depends on a collation. Use CASE WHEN.")
        return now

    def part_of_text(self, node: exp.Expr, now: exp.Expr) -> exp.Expr:
        """LEFT and SUBSTRING of a date."""
        if self.is_date(node.this):
            now.set("this", exp.cast(now.this, exp.DType.TEXT))
        return now

    def joined(self, node: exp.Expr, now: exp.Expr) -> exp.Expr:
        """CONCAT: whole numbers have no point."""
        parts = []
        for before, after in zip(node.expressions, now.expressions, strict=True):
            if before.find(exp.Floor, exp.Ceil) is not None and not self.is_text(before):
                after = exp.cast(after, exp.DType.BIGINT)
            elif before.find(exp.Div) is not None:
                raise Refused(NOT_YET, "How many digits a quotient has in a text is not answered. Use FLOOR.")
            parts.append(after)
        now.set("expressions", parts)
        return now

    def quotient(self, node: exp.Expr, now: exp.Expr) -> exp.Expr:
        """1 / 3 is 0.3333 where it is shown."""
        above = node.parent
        while isinstance(above, exp.Paren | exp.Alias):
            above = above.parent
        decimals = any("." in each.name for each in node.find_all(exp.Literal) if not each.is_string)
        if decimals or node.find(exp.AggFunc, exp.Query) is not None or not isinstance(above, exp.Select | exp.Group):
            return now
        return exp.Round(this=now, decimals=exp.Literal.number(4)) if _of_columns(node) else now


def _rows_compared(node: exp.Expr) -> exp.Expr | None:
    """(a, b) = (1, 2) and (a, b) IN ((1, 2), (3, 4)), column by column."""
    left = node.this if isinstance(node, exp.EQ | exp.In) else None
    if not isinstance(left, exp.Tuple):
        return None
    others = [node.expression] if isinstance(node, exp.EQ) else node.expressions
    if not others or not all(isinstance(o, exp.Tuple) and len(o.expressions) == len(left.expressions) for o in others):
        raise Refused(NOT_YET, "Rows are compared with rows that are written out, such as (a, b) IN ((1, 2)).")
    each = (zip(left.expressions, other.expressions, strict=True) for other in others)
    return exp.paren(
        exp.or_(*(exp.and_(*(exp.EQ(this=a.copy(), expression=b.copy()) for a, b in pairs)) for pairs in each))
    )


def _rollup(node: exp.Expr, now: exp.Expr) -> exp.Expr:
    """GROUP BY a, b WITH ROLLUP."""
    rolled = now.args.get("rollup")
    if rolled and now.expressions:
        now.set("rollup", None)
        now.set("expressions", [exp.Rollup(expressions=[key.copy() for key in now.expressions])])
    return now


def _of_columns(node: exp.Expr) -> bool:
    return node.find(exp.Column) is not None


def _is_word(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.is_string


def _mode(tree: exp.Expr | None) -> int:
    if tree is None:
        return 0
    if not isinstance(tree, exp.Literal) or tree.name not in tuple("01234567"):
        raise Refused(NOT_YET, "The mode of a week is a number from 0 to 7.")
    return int(tree.name)


def _week(mode: int, x: exp.Expr) -> exp.Expr:
    if mode in IN_YEAR:
        return _written(IN_YEAR[mode], x=x)
    return _written(f"(DAYOFYEAR({DAY_THAT_DECIDES[mode]}) + 6) // 7", x=x)


def _yearweek(node: exp.Expr, now: exp.Expr) -> exp.Expr:
    mode = _mode(node.expressions[1] if len(node.expressions) > 1 else None)
    day = DAY_THAT_DECIDES[WITH_YEAR.get(mode, mode)]
    return _written(f"YEAR({day}) * 100 + (DAYOFYEAR({day}) + 6) // 7", x=now.expressions[0])


def _format(node: exp.Expr, now: exp.Expr) -> exp.Expr:
    """DATE_FORMAT, in pieces where DuckDB has no such part."""
    pattern, x = node.args["format"].name, now.this
    pieces: list[exp.Expr] = []
    plain, place = "", 0
    while place < len(pattern):
        part = pattern[place : place + (3 if pattern[place : place + 2] == "%-" else 2)]
        if part in PARTS:
            pieces += [_written(f"STRFTIME({{x}}, {exp.Literal.string(plain).sql()})", x=x)] if plain else []
            sunday = _written(SUNDAY, x=x)
            pieces.append(
                _written(PARTS[part], x=x, sunday=sunday) if "{sunday}" in PARTS[part] else _written(PARTS[part], x=x)
            )
            plain, place = "", place + 2
        else:
            step = len(part) if part.startswith("%") else 1
            plain, place = plain + pattern[place : place + step], place + step
    if not pieces:
        return now
    pieces += [_written(f"STRFTIME({{x}}, {exp.Literal.string(plain).sql()})", x=x)] if plain else []
    out = pieces[0]
    for each in pieces[1:]:
        out = exp.DPipe(this=out, expression=each, safe=True)
    return exp.Paren(this=out)


def _moved(node: exp.Expr, now: exp.Expr) -> exp.Expr:
    """ADDDATE and SUBDATE."""
    date, by = now.expressions
    if isinstance(node.expressions[0], exp.TimeToStr | exp.Concat):
        date = exp.cast(date, exp.DType.TIMESTAMP)
    kind = exp.DateAdd if node.name.upper() == "ADDDATE" else exp.DateSub
    unit = by.args.get("unit") if isinstance(by, exp.Interval) else exp.var("DAY")
    return kind(this=date, expression=by.this if isinstance(by, exp.Interval) else by, unit=unit)


def _pad(node: exp.Expr, now: exp.Expr) -> exp.Expr:
    size, fill = node.expression, node.args.get("fill_pattern")
    known = isinstance(size, exp.Literal) and size.name.isdigit() and int(size.name) <= LARGEST_PAD
    if not known or fill is None or not _is_word(fill) or len(fill.name) != 1:
        raise Refused(NOT_YET, f"LPAD and RPAD are answered with a length up to {LARGEST_PAD} and one character.")
    text = exp.cast(now.this, exp.DType.TEXT)
    full = exp.Literal.string(fill.name * int(size.name))
    side = "RIGHT({full} || {x}, {n})" if node.args.get("is_left") else "LEFT({x} || {full}, {n})"
    return _written(
        f"CASE WHEN LENGTH({{x}}) >= {{n}} THEN LEFT({{x}}, {{n}}) ELSE {side} END", x=text, n=size, full=full
    )


def _difference(node: exp.Expr, now: exp.Expr) -> exp.Expr:
    """TIMESTAMPDIFF counts whole units, as DATESUB does; but from February 29 no year is over on February 28."""
    name = node.text("unit").upper()
    if name in MONTHS:
        return _written(f"CAST(TRUNC(({WHOLE_MONTHS}) / {MONTHS[name]}) AS BIGINT)", a=now.expression, b=now.this)
    unit = exp.Literal.string(name.lower())
    return _written(
        "DATESUB({unit}, CAST({low} AS TIMESTAMP), CAST({high} AS TIMESTAMP))",
        unit=unit,
        low=now.expression,
        high=now.this,
    )


def _extract(node: exp.Expr, now: exp.Expr) -> exp.Expr:
    unit = node.this.name.upper()
    if unit == "WEEK":
        return _week(0, now.expression)
    return _written("YEAR({x}) * 100 + MONTH({x})", x=now.expression) if unit == "YEAR_MONTH" else now


def _to_days(node: exp.Expr, now: exp.Expr) -> exp.Expr:
    """TO_DAYS, of which the parser makes a difference from a day that MySQL's calendar has not."""
    start = node.expression.this if isinstance(node.expression, exp.TsOrDsToDate) else None
    return (
        exp.Paren(this=exp.Sub(this=now, expression=exp.Literal.number(1)))
        if start and start.name == "0000-01-01"
        else now
    )


def _cast(node: exp.Expr, now: exp.Expr) -> exp.Expr:
    """CAST(x AS SIGNED) rounds half away from zero."""
    whole = node.args["to"].this == exp.DType.BIGINT and node.this.find(exp.Div) is not None
    if whole and node.this.find(exp.AggFunc) is None:
        now.set("this", exp.Round(this=now.this))
    return now


def _bits(node: exp.Expr, now: exp.Expr) -> exp.Expr:
    raise Refused(NOT_YET, "Bits of numbers are not answered: MySQL takes them without a sign.")


def _plain(rule: Callable[[exp.Expr, exp.Expr], exp.Expr]) -> Callable[[_Meaning, exp.Expr, exp.Expr], exp.Expr]:
    return lambda _, node, now: rule(node, now)


Rule = Callable[[_Meaning, exp.Expr, exp.Expr], exp.Expr]
RULES: dict[type[exp.Expr], Rule] = {
    **dict.fromkeys(COMPARED, _Meaning.compared),
    exp.In: _Meaning.among,
    exp.Between: _Meaning.between,
    exp.Like: _Meaning.like,
    exp.RegexpLike: _Meaning.regexp,
    exp.StrPosition: _Meaning.position,
    exp.Case: _Meaning.case,
    exp.Nullif: _Meaning.nullif,
    exp.Greatest: _Meaning.largest,
    exp.Least: _Meaning.largest,
    exp.Left: _Meaning.part_of_text,
    exp.Right: _Meaning.part_of_text,
    exp.Substring: _Meaning.part_of_text,
    exp.Concat: _Meaning.joined,
    exp.ConcatWs: _Meaning.joined,
    exp.Div: _Meaning.quotient,
    exp.DayOfWeek: _plain(lambda node, now: _written("DAYOFWEEK({x}) + 1", x=now.this)),
    exp.Week: _plain(lambda node, now: _week(_mode(node.args.get("mode")), now.this)),
    exp.TimeToStr: _plain(_format),
    exp.TimestampDiff: _plain(_difference),
    exp.Extract: _plain(_extract),
    exp.DateDiff: _plain(_to_days),
    exp.Group: _plain(_rollup),
    exp.Pad: _plain(_pad),
    exp.Cast: _plain(_cast),
    exp.Length: _plain(
        lambda node, now: exp.Anonymous(this="STRLEN", expressions=[now.this]) if node.args.get("binary") else now
    ),
    exp.Ascii: _plain(lambda node, now: _refused("ASCII", "its number depends on the encoding")),
    **dict.fromkeys(
        (exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot, exp.BitwiseLeftShift, exp.BitwiseRightShift), _plain(_bits)
    ),
}
NAMED: dict[str, Rule] = {
    "WEEKDAY": _plain(lambda node, now: _written("ISODOW({x}) - 1", x=now.expressions[0])),
    "YEARWEEK": _plain(_yearweek),
    "MAKEDATE": _plain(
        lambda node, now: _written(
            "CAST(MAKE_DATE({y}, 1, 1) + INTERVAL ({n} - 1) DAY AS DATE)", y=now.expressions[0], n=now.expressions[1]
        )
    ),
    "ADDDATE": _plain(_moved),
    "SUBDATE": _plain(_moved),
    "OCTET_LENGTH": _plain(lambda node, now: exp.Anonymous(this="STRLEN", expressions=now.expressions)),
    "MID": _plain(lambda node, now: exp.Anonymous(this="SUBSTR", expressions=now.expressions)),
}


def _refused(name: str, why: str) -> exp.Expr:
    raise Refused(NOT_YET, f"{name} is not answered: {why}.")
