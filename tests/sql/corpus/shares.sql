-- Shares and comparisons: totals over several groups, subqueries, rounding; checked against DuckDB on raw rows, as in valid.sql.
-- plan: shop
SELECT state, COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM users GROUP BY state
SELECT state, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS percent FROM users WHERE age > 10 GROUP BY state ORDER BY state
SELECT state, age > 20 AS old, COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY state) AS share FROM users GROUP BY state, old ORDER BY 1, 2
SELECT state, SUM(income) / SUM(SUM(income)) OVER () AS share FROM users GROUP BY state
SELECT state, COUNT(*) - SUM(COUNT(*)) OVER () / 3 AS more FROM users GROUP BY state
SELECT os, state, COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY os) AS share FROM users GROUP BY os, state
SELECT COUNT(*) / (SELECT COUNT(*) FROM users) AS share FROM users WHERE age > 20
SELECT COUNT(*) / (SELECT COUNT(*) FROM users WHERE os = 'ios') AS share FROM users WHERE state = 'NY' AND os = 'ios'
SELECT AVG(age) - (SELECT AVG(age) FROM users) AS gap FROM users WHERE state = 'NY'
SELECT state, AVG(income) - (SELECT AVG(income) FROM users) AS gap FROM users GROUP BY state ORDER BY state
SELECT state, COUNT(*) / (SELECT COUNT(*) FROM users WHERE age > 5) AS share FROM users WHERE age > 5 GROUP BY state
SELECT ROUND(AVG(age), 1), ROUND(AVG(income)) FROM users
SELECT state, ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (), 1) AS percent FROM users GROUP BY state
SELECT AVG(age)::DECIMAL(10, 2) AS a, CAST(AVG(income) AS INTEGER) AS b FROM users
SELECT category, SUM(amount) / SUM(SUM(amount)) OVER () AS share FROM orders GROUP BY category
SELECT SUM(amount) / (SELECT SUM(amount) FROM orders JOIN users USING (uid)) AS share FROM orders JOIN users USING (uid) WHERE state = 'NY'
SELECT state, COUNT(*) FILTER (WHERE age > 20) / SUM(COUNT(*) FILTER (WHERE age > 20)) OVER () AS share FROM users GROUP BY state
SELECT age // 10 AS d, COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM users GROUP BY d ORDER BY share DESC LIMIT 2
SELECT os, COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM users GROUP BY os ORDER BY os
SELECT os, COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM users WHERE state = 'NY' GROUP BY os ORDER BY os
SELECT os, 100 * SUM(income) / SUM(SUM(income)) OVER () AS percent FROM users WHERE age > 5 GROUP BY os
SELECT os, state, COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY state) AS share FROM users GROUP BY os, state ORDER BY os, state
SELECT os, state, COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM users GROUP BY os, state ORDER BY share DESC, os, state LIMIT 4
SELECT os, visits, COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY visits) AS share FROM users WHERE age < 30 GROUP BY os, visits ORDER BY 1, 2
SELECT os, COUNT(*) - SUM(COUNT(*)) OVER () / 5 AS more FROM users WHERE age < 30 GROUP BY os
SELECT os, COUNT(*) / (SELECT COUNT(*) FROM users) AS share FROM users WHERE age > 20 GROUP BY os ORDER BY os
SELECT os, AVG(age) - (SELECT AVG(age) FROM users) AS gap FROM users GROUP BY os ORDER BY os
SELECT epoch, COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM users WHERE state = 'CA' GROUP BY epoch ORDER BY epoch
SELECT upper(os) AS o, state, ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY state), 1) AS percent FROM users GROUP BY os, state ORDER BY o, state, os
-- plan: clinic
SELECT profile.region, COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM profile JOIN health USING (uid) WHERE smoker GROUP BY profile.region
SELECT region, COUNT(*) FILTER (WHERE age > 24) / SUM(COUNT(*)) OVER () AS share FROM profile GROUP BY region ORDER BY region
-- plan: travel
SELECT region, COUNT(country) / SUM(COUNT(country)) OVER () AS share FROM guests GROUP BY region ORDER BY region
