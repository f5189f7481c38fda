-- UNION ALL: questions whose rows are put below each other; checked against DuckDB on raw rows, as in valid.sql.
-- plan: shop
SELECT COUNT(*) FROM users UNION ALL SELECT COUNT(*) FROM orders
SELECT 'ny' AS what, COUNT(*) AS n FROM users WHERE state = 'NY' UNION ALL SELECT 'young', COUNT(*) FROM users WHERE age < 20
SELECT 'ny' AS what, COUNT(*) AS n FROM users WHERE state = 'NY' UNION ALL SELECT 'wa', COUNT(*) FROM users WHERE state = 'WA' ORDER BY what DESC
select 'a' as k, count(*) as n from users union all select 'b', count(*) from users where age > 30 order by n limit 1
SELECT state, COUNT(*) AS n FROM users GROUP BY state UNION ALL SELECT 'all', COUNT(*) FROM users ORDER BY n, state
SELECT state, COUNT(*) AS n FROM users GROUP BY state UNION ALL SELECT os, COUNT(*) FROM users GROUP BY os ORDER BY 1, 2
SELECT 'state' AS kind, state AS value, COUNT(*) AS n FROM users GROUP BY state UNION ALL SELECT 'os', os, COUNT(*) FROM users GROUP BY os ORDER BY kind, value
SELECT 'age' AS what, AVG(age) AS mean FROM users UNION ALL SELECT 'income', AVG(income) FROM users UNION ALL SELECT 'visits', AVG(visits) FROM users
SELECT 'all' AS who, AVG(income) AS mean, STDDEV(income) AS sd FROM users UNION ALL SELECT state, AVG(income), STDDEV(income) FROM users GROUP BY state ORDER BY who
(SELECT COUNT(*) AS n FROM users) UNION ALL (SELECT COUNT(*) FROM orders) ORDER BY n
((SELECT COUNT(*) AS n FROM users) UNION ALL (SELECT COUNT(*) FROM orders))
(SELECT state, COUNT(*) AS n FROM users GROUP BY state ORDER BY n DESC LIMIT 1) UNION ALL (SELECT state, COUNT(*) FROM users GROUP BY state ORDER BY 2 LIMIT 1)
SELECT COUNT(*) AS n FROM users UNION ALL (SELECT COUNT(*) FROM orders UNION ALL SELECT COUNT(*) FROM users WHERE age > 20) ORDER BY n
WITH t AS (SELECT * FROM users WHERE age > 10) SELECT 'a' AS k, COUNT(*) AS n FROM t UNION ALL SELECT 'b', AVG(age) FROM t ORDER BY k
WITH old AS (SELECT * FROM users WHERE age > 20), young AS (SELECT * FROM users WHERE age <= 20) SELECT 'old' AS who, AVG(income) AS i FROM old UNION ALL SELECT 'young', AVG(income) FROM young ORDER BY who
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state) SELECT state, n FROM t UNION ALL SELECT 'all', SUM(n) FROM t ORDER BY state
SELECT 1 AS part, COUNT(*) AS n FROM users WHERE age < 10 UNION ALL SELECT 2, COUNT(*) FROM users WHERE age BETWEEN 10 AND 20 UNION ALL SELECT 3, COUNT(*) FROM users WHERE age > 20 ORDER BY part
SELECT 1 AS part, COUNT(*) AS n FROM users UNION ALL SELECT 2.5, COUNT(*) FROM orders ORDER BY part
SELECT DATE '2024-01-01' AS day, COUNT(*) AS n FROM users UNION ALL SELECT DATE '2024-02-01', COUNT(*) FROM orders ORDER BY day DESC
SELECT 'people' AS what, COUNT(*) AS n, NULL AS total FROM users UNION ALL SELECT 'orders', COUNT(*), SUM(amount) FROM orders ORDER BY what
SELECT 'people' AS what, COUNT(*) AS n, 0 AS total FROM users UNION ALL SELECT 'orders', COUNT(*), SUM(amount) FROM orders ORDER BY what
SELECT NULL AS state, COUNT(*) AS n FROM users UNION ALL SELECT state, COUNT(*) FROM users GROUP BY state ORDER BY state
SELECT age, COUNT(*) AS n FROM users WHERE age < 4 GROUP BY age UNION ALL SELECT AVG(age), COUNT(*) FROM users ORDER BY age
SELECT state, age > 20 AS old, COUNT(*) AS n FROM users GROUP BY state, old UNION ALL SELECT state, NULL, COUNT(*) FROM users GROUP BY state ORDER BY state, old
SELECT COUNT(*) AS n FROM users UNION ALL SELECT COUNT(*) FROM users UNION ALL SELECT COUNT(*) FROM users
SELECT COUNT(*) AS n FROM users UNION ALL SELECT COUNT(*) FROM orders LIMIT 2
SELECT COUNT(*) AS n FROM users UNION ALL SELECT COUNT(*) FROM orders UNION ALL SELECT COUNT(*) FROM users WHERE os = 'ios' ORDER BY n DESC LIMIT 1 OFFSET 1
SELECT COUNT(*) AS n FROM users UNION ALL SELECT COUNT(*) FROM orders ORDER BY ALL DESC
SELECT COUNT(*) AS n FROM users UNION ALL SELECT COUNT(*) FROM orders;
SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING COUNT(*) > 45 UNION ALL SELECT 'other', COUNT(*) FROM users WHERE state <> 'NY' ORDER BY n
SELECT 'share' AS what, COUNT(*) / (SELECT COUNT(*) FROM users) AS x FROM users WHERE age > 20 UNION ALL SELECT state, COUNT(*) / SUM(COUNT(*)) OVER () FROM users GROUP BY state ORDER BY what
SELECT 'o' AS s, category, SUM(amount) AS a FROM orders GROUP BY category UNION ALL SELECT state, category, SUM(amount) FROM orders JOIN users USING (uid) GROUP BY state, category ORDER BY 1, 2
SELECT epoch, COUNT(*) AS n FROM users GROUP BY epoch UNION ALL SELECT epoch, COUNT(*) FROM orders GROUP BY epoch ORDER BY epoch, n
SELECT upper(state) AS s, COUNT(*) AS n FROM users GROUP BY state UNION ALL SELECT lower(state), COUNT(*) FROM users GROUP BY state ORDER BY s
SELECT 'it''s; UNION' AS what, COUNT(*) AS n FROM users UNION ALL SELECT 'ORDER BY', COUNT(*) FROM users WHERE age > 3 ORDER BY what
SELECT /* first */ 'x' AS what, COUNT(*) AS n FROM users /* and */ UNION /* now */ ALL SELECT 'y', COUNT(*) FROM orders ORDER BY what
SELECT 'm' AS what, MEDIAN(age) AS x FROM users UNION ALL SELECT 'q', QUANTILE_CONT(age, 0.9) FROM users ORDER BY what
SELECT 'n' AS what, COUNT(*) AS n FROM users UNION ALL SELECT 'n', COUNT(*) FROM users ORDER BY LOW(n)
SELECT state, COUNT(*) AS n FROM users GROUP BY state UNION ALL SELECT 'all', COUNT(*) FROM users ORDER BY SE(n) DESC, HIGH(2) LIMIT 2
-- plan: survey
SELECT city, COUNT(*) AS n FROM people GROUP BY city UNION ALL SELECT tariff, COUNT(*) FROM people GROUP BY tariff ORDER BY n DESC, city
SELECT smoker, COUNT(*) AS n FROM people GROUP BY smoker UNION ALL SELECT active, COUNT(*) FROM people GROUP BY active ORDER BY smoker, n
SELECT grade, AVG(score) AS s FROM people GROUP BY grade UNION ALL SELECT age, AVG(score) FROM people WHERE age > 12 GROUP BY age ORDER BY grade, s
SELECT grade, COUNT(*) AS n FROM people GROUP BY grade UNION ALL SELECT score, COUNT(*) FROM people GROUP BY score ORDER BY grade, n
SELECT joined, COUNT(*) AS n FROM people GROUP BY joined UNION ALL SELECT DATE '2025-01-01', COUNT(*) FROM people WHERE joined IS NULL ORDER BY joined
-- plan: travel
SELECT country, COUNT(*) AS n FROM guests GROUP BY country UNION ALL SELECT 'known', COUNT(country) FROM guests ORDER BY n, country
SELECT born, COUNT(*) AS n FROM guests GROUP BY born UNION ALL SELECT joined, COUNT(*) FROM guests WHERE joined < DATE '2024-04-01' GROUP BY joined ORDER BY born
SELECT 'age' AS what, COUNT(age) AS known, COUNT(*) - COUNT(age) AS unknown FROM guests UNION ALL SELECT 'spent', COUNT(spent), COUNT(*) - COUNT(spent) FROM guests ORDER BY what
SELECT 'guests' AS s, COUNT(*) AS n FROM guests UNION ALL SELECT 'trips', COUNT(*) FROM trips UNION ALL SELECT 'long trips', COUNT(*) FROM trips WHERE nights > 3 ORDER BY s
SELECT date_trunc('month', born) AS m, COUNT(*) AS n FROM guests GROUP BY m UNION ALL SELECT date_trunc('month', start), COUNT(*) FROM trips GROUP BY 1 ORDER BY m, n
-- plan: clinic
SELECT state, COUNT(*) AS n FROM profile GROUP BY state UNION ALL SELECT dept, COUNT(*) FROM stays GROUP BY dept ORDER BY n, state
SELECT 'profile' AS t, region, COUNT(*) AS n FROM profile GROUP BY region UNION ALL SELECT 'health', region, COUNT(*) FROM health GROUP BY region ORDER BY t, region
SELECT 'bmi' AS what, AVG(bmi) AS mean FROM health UNION ALL SELECT 'bmi of smokers', AVG(bmi) FROM health WHERE smoker UNION ALL SELECT 'cost', AVG(cost) FROM stays ORDER BY mean
-- plan: shop
SELECT * FROM (SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM orders) t
SELECT * FROM (SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM orders) AS t ORDER BY n DESC LIMIT 1
SELECT * FROM (SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM orders ORDER BY n) AS virtual_table LIMIT 1000
SELECT * FROM ((SELECT 'a' AS k, COUNT(*) AS n FROM users) UNION ALL (SELECT 'b', COUNT(*) FROM orders)) ORDER BY k
