"""Texts that are large, deep, endless or strange."""

from __future__ import annotations

from collections.abc import Iterator

COUNT = "SELECT COUNT(*) AS n FROM users"
ODD = ("\x00", "\x1b[2J", "\u202e", "\ufeff", "\ud7ff", "\u2028", "\U0001f600", "\u00a0", "\u200b", "e\u0301" * 300, "\uff07",
       "\u02bc", "\r\n", "\v", "\f", "\x7f", "\ufffe", "\U0010ffff", "%s%n", "${jndi:x}", "{7*7}", "<script>")  # fmt: skip
BOMBS = ("(a+)+$", "(a|a)*b", "(.*)*x", "(a*)*" * 30, "a{1,30000}", "(?R)", "\\1" * 99, "[[:alpha:]")


def texts() -> list[str]:
    """All of them."""
    return [*sizes(), *depths(), *products(), *strange(), *patterns(), *recursions()]


def sizes() -> Iterator[str]:
    """Long in one way."""
    many = range(4000)
    yield f"{COUNT} WHERE age IN ({', '.join(map(str, many))})"
    yield f"{COUNT} WHERE age IN ({', '.join(str(i) for i in range(1, 126))})"
    incomes, ages = ", ".join(str(2000 * i) for i in range(126)), ", ".join(map(str, range(1, 126, 2)))
    yield f"{COUNT} WHERE income IN ({incomes}) AND age IN ({ages})"
    yield f"{COUNT} WHERE os IN ({', '.join(repr(str(i)) for i in many)})"
    yield f"{COUNT} WHERE {' OR '.join(f'age = {i % 125 + 1}' for i in range(2000))}"
    yield f"{COUNT} WHERE {' AND '.join(f'age <> {i % 125 + 1}' for i in range(2000))}"
    yield f"{COUNT} WHERE {' OR '.join(f'(age = {i} AND income = {2000 * i})' for i in range(1, 125))}"
    yield f"{COUNT} WHERE {' AND '.join(f'(age < {i} OR income > {2000 * i})' for i in range(1, 125))}"
    yield f"{COUNT} WHERE {' AND '.join('(age < 30 OR income > 60000 OR state = ' + repr('NY') + ')' for _ in range(60))}"
    yield f"{COUNT} WHERE {' AND '.join(f'(os = {i!s} OR age < {i})' for i in range(2, 40))}"
    yield f"SELECT {', '.join(f'COUNT(*) AS n{i}' for i in range(3000))} FROM users"
    yield f"SELECT {', '.join(f'SUM(CASE WHEN age < {i} THEN income END) AS n{i}' for i in range(1, 125))} FROM users"
    yield f"SELECT {', '.join(f'STDDEV(age * {i}) AS n{i}' for i in range(1, 100))} FROM users"
    yield f"SELECT {', '.join(f'MEDIAN(income) AS n{i}' for i in range(40))} FROM users"
    yield f"SELECT {', '.join(f'QUANTILE_CONT(income, 0.{i:03d}) AS n{i}' for i in range(1, 60))}, age FROM users GROUP BY age"
    yield "SELECT " + "1," * 15000 + " COUNT(*) FROM users"
    yield "SELECT " + " + ".join(["COUNT(*)"] * 4000) + " AS n FROM users"
    yield "SELECT " + " / ".join(["COUNT(*)"] * 500) + " AS n FROM users"
    yield "SELECT " + " * ".join(["AVG(age)"] * 400) + " AS n FROM users"
    yield "SELECT COUNT(*) AS " + "a" * 40000 + " FROM users"
    yield COUNT + " WHERE os = '" + "x" * 49000 + "'"
    yield COUNT + " " * 60000
    yield COUNT + " -- " + "x" * 40000
    yield COUNT + " /* " + "x" * 40000
    yield "SHOW BUDGET" + " " * 49000 + "x"
    yield "x" * 50001
    yield ";" * 49000
    yield "'" * 49001
    yield '"' * 49001
    yield f"{COUNT} LIMIT {'9' * 5000}"
    yield f"{COUNT} LIMIT -1"
    yield f"{COUNT} OFFSET {'9' * 30}"
    yield f"{COUNT} WHERE age < {'9' * 6000}"
    yield f"{COUNT} WHERE age < 1e99999"
    yield f"{COUNT} WHERE income < 0.{'3' * 9000}"
    yield f"{COUNT} WHERE age < 10 ** 10 ** 10"
    yield f"SELECT COUNT(*) * {'9' * 400} AS n FROM users"
    yield "SELECT COUNT(*) / 0 AS n FROM users"
    yield "SELECT 10 ^ 10 ^ 10 ^ COUNT(*) AS n FROM users"
    yield "SELECT SUM(age) << 1000000000 AS n FROM users"
    yield "SELECT REPEAT('x', 1000000000) AS x, COUNT(*) AS n FROM users GROUP BY 1"
    yield "SELECT REPEAT(os, 1000000000) AS x, COUNT(*) AS n FROM users GROUP BY 1"
    yield "SELECT LPAD(os, 1000000000, 'x') AS x, COUNT(*) AS n FROM users GROUP BY 1"
    yield f"WITH {', '.join(f'a{i} AS (SELECT * FROM users)' for i in range(700))} SELECT COUNT(*) AS n FROM a1"
    chain = ", ".join(f"a{i} AS (SELECT * FROM a{i - 1})" for i in range(1, 500))
    yield f"WITH a0 AS (SELECT * FROM users), {chain} SELECT COUNT(*) AS n FROM a499"


