-- Subqueries and CTEs that aggregate, filtered, added up or joined; checked against DuckDB on raw rows, as in valid.sql.
-- plan: shop
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state) SELECT SUM(n) FROM t
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state) SELECT * FROM t
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state) SELECT * FROM t WHERE n > 60
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state) SELECT n, state FROM t WHERE n > 60 ORDER BY n DESC
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state) SELECT state, n * 2 AS twice FROM t WHERE state <> 'CA'
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY 1) SELECT t.state, t.n FROM t WHERE t.state IN ('NY', 'WA')
WITH t AS (SELECT state AS s, COUNT(*) AS n FROM users GROUP BY s) SELECT s, n FROM t WHERE s LIKE '%A' ORDER BY s
WITH t AS (SELECT upper(state) AS s, COUNT(*) AS n FROM users GROUP BY upper(state)) SELECT s, n FROM t WHERE s = 'NY'
WITH t AS (SELECT state, age, COUNT(*) AS n FROM users GROUP BY state, age) SELECT state, SUM(n) AS n FROM t WHERE age > 12 GROUP BY state
WITH t AS (SELECT state, age, COUNT(*) AS n FROM users GROUP BY ALL) SELECT state, SUM(n) AS n FROM t GROUP BY ALL ORDER BY state
WITH t AS (SELECT age, COUNT(*) AS n FROM users GROUP BY age) SELECT SUM(n * age) / SUM(n) AS mean FROM t
WITH t AS (SELECT age, COUNT(*) AS n FROM users GROUP BY age) SELECT age // 10 AS d, SUM(n) AS n FROM t GROUP BY d ORDER BY d
WITH t AS (SELECT age, COUNT(*) AS n FROM users GROUP BY age) SELECT SUM(n) FILTER (WHERE age > 12) / SUM(n) AS share FROM t
WITH t AS (SELECT age, COUNT(*) AS n FROM users GROUP BY age) SELECT SUM(CASE WHEN age > 12 THEN n ELSE 0 END) AS old FROM t
WITH t AS (SELECT age, COUNT(*) AS n FROM users GROUP BY age) SELECT SUM(CASE WHEN age > 12 THEN n WHEN age > 5 THEN n * 2 END) AS x FROM t
WITH t AS (SELECT age, COUNT(*) AS n FROM users GROUP BY age) SELECT SUM(n / 2 + n * 3 - n) AS x FROM t WHERE age BETWEEN 3 AND 20
WITH t AS (SELECT state, SUM(income) AS s, COUNT(*) AS n FROM users GROUP BY state) SELECT SUM(s) / SUM(n) AS mean FROM t
WITH t AS (SELECT state, SUM(income) AS s, COUNT(*) AS n FROM users GROUP BY state) SELECT state, s / n AS mean FROM t ORDER BY mean
WITH t AS (SELECT state, SUM(income) AS s, COUNT(*) AS n FROM users GROUP BY state) SELECT SUM(-s) AS x, SUM(COALESCE(n, 0)) AS y FROM t
WITH t AS (SELECT state, SUM(CASE WHEN age > 12 THEN 1 ELSE 0 END) AS old, COUNT(*) AS n FROM users GROUP BY state) SELECT state, old / n AS share FROM t
WITH t AS (SELECT state, COUNT(*) FILTER (WHERE age > 12) AS old, COUNT(*) AS n FROM users GROUP BY state) SELECT SUM(old) / SUM(n) AS share FROM t
WITH t AS (SELECT os, state, COUNT(*) AS n FROM users GROUP BY os, state) SELECT os, SUM(n) AS n FROM t GROUP BY os
WITH t AS (SELECT os, state, COUNT(*) AS n FROM users GROUP BY os, state) SELECT state, SUM(n) AS n FROM t WHERE os = 'ios' GROUP BY state
WITH t AS (SELECT state, AVG(age) AS a FROM users GROUP BY state) SELECT state, a FROM t WHERE a > 10
WITH t AS (SELECT state, AVG(age) AS a FROM users GROUP BY state) SELECT state, a - 10 AS more FROM t WHERE state = 'NY' OR state = 'CA'
WITH total AS (SELECT COUNT(*) AS n FROM users) SELECT state, COUNT(*) / (SELECT n FROM total) AS share FROM users GROUP BY state
WITH total AS (SELECT COUNT(*) AS n FROM users) SELECT state, COUNT(*) / total.n AS share FROM users, total GROUP BY state, total.n
WITH total AS (SELECT COUNT(*) AS n FROM users) SELECT state, COUNT(*) / MAX(total.n) AS share FROM users CROSS JOIN total GROUP BY state
WITH total AS (SELECT COUNT(*) AS n FROM users) SELECT state, COUNT(*) / MAX(n) AS share FROM total CROSS JOIN users GROUP BY state
WITH total AS (SELECT AVG(age) AS a FROM users) SELECT state, AVG(age) - ANY_VALUE(total.a) AS more FROM users, total GROUP BY state
WITH total AS (SELECT AVG(age) AS a FROM users) SELECT state, AVG(age) AS a FROM users GROUP BY state HAVING AVG(age) > (SELECT a FROM total)
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state), total AS (SELECT SUM(n) AS m FROM t) SELECT state, n / m AS share FROM t, total
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state), total AS (SELECT SUM(n) AS m FROM t) SELECT state, n / m AS share FROM t CROSS JOIN total ORDER BY share DESC
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state) SELECT state, n / (SELECT SUM(n) FROM t) AS share FROM t
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state) SELECT state, n / SUM(n) OVER () AS share FROM t
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state) SELECT state, 100.0 * n / SUM(n) OVER () AS percent FROM t WHERE state <> 'CA' ORDER BY percent
WITH a AS (SELECT state, COUNT(*) AS n FROM users WHERE age < 12 GROUP BY state), b AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state) SELECT state, a.n / b.n AS share FROM a JOIN b USING (state)
WITH a AS (SELECT state, COUNT(*) AS n FROM users WHERE age < 12 GROUP BY state), b AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state) SELECT a.state, a.n / b.n AS share FROM a JOIN b ON a.state = b.state ORDER BY share
WITH a AS (SELECT state, AVG(income) AS m FROM users WHERE os = 'ios' GROUP BY state), b AS (SELECT state, AVG(income) AS m FROM users WHERE os <> 'ios' GROUP BY state) SELECT a.state, a.m - b.m AS gap FROM a JOIN b USING (state)
WITH a AS (SELECT state, COUNT(*) AS n FROM users WHERE state <> 'CA' GROUP BY state), b AS (SELECT state, SUM(age) AS s FROM users GROUP BY state) SELECT state, s / n AS mean FROM a JOIN b USING (state)
SELECT a.n / b.n FROM (SELECT COUNT(*) AS n FROM users WHERE age < 12) AS a, (SELECT COUNT(*) AS n FROM users) AS b
SELECT a.n - b.n AS more FROM (SELECT AVG(age) AS n FROM users WHERE state = 'NY') AS a CROSS JOIN (SELECT AVG(age) AS n FROM users WHERE state = 'WA') AS b
SELECT (SELECT COUNT(*) FROM users WHERE age < 12) / (SELECT COUNT(*) FROM users) AS share
SELECT (SELECT AVG(age) FROM users WHERE os = 'ios') - (SELECT AVG(age) FROM users WHERE os = 'android') AS more
SELECT state, n FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state ORDER BY n DESC LIMIT 1) AS t
SELECT * FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING COUNT(*) > 60) AS t
SELECT state, n FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING COUNT(*) > 30) AS t WHERE state <> 'CA' ORDER BY n
SELECT * FROM (SELECT * FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t WHERE n > 10) AS u ORDER BY n LIMIT 2
SELECT SUM(n) FROM (SELECT state, SUM(n) AS n FROM (SELECT state, age, COUNT(*) AS n FROM users GROUP BY state, age) AS t GROUP BY state) AS u
SELECT * FROM (SELECT state, COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM users GROUP BY state) AS t WHERE share > 0.3
SELECT * FROM (SELECT state, COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM users GROUP BY state) AS t WHERE state = 'NY'
SELECT decade, SUM(s) / SUM(n) AS mean FROM (SELECT age // 10 AS decade, state, SUM(income) AS s, COUNT(*) AS n FROM users GROUP BY 1, 2) AS t GROUP BY decade
WITH young AS (SELECT * FROM users WHERE age < 12), t AS (SELECT state, COUNT(*) AS n FROM young GROUP BY state) SELECT SUM(n) AS n FROM t
WITH young AS (SELECT uid, state AS s FROM users WHERE age < 12), t AS (SELECT s, COUNT(*) AS n FROM young GROUP BY s) SELECT s, n FROM t ORDER BY s
WITH t AS (SELECT state, category, SUM(amount) AS s FROM users JOIN orders USING (uid) GROUP BY state, category) SELECT state, SUM(s) AS s FROM t GROUP BY state
WITH t AS (SELECT category, COUNT(*) AS n FROM orders GROUP BY category) SELECT category, n / (SELECT COUNT(*) FROM orders) AS share FROM t
WITH t AS (SELECT category, COUNT(*) AS n, SUM(amount) AS s FROM orders GROUP BY category) SELECT SUM(s) / SUM(n) AS mean FROM t WHERE category <> 'food'
SELECT n FROM (SELECT COUNT(*) AS n FROM users) AS t
SELECT AVG(n) FROM (SELECT SUM(age) AS n FROM users) AS t
SELECT MAX(n) - MIN(m) AS d FROM (SELECT SUM(age) AS n, COUNT(*) AS m FROM users) AS t
WITH t AS (SELECT AVG(age) AS a FROM users) SELECT a FROM t
SELECT SUM(amount) AS s FROM users LEFT JOIN orders USING (uid)
SELECT state, SUM(amount) AS s, COUNT(category) AS n FROM users LEFT JOIN orders USING (uid) GROUP BY state
SELECT state, AVG(orders.amount) AS a FROM users LEFT OUTER JOIN orders ON users.uid = orders.uid WHERE age > 5 GROUP BY state
SELECT state, COUNT(*) AS n FROM users LEFT JOIN orders USING (uid) WHERE category = 'food' GROUP BY state
SELECT COUNT(*) AS n FROM users LEFT JOIN orders USING (uid) WHERE amount >= 10 AND state = 'NY'
SELECT category, COUNT(*) AS n FROM orders LEFT JOIN users USING (uid) GROUP BY category
SELECT SUM(amount) AS s FROM orders LEFT JOIN users USING (uid) WHERE category <> 'food'
SELECT state, SUM(amount) AS s FROM orders LEFT JOIN users USING (uid) WHERE state IN ('NY', 'WA') GROUP BY state
