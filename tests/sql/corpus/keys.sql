-- Constants and functions of group keys, in SELECT, HAVING and ORDER BY; checked against DuckDB on raw rows, as in valid.sql.
-- plan: shop
SELECT 'ny' AS what, COUNT(*) FROM users WHERE state = 'NY'
SELECT 'all', COUNT(*) AS n FROM users
SELECT 1 AS one, COUNT(*) AS n FROM users
SELECT 2.5 AS x, -3 AS y, 1 + 1 AS z, COUNT(*) FROM users
SELECT TRUE AS yes, FALSE, COUNT(*) FROM users
SELECT NULL AS nothing, COUNT(*) FROM users WHERE age > 10
SELECT DATE '2024-01-31' AS day, COUNT(*) FROM users
SELECT DATE '2024-01-31' + INTERVAL 1 MONTH AS day, COUNT(*) FROM users
SELECT upper('ny') || '!' AS what, AVG(age) FROM users
SELECT COUNT(*) AS n, 'people' AS unit FROM users GROUP BY unit
SELECT 'state' AS what, state, COUNT(*) AS n FROM users GROUP BY what, state ORDER BY state
SELECT 'state' AS what, state, COUNT(*) AS n FROM users GROUP BY 1, 2 ORDER BY 1, 2
SELECT 'os' AS what, os, COUNT(*) AS n FROM users GROUP BY ALL
SELECT 5 AS five FROM users GROUP BY state HAVING COUNT(*) > 0
SELECT upper(state), COUNT(*) FROM users GROUP BY state
SELECT lower(state) AS s, COUNT(*) AS n FROM users GROUP BY state ORDER BY s
SELECT state, length(state) AS l, COUNT(*) FROM users GROUP BY state ORDER BY l, state
SELECT state || '-' || state AS twice, COUNT(*) FROM users GROUP BY state ORDER BY twice DESC
SELECT concat('In ', state) AS place, AVG(income) FROM users GROUP BY state ORDER BY 1
SELECT CASE state WHEN 'NY' THEN 'east' ELSE 'west' END AS coast, state, COUNT(*) FROM users GROUP BY state ORDER BY state
SELECT CASE WHEN state IN ('WA', 'CA') THEN 'west' ELSE 'east' END AS coast, COUNT(*) AS n FROM users GROUP BY state
SELECT state = 'NY' AS home, COUNT(*) FROM users GROUP BY state
SELECT age * 2 AS twice, COUNT(*) FROM users GROUP BY age ORDER BY twice LIMIT 4
SELECT age + 1, COUNT(*) FROM users GROUP BY age
SELECT age // 10 AS decade, decade * 10 AS first, decade * 10 + 9 AS last, COUNT(*) FROM users GROUP BY decade ORDER BY decade
SELECT (age // 10) * 10 AS first, COUNT(*) FROM users GROUP BY age // 10 ORDER BY first
SELECT 'from ' || (age // 10) * 10 AS label, COUNT(*) FROM users GROUP BY age // 10 ORDER BY label
SELECT age % 2 AS odd, age, COUNT(*) FROM users WHERE age < 6 GROUP BY age ORDER BY odd, age DESC
SELECT round(income / 1000) AS thousands, COUNT(*) FROM users GROUP BY income ORDER BY thousands
SELECT sqrt(age) AS root, COUNT(*) FROM users WHERE age < 4 GROUP BY age ORDER BY root
SELECT upper(os) AS o, COUNT(*) FROM users GROUP BY os ORDER BY o
SELECT trim(os) AS o, COUNT(*) FROM users GROUP BY os ORDER BY os
SELECT coalesce(os, 'unknown') AS o, COUNT(*) AS n FROM users GROUP BY os ORDER BY o
SELECT os IS NULL AS unknown, COUNT(*) FROM users GROUP BY os
SELECT os || '/' || state AS pair, COUNT(*) FROM users GROUP BY os, state ORDER BY pair, state
SELECT visits + 1 AS v, COUNT(*) FROM users GROUP BY visits ORDER BY v
SELECT visits, state, visits * length(state) AS product, COUNT(*) FROM users GROUP BY visits, state ORDER BY product, visits, state
SELECT age, state, age || state AS pair, COUNT(*) FROM users WHERE age < 4 GROUP BY age, state ORDER BY pair
SELECT state, COUNT(*) FROM users GROUP BY state HAVING state LIKE 'N%'
SELECT state, COUNT(*) FROM users GROUP BY state HAVING state NOT LIKE '%A'
SELECT state, COUNT(*) FROM users GROUP BY state HAVING upper(state) = 'CA'
SELECT state, COUNT(*) FROM users GROUP BY state HAVING NOT lower(state) IN ('ca', 'ny')
SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING length(state) > 1 AND n > 0 ORDER BY state
SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING contains(state, 'A') OR COUNT(*) < 0
SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING starts_with(state, 'W') IS NOT TRUE ORDER BY state
SELECT age, COUNT(*) FROM users GROUP BY age HAVING age % 10 = 0 ORDER BY age
SELECT age, COUNT(*) FROM users GROUP BY age HAVING age * 2 BETWEEN 10 AND 14 ORDER BY age
SELECT age, COUNT(*) FROM users GROUP BY age HAVING age + 1 > 39 OR age - 1 < 1 ORDER BY age
SELECT age, state, COUNT(*) FROM users GROUP BY age, state HAVING age > length(state) * 19 ORDER BY age, state
SELECT os, COUNT(*) FROM users GROUP BY os HAVING os LIKE '%i%' ORDER BY os
SELECT os, COUNT(*) FROM users GROUP BY os HAVING NOT os LIKE '%i%' ORDER BY os
SELECT os, COUNT(*) FROM users GROUP BY os HAVING length(os) > 3
SELECT state, COUNT(*) FROM users GROUP BY state ORDER BY reverse(state)
SELECT state, COUNT(*) FROM users GROUP BY state ORDER BY CASE state WHEN 'WA' THEN 0 ELSE 1 END, state
SELECT state, COUNT(*) FROM users GROUP BY state ORDER BY state = 'NY' DESC, state
SELECT age, COUNT(*) FROM users GROUP BY age ORDER BY age % 7, age LIMIT 5
SELECT age, COUNT(*) FROM users GROUP BY age ORDER BY abs(age - 20), age LIMIT 3 OFFSET 1
SELECT os, COUNT(*) FROM users GROUP BY os ORDER BY length(os), os
SELECT upper(category) AS c, SUM(amount) FROM orders GROUP BY category ORDER BY c
SELECT state || ':' || category AS pair, SUM(amount) FROM orders JOIN users USING (uid) GROUP BY state, category ORDER BY pair
SELECT 'week ' || epoch AS w, COUNT(*) FROM users GROUP BY epoch ORDER BY w
SELECT epoch + 1 AS next, COUNT(*) FROM users GROUP BY epoch ORDER BY next DESC
SELECT upper(state) AS u, COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM users GROUP BY state ORDER BY u
-- plan: survey
SELECT city || '!' AS c, COUNT(*) FROM people GROUP BY city ORDER BY c
SELECT upper(city), length(city), COUNT(*) FROM people GROUP BY city
SELECT NOT smoker AS free, COUNT(*) FROM people GROUP BY smoker
SELECT CASE WHEN smoker THEN 'smokes' ELSE 'does not' END AS habit, AVG(age) FROM people GROUP BY smoker ORDER BY habit
SELECT grade * 10 AS g, COUNT(*) FROM people GROUP BY grade ORDER BY g
SELECT grade, COUNT(*) FROM people GROUP BY grade HAVING grade % 3 = 0 ORDER BY grade
SELECT score * 100 AS percent, COUNT(*) FROM people GROUP BY score ORDER BY percent
SELECT abs(age) AS a, age, COUNT(*) FROM people GROUP BY age ORDER BY a, age
SELECT year(joined) AS y, joined, COUNT(*) FROM people GROUP BY joined ORDER BY joined
SELECT date_trunc('month', joined) AS m, COUNT(*) FROM people GROUP BY joined ORDER BY m
SELECT strftime(joined, '%d.%m.%Y') AS day, COUNT(*) FROM people GROUP BY joined ORDER BY joined
SELECT joined + INTERVAL 1 DAY AS after, COUNT(*) FROM people GROUP BY joined ORDER BY after
SELECT round(spend) AS s, COUNT(*) FROM people GROUP BY spend ORDER BY s, spend
SELECT joined, COUNT(*) FROM people GROUP BY joined HAVING month(joined) = 2
SELECT tariff, COUNT(*) FROM people GROUP BY tariff HAVING lower(tariff) LIKE 'pro%' ORDER BY tariff
-- plan: travel
SELECT upper(country) AS c, COUNT(*) FROM guests GROUP BY country ORDER BY c
SELECT coalesce(country, 'none') AS c, COUNT(*) FROM guests GROUP BY country ORDER BY c
SELECT country IS NULL AS unknown, COUNT(*) FROM guests GROUP BY country
SELECT country, COUNT(*) FROM guests GROUP BY country HAVING country LIKE '%P' OR country IS NULL ORDER BY country
SELECT country, COUNT(*) FROM guests GROUP BY country HAVING NOT country LIKE '%P' ORDER BY country
SELECT age + 1 AS next, COUNT(*) FROM guests GROUP BY age ORDER BY next
SELECT year(joined) AS y, month(joined) AS m, COUNT(*) FROM guests GROUP BY joined ORDER BY joined LIMIT 5
SELECT monthname(joined) AS m, joined, COUNT(*) FROM guests GROUP BY joined ORDER BY joined DESC LIMIT 3
SELECT date_trunc('year', joined) AS y, joined, COUNT(*) FROM guests GROUP BY joined ORDER BY joined LIMIT 2
SELECT date_trunc('month', born) AS m, born, COUNT(*) FROM guests GROUP BY born ORDER BY born
SELECT dayname(born) AS d, COUNT(*) FROM guests GROUP BY born ORDER BY born
SELECT born + 7 AS week_later, COUNT(*) FROM guests GROUP BY born ORDER BY born
SELECT born - DATE '2024-02-26' AS days, COUNT(*) FROM guests GROUP BY born ORDER BY days
SELECT strftime(born, '%A') AS d, COUNT(*) FROM guests GROUP BY born ORDER BY born LIMIT 3
SELECT born, COUNT(*) FROM guests GROUP BY born HAVING dayname(born) = 'Monday' ORDER BY born
SELECT born, COUNT(*) FROM guests GROUP BY born HAVING born - INTERVAL 1 DAY >= DATE '2024-03-01' ORDER BY born
SELECT hour(seen) AS h, COUNT(*) FROM guests GROUP BY seen ORDER BY seen LIMIT 4
SELECT rate * 2 AS r, COUNT(*) FROM guests GROUP BY rate ORDER BY r
SELECT region || '!' AS r, COUNT(*) FROM guests GROUP BY region ORDER BY r
SELECT date_trunc('month', start) AS m, start, COUNT(*) FROM trips GROUP BY start ORDER BY start LIMIT 4
SELECT nights * 24 AS hours, COUNT(*) FROM trips GROUP BY nights ORDER BY hours
-- plan: clinic
SELECT upper(state) || '/' || smoker AS pair, COUNT(*) FROM profile JOIN health USING (uid) GROUP BY state, smoker ORDER BY pair
SELECT upper(dept) AS d, AVG(cost) FROM stays GROUP BY dept ORDER BY d
SELECT 'lab' AS dept, SUM(cost) FROM stays WHERE dept = 'lab'
SELECT weight * 2 AS w, COUNT(*) FROM health GROUP BY weight ORDER BY w