def depths() -> Iterator[str]:
    """Deep."""
    for deep in (20, 24, 30, 1000, 20000):
        yield f"{COUNT} WHERE {'(' * deep}age < 30{')' * deep}"
    yield f"{COUNT} WHERE {'NOT ' * 5000} age < 30"
    yield f"{COUNT} WHERE age < {'-' * 5000}30"
    yield f"{COUNT} WHERE age < {'- ' * 5000}30"
    yield f"SELECT {'ABS(' * 24}COUNT(*){')' * 24} AS n FROM users"
    yield f"SELECT {'CASE WHEN age < 9 THEN 1 ELSE ' * 400} 2 {'END ' * 400} AS x, COUNT(*) AS n FROM users GROUP BY 1"
    yield f"SELECT COUNT(*) AS n FROM {'(SELECT * FROM ' * 24} users {')' * 24}"
    yield f"SELECT COUNT(*) AS n FROM {'(SELECT * FROM ' * 400} users {') x' * 400}"
    yield "[" * 20000
    yield "{" * 20000
    yield f"{COUNT} WHERE age IN {'[' * 500}1{']' * 500}"
    yield f"{COUNT} WHERE os = {'{a:' * 500}1{'}' * 500}"
    yield "SELECT " + "age." * 5000 + "x FROM users"
    yield f"{COUNT} WHERE os = 'a'{'::text' * 3000}"
    yield f"{COUNT} WHERE os = 'a' {'COLLATE x ' * 1000}"
    yield "SELECT " + "a -> " * 3000 + "a FROM users"
    yield f"{COUNT} WHERE os {'|| os ' * 5000} = 'a'"
    yield "SELECT " * 5000
    yield "WITH x AS (" * 24 + COUNT
    yield "FROM " * 5000 + "users"


def products() -> Iterator[str]:
    """Cross joins, cubes and products of groups."""
    for many in (2, 5, 40, 800):
        yield "SELECT COUNT(*) AS n FROM " + ", ".join(f"users u{i}" for i in range(many))
        yield "SELECT COUNT(*) AS n FROM users " + " ".join(f"JOIN transactions t{i} USING (uid)" for i in range(many))
    yield "SELECT COUNT(*) AS n FROM users CROSS JOIN transactions"
    yield "SELECT COUNT(*) AS n FROM users u JOIN transactions t ON u.uid <> t.uid"
    yield "SELECT COUNT(*) AS n FROM users u JOIN transactions t ON true"
    yield "SELECT age, income, COUNT(*) AS n FROM users GROUP BY age, income"
    yield "SELECT age, income, state, COUNT(*) AS n FROM users GROUP BY age, income, state"
    yield "SELECT age, amount, COUNT(*) AS n FROM users JOIN transactions USING (uid) GROUP BY age, amount"
    yield "SELECT age, income, amount, category, COUNT(*) AS n FROM users JOIN transactions USING (uid) GROUP BY ALL"
    yield "SELECT age, amount, AVG(income) AS n, STDDEV(income) AS s FROM users JOIN transactions USING (uid) GROUP BY 1, 2"
    yield "SELECT age, income, MEDIAN(income) AS n FROM users GROUP BY age, income"
    yield "SELECT os, age, COUNT(*) AS n FROM users GROUP BY CUBE (os, age, income, state)"
    yield "SELECT uid, COUNT(*) AS n FROM users GROUP BY uid"
    yield "SELECT os || os || os AS x, COUNT(*) AS n FROM users GROUP BY 1"
    yield "SELECT * FROM users"
    yield "SELECT uid, age FROM users LIMIT 1"


