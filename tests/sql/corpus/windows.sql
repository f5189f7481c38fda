-- Windows over groups: running totals, means, differences and ranks; checked against DuckDB on raw rows, as in valid.sql.
-- plan: shop
SELECT state, SUM(COUNT(*)) OVER (ORDER BY state) AS running FROM users GROUP BY state
SELECT state, SUM(COUNT(*)) OVER (ORDER BY state DESC) AS running FROM users GROUP BY state ORDER BY state
SELECT state, COUNT(*) AS n, SUM(n) OVER (ORDER BY state) AS running FROM users GROUP BY state
SELECT state AS s, SUM(COUNT(*)) OVER (ORDER BY s) AS running FROM users GROUP BY s
SELECT state, SUM(COUNT(*)) OVER (ORDER BY state ROWS UNBOUNDED PRECEDING) AS running FROM users GROUP BY state
SELECT state, SUM(COUNT(*)) OVER (ORDER BY state ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS running FROM users GROUP BY state
SELECT state, SUM(COUNT(*)) OVER (ORDER BY state RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS running FROM users GROUP BY state
SELECT state, SUM(COUNT(*)) OVER (ORDER BY state ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS rest FROM users GROUP BY state
SELECT state, SUM(COUNT(*)) OVER (ORDER BY state ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS every FROM users GROUP BY state
SELECT state, SUM(COUNT(*)) OVER (ORDER BY state ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM users GROUP BY state
SELECT state, SUM(COUNT(*)) OVER (ORDER BY state) / SUM(COUNT(*)) OVER () AS share FROM users GROUP BY state
SELECT state, ROUND(100.0 * SUM(COUNT(*)) OVER (ORDER BY state) / SUM(COUNT(*)) OVER (), 1) AS percent FROM users GROUP BY state
SELECT state, SUM(SUM(income)) OVER (ORDER BY state) AS running FROM users GROUP BY state
SELECT state, SUM(SUM(income)) OVER (ORDER BY state) / SUM(COUNT(*)) OVER (ORDER BY state) AS mean FROM users GROUP BY state
SELECT state, SUM(COUNT(*) FILTER (WHERE age > 20)) OVER (ORDER BY state) AS running FROM users GROUP BY state
SELECT state, SUM(COUNT_IF(age > 20)) OVER (ORDER BY state) AS running FROM users WHERE age > 5 GROUP BY state
SELECT state, SUM(COUNT(*) * 2) OVER (ORDER BY state) AS running FROM users GROUP BY state
SELECT state, SUM(SUM(age) - COUNT(*)) OVER (ORDER BY state) AS running FROM users GROUP BY state
SELECT state, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY state) AS more FROM users GROUP BY state
SELECT state, COUNT(*) AS n, n - LAG(n) OVER (ORDER BY state) AS more FROM users GROUP BY state ORDER BY state
SELECT state, LAG(COUNT(*)) OVER (ORDER BY state) AS before, LEAD(COUNT(*)) OVER (ORDER BY state) AS after FROM users GROUP BY state
SELECT state, LAG(COUNT(*), 2) OVER (ORDER BY state) AS before FROM users GROUP BY state
SELECT state, LAG(COUNT(*), 1, 0) OVER (ORDER BY state) AS before FROM users GROUP BY state
SELECT state, LEAD(SUM(income), 1, 0) OVER (ORDER BY state) AS after FROM users GROUP BY state
SELECT state, LAG(COUNT(*), 0) OVER (ORDER BY state) AS own FROM users GROUP BY state
SELECT state, LAG(AVG(age)) OVER (ORDER BY state) AS before FROM users GROUP BY state
SELECT state, AVG(age) - LAG(AVG(age)) OVER (ORDER BY state) AS more FROM users GROUP BY state
SELECT state, COUNT(*) / LAG(COUNT(*)) OVER (ORDER BY state) AS times FROM users GROUP BY state
SELECT state, 100.0 * (COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY state)) / LAG(COUNT(*)) OVER (ORDER BY state) AS growth FROM users GROUP BY state
SELECT state, (COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY state)) / NULLIF(LAG(COUNT(*)) OVER (ORDER BY state), 0) AS growth FROM users GROUP BY state
SELECT state, FIRST_VALUE(COUNT(*)) OVER (ORDER BY state) AS first, COUNT(*) / FIRST_VALUE(COUNT(*)) OVER (ORDER BY state) AS index FROM users GROUP BY state
SELECT state, LAST_VALUE(COUNT(*)) OVER (ORDER BY state) AS own FROM users GROUP BY state
SELECT state, LAST_VALUE(COUNT(*)) OVER (ORDER BY state ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS last FROM users GROUP BY state
SELECT state, FIRST_VALUE(AVG(income)) OVER (ORDER BY state DESC) AS first FROM users GROUP BY state
SELECT state, AVG(COUNT(*)) OVER (ORDER BY state ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS mean FROM users GROUP BY state
SELECT state, AVG(COUNT(*)) OVER (ORDER BY state ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS mean FROM users GROUP BY state
SELECT state, AVG(COUNT(*)) OVER (ORDER BY state ROWS 2 PRECEDING) AS mean FROM users GROUP BY state
SELECT state, AVG(COUNT(*)) OVER (ORDER BY state) AS mean FROM users GROUP BY state
SELECT state, AVG(SUM(income) + 1) OVER (ORDER BY state ROWS 1 PRECEDING) AS mean FROM users GROUP BY state
SELECT state, SUM(COUNT(*)) OVER (ORDER BY state ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS three FROM users GROUP BY state
SELECT state, COUNT(*) - AVG(COUNT(*)) OVER (ORDER BY state ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS off FROM users GROUP BY state
SELECT age // 10 AS decade, SUM(COUNT(*)) OVER (ORDER BY age // 10) AS running FROM users GROUP BY decade
SELECT age // 10 AS decade, COUNT(*) AS n, SUM(n) OVER (ORDER BY decade) AS running FROM users GROUP BY decade ORDER BY decade
SELECT age // 10 AS decade, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY decade) AS more FROM users GROUP BY decade ORDER BY decade DESC
SELECT age // 10 AS decade, AVG(COUNT(*)) OVER (ORDER BY decade ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS mean FROM users GROUP BY decade
SELECT age // 10 AS decade, SUM(COUNT(*)) OVER (ORDER BY decade ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) AS next FROM users GROUP BY decade
SELECT age // 10 AS decade, SUM(COUNT(*)) OVER (ORDER BY decade) AS running FROM users WHERE age >= 10 GROUP BY decade
SELECT age // 10 AS decade, LAG(COUNT(*)) OVER (ORDER BY decade) AS before FROM users WHERE age >= 10 GROUP BY decade
SELECT age // 10 AS decade, LEAD(COUNT(*)) OVER (ORDER BY decade) AS after FROM users WHERE age < 30 GROUP BY decade
SELECT age // 10 AS decade, AVG(income) - LAG(AVG(income), 2) OVER (ORDER BY decade) AS more FROM users WHERE age >= 10 GROUP BY decade
SELECT age > 20 AS old, state, SUM(COUNT(*)) OVER (PARTITION BY old ORDER BY state) AS running FROM users GROUP BY old, state
SELECT age > 20 AS old, state, SUM(COUNT(*)) OVER (PARTITION BY state ORDER BY age > 20) AS running FROM users GROUP BY 1, 2
SELECT age > 20 AS old, state, SUM(COUNT(*)) OVER (ORDER BY state) AS running FROM users GROUP BY old, state
SELECT age > 20 AS old, state, COUNT(*) / SUM(COUNT(*)) OVER (ORDER BY state) AS share FROM users GROUP BY old, state
SELECT age > 20 AS old, state, COUNT(*) - LAG(COUNT(*)) OVER (PARTITION BY old ORDER BY state) AS more FROM users GROUP BY old, state ORDER BY old, state
SELECT age > 20 AS old, state, AVG(COUNT(*)) OVER (PARTITION BY old ORDER BY state ROWS 1 PRECEDING) AS mean FROM users GROUP BY old, state
SELECT os, COUNT(*) AS n, SUM(COUNT(*)) OVER (ORDER BY os) AS running FROM users WHERE state = 'NY' GROUP BY os
SELECT os, SUM(COUNT(*)) OVER (ORDER BY os DESC) AS running FROM users GROUP BY os
SELECT os, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY os) AS more FROM users WHERE age > 10 GROUP BY os ORDER BY os
SELECT os, AVG(age) - LAG(AVG(age)) OVER (ORDER BY os) AS more FROM users GROUP BY os
SELECT os, LEAD(SUM(income), 1, 0) OVER (ORDER BY os) AS after FROM users GROUP BY os
SELECT os, AVG(COUNT(*)) OVER (ORDER BY os ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS mean FROM users GROUP BY os
SELECT os, FIRST_VALUE(COUNT(*)) OVER (ORDER BY os) AS first FROM users GROUP BY os
SELECT os, SUM(COUNT(*)) OVER (ORDER BY os) / SUM(COUNT(*)) OVER () AS share FROM users GROUP BY os
SELECT os, state, SUM(COUNT(*)) OVER (PARTITION BY state ORDER BY os) AS running FROM users GROUP BY os, state
SELECT os, state, SUM(COUNT(*)) OVER (PARTITION BY os ORDER BY state) AS running FROM users GROUP BY os, state
SELECT os, state, SUM(COUNT(*)) OVER (ORDER BY os) AS running FROM users GROUP BY os, state
SELECT os, state, COUNT(*) - LAG(COUNT(*)) OVER (PARTITION BY os ORDER BY state) AS more FROM users GROUP BY os, state ORDER BY os, state
SELECT os, visits, SUM(COUNT(*)) OVER (PARTITION BY os ORDER BY visits) AS running FROM users WHERE age < 30 GROUP BY os, visits
SELECT epoch, COUNT(*) AS n, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY epoch) AS more FROM users WHERE state = 'CA' GROUP BY epoch
SELECT epoch, SUM(COUNT(*)) OVER (ORDER BY epoch) AS running FROM users GROUP BY epoch ORDER BY epoch
SELECT category, SUM(SUM(amount)) OVER (ORDER BY category) AS running FROM orders GROUP BY category
SELECT category, AVG(amount) - LAG(AVG(amount)) OVER (ORDER BY category) AS more FROM orders GROUP BY category
SELECT state, SUM(COUNT(*)) OVER (ORDER BY state) AS running FROM users JOIN orders USING (uid) GROUP BY state
SELECT category, SUM(SUM(amount)) OVER w AS running, LAG(SUM(amount)) OVER w AS before FROM orders JOIN users USING (uid) WHERE state = 'NY' GROUP BY category WINDOW w AS (ORDER BY category)
SELECT state, SUM(COUNT(*)) OVER w AS running, SUM(COUNT(*)) OVER (w ROWS 1 PRECEDING) AS two FROM users GROUP BY state WINDOW w AS (ORDER BY state)
SELECT state, RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM users GROUP BY state
SELECT state, RANK() OVER (ORDER BY COUNT(*)) AS place FROM users WHERE age > 10 GROUP BY state ORDER BY state
SELECT state, COUNT(*) AS n, RANK() OVER (ORDER BY n DESC) AS place FROM users GROUP BY state
SELECT state, ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC, state) AS place FROM users GROUP BY state
SELECT state, ROW_NUMBER() OVER (ORDER BY state) AS place, COUNT(*) AS n FROM users GROUP BY state
SELECT state, RANK() OVER (ORDER BY state DESC) AS place, COUNT(*) AS n FROM users GROUP BY state
SELECT state, DENSE_RANK() OVER (ORDER BY AVG(age) DESC) AS place FROM users GROUP BY state
SELECT state, PERCENT_RANK() OVER (ORDER BY SUM(income)) AS place FROM users GROUP BY state
SELECT state, CUME_DIST() OVER (ORDER BY AVG(income)) AS place FROM users GROUP BY state
SELECT state, NTILE(2) OVER (ORDER BY COUNT(*)) AS half FROM users GROUP BY state
SELECT age // 5 AS band, NTILE(3) OVER (ORDER BY SUM(income), age // 5) AS third FROM users GROUP BY band
SELECT age // 5 AS band, NTILE(4) OVER (ORDER BY COUNT(*), age // 5) AS quarter FROM users GROUP BY band
SELECT age // 5 AS band, NTILE(20) OVER (ORDER BY age // 5) AS own, COUNT(*) AS n FROM users GROUP BY band
SELECT age // 5 AS band, RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM users GROUP BY band ORDER BY place, band
SELECT age // 5 AS band, DENSE_RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM users GROUP BY band
SELECT age // 5 AS band, PERCENT_RANK() OVER (ORDER BY COUNT(*)) AS place, CUME_DIST() OVER (ORDER BY COUNT(*)) AS share FROM users GROUP BY band
SELECT age > 20 AS old, state, RANK() OVER (PARTITION BY old ORDER BY COUNT(*) DESC) AS place FROM users GROUP BY old, state
SELECT age > 20 AS old, state, RANK() OVER (ORDER BY age > 20, COUNT(*) DESC) AS place FROM users GROUP BY old, state
SELECT os, RANK() OVER (ORDER BY AVG(income) DESC) AS place FROM users GROUP BY os
SELECT os, state, ROW_NUMBER() OVER (PARTITION BY state ORDER BY AVG(income) DESC) AS place FROM users GROUP BY os, state
SELECT upper(state) AS s, RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM users GROUP BY state
SELECT state, RANK() OVER (ORDER BY COUNT(*) DESC) - 1 AS ahead FROM users GROUP BY state
SELECT state, CASE WHEN RANK() OVER (ORDER BY COUNT(*) DESC) = 1 THEN COUNT(*) END AS best FROM users GROUP BY state
SELECT state, COUNT(*) AS n FROM users GROUP BY state QUALIFY RANK() OVER (ORDER BY COUNT(*) DESC) <= 2
SELECT state, COUNT(*) AS n FROM users GROUP BY state QUALIFY ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC) = 1
SELECT state, COUNT(*) AS n, RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM users GROUP BY state QUALIFY place <= 2 ORDER BY place
SELECT state, COUNT(*) AS n, SUM(COUNT(*)) OVER (ORDER BY state) AS running FROM users GROUP BY state QUALIFY running > 60
SELECT state, COUNT(*) AS n, COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM users GROUP BY state QUALIFY share > 0.3 ORDER BY share DESC
SELECT state, COUNT(*) AS n, COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM users GROUP BY state QUALIFY COUNT(*) > 40
SELECT os, state, COUNT(*) AS n FROM users GROUP BY os, state QUALIFY ROW_NUMBER() OVER (PARTITION BY state ORDER BY AVG(income) DESC) <= 2 ORDER BY state, os
SELECT age // 5 AS band, COUNT(*) AS n FROM users GROUP BY band QUALIFY NTILE(4) OVER (ORDER BY SUM(income), age // 5) = 4 ORDER BY band
SELECT age // 5 AS band, COUNT(*) AS n FROM users GROUP BY band QUALIFY COUNT(*) > LAG(COUNT(*)) OVER (ORDER BY age // 5) ORDER BY band
SELECT state, n, n - LAG(n) OVER (ORDER BY state) AS more FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) t
SELECT state, n, SUM(n) OVER (ORDER BY state) AS running FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) t ORDER BY state
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state) SELECT state, n, RANK() OVER (ORDER BY n DESC) AS place FROM t
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state) SELECT state, AVG(n) OVER (ORDER BY state ROWS 1 PRECEDING) AS mean FROM t
SELECT * FROM (SELECT state, COUNT(*) AS n, RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM users GROUP BY state) t WHERE place <= 2
SELECT state, n FROM (SELECT state, COUNT(*) AS n, ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC) AS place FROM users GROUP BY state) t WHERE place = 1
SELECT state, running FROM (SELECT state, SUM(COUNT(*)) OVER (ORDER BY state) AS running FROM users GROUP BY state) t WHERE state = 'WA'
WITH ranked AS (SELECT os, state, COUNT(*) AS n, ROW_NUMBER() OVER (PARTITION BY state ORDER BY AVG(income) DESC) AS r FROM users GROUP BY os, state) SELECT os, state, n FROM ranked WHERE r = 1 ORDER BY state
SELECT state, COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM users GROUP BY state HAVING state <> 'CA'
SELECT state AS s, SUM(COUNT(*)) OVER (ORDER BY s) AS running FROM users WHERE age > 3 GROUP BY s HAVING s IN ('NY', 'WA')
SELECT os, COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM users GROUP BY os HAVING os = 'ios' OR os = 'web'
SELECT age // 5 AS band, LAG(COUNT(*)) OVER (ORDER BY age // 5) AS before FROM users GROUP BY band HAVING age // 5 >= 2
SELECT state, n / SUM(n) OVER () AS share FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING state <> 'NY') t
SELECT COUNT(*) FROM users WINDOW w AS (ORDER BY age)
-- plan: survey
SELECT smoker, SUM(COUNT(*)) OVER (ORDER BY smoker) AS running FROM people GROUP BY smoker
SELECT grade, SUM(COUNT(*)) OVER (ORDER BY grade) AS running, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY grade) AS more FROM people GROUP BY grade
SELECT city, LAG(COUNT(*)) OVER (ORDER BY city) AS before, RANK() OVER (ORDER BY COUNT(*)) AS place FROM people GROUP BY city
SELECT score, SUM(COUNT(*)) OVER (ORDER BY score) AS running FROM people GROUP BY score
SELECT active, SUM(SUM(spend)) OVER (ORDER BY active) AS running FROM people GROUP BY active
SELECT joined, COUNT(*) AS n, SUM(COUNT(*)) OVER (ORDER BY joined) AS running FROM people GROUP BY joined ORDER BY joined
SELECT YEAR(joined) AS y, COUNT(*) FILTER (WHERE smoker) - LAG(COUNT(*) FILTER (WHERE smoker)) OVER (ORDER BY YEAR(joined)) AS more FROM people GROUP BY y ORDER BY y
-- plan: travel
SELECT country, SUM(COUNT(*)) OVER (ORDER BY country) AS running FROM guests GROUP BY country
SELECT country, SUM(COUNT(*)) OVER (ORDER BY country DESC) AS running FROM guests GROUP BY country
SELECT country, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY country) AS more FROM guests GROUP BY country ORDER BY country
SELECT date_trunc('month', joined) AS m, SUM(COUNT(*)) OVER (ORDER BY date_trunc('month', joined)) AS running FROM guests WHERE joined IS NOT NULL GROUP BY m ORDER BY m
SELECT date_trunc('month', joined) AS m, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY m) AS more FROM guests WHERE joined IS NOT NULL GROUP BY m ORDER BY m
SELECT date_trunc('quarter', joined) AS q, AVG(COUNT(*)) OVER (ORDER BY q ROWS 3 PRECEDING) AS mean FROM guests WHERE joined < DATE '2025-07-01' GROUP BY q ORDER BY q
SELECT YEAR(joined) AS y, SUM(COUNT(*)) OVER (ORDER BY y) AS running FROM guests GROUP BY y ORDER BY y
SELECT born, SUM(COUNT(*)) OVER (ORDER BY born) AS running FROM guests GROUP BY born ORDER BY born
SELECT born, COUNT(*) - LAG(COUNT(*), 7) OVER (ORDER BY born) AS week FROM guests GROUP BY born ORDER BY born
SELECT start, SUM(COUNT(*)) OVER (ORDER BY start) AS running, SUM(SUM(nights)) OVER (ORDER BY start) AS nights FROM trips GROUP BY start ORDER BY start
SELECT region, RANK() OVER (ORDER BY AVG(age) DESC) AS place FROM guests GROUP BY region
-- plan: clinic
SELECT dept, SUM(SUM(cost)) OVER (ORDER BY dept) AS running FROM stays GROUP BY dept
SELECT profile.state, smoker, SUM(COUNT(*)) OVER (PARTITION BY smoker ORDER BY profile.state) AS running FROM profile JOIN health USING (uid) GROUP BY profile.state, smoker
SELECT profile.region, AVG(bmi) - LAG(AVG(bmi)) OVER (ORDER BY profile.region) AS more FROM profile JOIN health USING (uid) GROUP BY profile.region
