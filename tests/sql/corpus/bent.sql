-- Functions and choices over estimates, and formulas over quantiles; checked against DuckDB on raw rows, as in valid.sql.
-- plan: shop
SELECT GREATEST(COUNT(*), 0) FROM users
SELECT state, GREATEST(COUNT(*) - 60, 0) AS n FROM users GROUP BY state
SELECT LEAST(AVG(age), 10) AS a, LEAST(AVG(age), AVG(income)) AS b FROM users
SELECT GREATEST(AVG(age), MEDIAN(age), 3) AS a FROM users
SELECT COALESCE(AVG(age), 0) AS a FROM users
SELECT state, COALESCE(AVG(age) FILTER (WHERE age > 5), -1) AS a FROM users GROUP BY state
SELECT IFNULL(AVG(age), 0) AS a FROM users WHERE os = 'ios'
SELECT FLOOR(AVG(age)) AS a, CEIL(AVG(income)) AS b, CEILING(AVG(age) / 2) AS c FROM users
SELECT LN(COUNT(*)) AS a, LOG(COUNT(*)) AS b, LOG2(COUNT(*)) AS c, LOG10(COUNT(*)) AS d FROM users
SELECT EXP(AVG(age) / 10) AS a, EXP(-AVG(age)) AS b FROM users WHERE state = 'NY'
SELECT POWER(AVG(age), 3) AS a, POW(AVG(age), -1) AS b, AVG(age) ** 0.5 AS c, POWER(AVG(age), 2) AS d FROM users
SELECT LN(AVG(income)) - LN(AVG(age)) AS d FROM users
SELECT EXP(LN(COUNT(*)) / 2) AS a FROM users WHERE age BETWEEN 2 AND 20
SELECT CASE WHEN COUNT(*) > 50 THEN COUNT(*) ELSE 0 END AS n FROM users
SELECT state, CASE WHEN COUNT(*) > 60 THEN AVG(age) ELSE AVG(income) END AS x FROM users GROUP BY state
SELECT state, CASE WHEN COUNT(*) > 60 THEN 2 WHEN COUNT(*) > 30 THEN 1 ELSE 0 END AS size FROM users GROUP BY state ORDER BY size, state
SELECT CASE WHEN AVG(age) > 5 AND COUNT(*) > 3 THEN SUM(age) END AS x FROM users
SELECT CASE WHEN AVG(age) > 500 OR NOT COUNT(*) > 3 THEN SUM(age) END AS x FROM users
SELECT CASE WHEN COUNT(*) BETWEEN 1 AND 1000000 THEN 1 ELSE 2 END AS x FROM users
SELECT CASE WHEN COUNT(*) = 0 THEN NULL ELSE SUM(age) / COUNT(*) END AS mean FROM users
SELECT state, CASE WHEN COUNT(*) > 0 THEN SUM(income) / COUNT(*) ELSE 0 END AS mean FROM users GROUP BY state
SELECT CASE COUNT(*) WHEN 3 THEN 1 ELSE 2 END AS x FROM users
SELECT IF(COUNT(*) > 10, AVG(age), 0) AS x FROM users
SELECT NULLIF(COUNT(*), 0) AS n FROM users
SELECT SUM(age) / NULLIF(COUNT(*), 0) AS mean FROM users
SELECT COUNT(*) AS n, GREATEST(n, 0) AS m, LN(n) AS l FROM users
SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING LN(COUNT(*)) > 4 ORDER BY n
SELECT state, COUNT(*) AS n FROM users GROUP BY state ORDER BY GREATEST(COUNT(*), 0) DESC
SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING CASE WHEN COUNT(*) > 60 THEN 1 ELSE 0 END = 1
SELECT ROUND(LN(COUNT(*)), 2) AS n FROM users
SELECT ABS(LEAST(AVG(age) - 100, 0)) AS x FROM users
SELECT SQRT(GREATEST(VAR_POP(age), 0)) AS sd FROM users
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state) SELECT state, GREATEST(n, 0) AS n FROM t
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state) SELECT state, CASE WHEN n > 60 THEN n ELSE 60 END AS n FROM t WHERE state <> 'CA'
SELECT state, GREATEST(COUNT(*) / SUM(COUNT(*)) OVER (), 0.1) AS share FROM users GROUP BY state
SELECT QUANTILE_CONT(age, 0.75) - QUANTILE_CONT(age, 0.25) AS iqr FROM users
SELECT state, QUANTILE_CONT(age, 0.9) / MEDIAN(age) AS r FROM users GROUP BY state
SELECT MEDIAN(age) / AVG(age) AS r, MEDIAN(age) * 12 AS m, -MEDIAN(age) AS k FROM users
SELECT ABS(MEDIAN(age) - AVG(age)) AS skew FROM users WHERE os = 'ios'
SELECT 1 + 2 * MEDIAN(age) AS x FROM users WHERE age > 3
SELECT QUANTILE(age, 0.5) AS a, QUANTILE_DISC(age, 0.25) AS b FROM users
SELECT PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY age) AS a FROM users WHERE state = 'NY'
SELECT state, QUANTILE(age, 0.1) AS low, QUANTILE(age, 0.9) AS high FROM users GROUP BY state
SELECT QUANTILE(age, 0.9) - QUANTILE(age, 0.1) AS spread FROM users
SELECT state, MEDIAN(age) AS m FROM users GROUP BY state HAVING MEDIAN(age) * 2 > 10 ORDER BY state
SELECT CASE WHEN MEDIAN(age) > AVG(age) THEN 1 ELSE 0 END AS left_skewed FROM users