def strange() -> Iterator[str]:
    """Bytes and letters that readers stumble over."""
    for odd in ODD:
        yield f"SELECT COUNT(*) AS n FROM users WHERE os = '{odd}'"
        yield odd + COUNT
    yield 'SELECT COUNT(*) AS "<img src=x onerror=alert(1)>" FROM users'
    yield "ＳＥＬＥＣＴ COUNT(*) FROM users"
    yield "SELECT COUNT(*) FROM uѕers"
    yield "SELECT COUNT(*)/**/AS/**/n/**/FROM/**/users/**/UNION/**/SELECT/**/1"
    yield f"{COUNT} WHERE '1'='1' OR 1=1 --"
    yield f"{COUNT} WHERE os = 'x' UNION ALL SELECT secret FROM y"
    yield "SELECT COUNT(*) AS n FROM users WHERE os = '\\'; DROP TABLE users; --'"
    yield "SELECT COUNT(*) AS n FROM users WHERE os = $$x$$"
    yield "SELECT COUNT(*) AS n FROM users WHERE os = ?"
    yield "SELECT COUNT(*) AS n FROM users WHERE os = :x"
    yield "SELECT COUNT(*) AS n FROM users WHERE os = $1"
    yield ""
    yield " \n\t "
    yield "--"


def patterns() -> Iterator[str]:
    """Patterns that backtrack."""
    for bomb in BOMBS:
        yield f"{COUNT} WHERE REGEXP_MATCHES(os, '{bomb}')"
        yield f"{COUNT} WHERE os SIMILAR TO '{bomb}'"
        yield f"{COUNT} WHERE state ~ '{bomb}'"
    for like in ("%a" * 5000, "_" * 20000, "%" * 20000):
        yield f"{COUNT} WHERE os LIKE '{like}'"
        yield f"{COUNT} WHERE state ILIKE '{like}'"
    yield f"{COUNT} WHERE os GLOB '{'*a' * 3000}'"
    yield f"{COUNT} WHERE REGEXP_REPLACE(os, '(a*)*b', 'x', 'g') = 'x'"


def recursions() -> Iterator[str]:
    """Queries that would never end."""
    endless = "WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t) "
    yield endless + "SELECT COUNT(*) AS n FROM t"
    yield endless + "SELECT COUNT(*) AS n FROM users, t"
    yield endless + "SELECT i, COUNT(*) AS n FROM users JOIN t ON i = age GROUP BY i"
    yield "WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT COUNT(*) AS n FROM a"
    yield "WITH users AS (SELECT * FROM users) SELECT COUNT(*) AS n FROM users"
    yield "WITH a AS (SELECT * FROM a) SELECT COUNT(*) AS n FROM a"
    yield f"{COUNT} WHERE age IN (SELECT age FROM users)"
    yield f"{COUNT} WHERE EXISTS (SELECT 1 FROM users u WHERE u.age = users.age)"
    yield f"{COUNT} WHERE age > (SELECT AVG(age) FROM users)"
    yield f"{COUNT} WHERE age = ANY (SELECT i FROM range(1000000000) t(i))"
    yield "SELECT SUM(COUNT(*)) OVER (ORDER BY age) AS n FROM users GROUP BY age"
    yield "SELECT COUNT(*) AS n FROM users, LATERAL (SELECT * FROM users) x"
    yield "SELECT COUNT(*) AS n FROM users, UNNEST(range(1000000000)) x"
    yield "SELECT LIST(age) AS n FROM users"
    yield "SELECT STRING_AGG(state, ',') AS n FROM users"
    yield "SELECT HISTOGRAM(age) AS n FROM users"
    yield "SELECT COUNT(DISTINCT uid) AS n FROM users"
    yield "SELECT MIN(age) AS low, MAX(age) AS high, FIRST(income) AS x FROM users"
