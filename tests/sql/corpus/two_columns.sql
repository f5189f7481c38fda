-- What two numbers of a row have to do with each other, and other things of every day; checked as in valid.sql.
-- plan: shop
SELECT CORR(age, income) AS r FROM users
SELECT CORR(income, age) AS r FROM users WHERE state = 'NY'
SELECT state, CORR(age, income) AS r FROM users GROUP BY state
SELECT COVAR_POP(age, income) AS c FROM users
SELECT COVAR_SAMP(age, income) AS c FROM users
SELECT state, COVAR_POP(age, income) AS c, COVAR_SAMP(age, income) AS s FROM users GROUP BY state
SELECT REGR_SLOPE(income, age) AS slope FROM users
SELECT REGR_INTERCEPT(income, age) AS start FROM users
SELECT REGR_SLOPE(income, age) AS slope, REGR_INTERCEPT(income, age) AS start, REGR_R2(income, age) AS r2 FROM users WHERE age > 5
SELECT state, REGR_SLOPE(income, age) AS slope FROM users GROUP BY state ORDER BY state
SELECT REGR_COUNT(income, age) AS n, REGR_AVGX(income, age) AS x, REGR_AVGY(income, age) AS y FROM users
SELECT REGR_SXX(income, age) AS xx, REGR_SYY(income, age) AS yy, REGR_SXY(income, age) AS xy FROM users
SELECT CORR(age, age // 10) AS r FROM users
SELECT REGR_SLOPE(age, age // 10) AS slope FROM users
SELECT COVAR_POP(age, CASE WHEN state = 'NY' THEN 1 ELSE 0 END) AS c FROM users
SELECT REGR_SLOPE(CASE WHEN state = 'NY' THEN 1 ELSE 0 END, age) AS slope FROM users
SELECT CORR(age, visits) AS r FROM users
SELECT REGR_SLOPE(age, visits) AS slope, REGR_INTERCEPT(age, visits) AS start, REGR_COUNT(age, visits) AS n FROM users
SELECT CORR(age, income) FILTER (WHERE os = 'ios') AS r FROM users
SELECT REGR_SLOPE(income, age) FILTER (WHERE age > 10) AS slope FROM users
SELECT CORR(age * 2 + 1, income / 1000) AS r FROM users
SELECT ROUND(CORR(age, income), 2) AS r FROM users
SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING REGR_SLOPE(income, age) > 0
SELECT state, REGR_SLOPE(income, age) AS slope FROM users GROUP BY state ORDER BY slope DESC
SELECT COVAR_POP(amount, age) AS c FROM orders JOIN users USING (uid)
SELECT REGR_SLOPE(amount, age) AS slope FROM users JOIN orders USING (uid)
SELECT age > 20 AS old, CORR(age, income) AS r FROM users GROUP BY old
-- plan: survey
SELECT CORR(age, score) AS r FROM people
SELECT REGR_SLOPE(score, age) AS slope, REGR_INTERCEPT(score, age) AS start FROM people
SELECT REGR_SLOPE(age, spend) AS slope, REGR_R2(age, spend) AS r2 FROM people
SELECT COVAR_SAMP(age, n) AS c FROM people WHERE smoker
SELECT smoker, COVAR_POP(age, score) AS c FROM people GROUP BY smoker
-- plan: travel
SELECT CORR(age, spent) AS r FROM guests
SELECT REGR_SLOPE(spent, age) AS slope, REGR_INTERCEPT(spent, age) AS start, REGR_COUNT(spent, age) AS n FROM guests
SELECT REGR_AVGX(spent, age) AS x, REGR_AVGY(spent, age) AS y, REGR_SXY(spent, age) AS xy FROM guests
SELECT COVAR_POP(rate, age) AS c FROM guests
-- plan: clinic
SELECT CORR(age, bmi) AS r FROM profile JOIN health USING (uid)
SELECT REGR_SLOPE(bmi, age) AS slope FROM profile JOIN health USING (uid) WHERE smoker
SELECT COVAR_POP(bmi, weight) AS c FROM health
-- plan: shop
SELECT state, os, COUNT(*) AS n FROM users GROUP BY ROLLUP (state, os)
SELECT state, os, COUNT(*) AS n FROM users GROUP BY CUBE (state, os)
SELECT state, os, COUNT(*) AS n FROM users GROUP BY GROUPING SETS ((state, os), (state), ())
SELECT state, os, COUNT(*) AS n FROM users GROUP BY GROUPING SETS (state, os)
SELECT state, COUNT(*) AS n, AVG(age) AS a FROM users GROUP BY ROLLUP (state)
SELECT state, COUNT(*) AS n FROM users WHERE age > 10 GROUP BY ROLLUP (state) ORDER BY n DESC
SELECT state, COUNT(*) AS n FROM users GROUP BY ROLLUP (1)
SELECT state AS s, COUNT(*) AS n FROM users GROUP BY ROLLUP (s) ORDER BY s
SELECT upper(state) AS s, os, COUNT(*) AS n FROM users GROUP BY ROLLUP (s, os)
SELECT os, state, COUNT(*) AS n FROM users GROUP BY os, ROLLUP (state)
SELECT os, state, age > 20 AS old, COUNT(*) AS n FROM users GROUP BY os, CUBE (state, old)
SELECT os, state, age > 20 AS old, COUNT(*) AS n FROM users GROUP BY GROUPING SETS ((os, state), (old), ROLLUP (os))
SELECT state, GROUPING(state) AS g, COUNT(*) AS n FROM users GROUP BY ROLLUP (state)
SELECT state, os, GROUPING_ID(state, os) AS g, COUNT(*) AS n FROM users GROUP BY CUBE (state, os)
SELECT state, COUNT(*) AS n FROM users GROUP BY ROLLUP (state) HAVING COUNT(*) > 40
SELECT COALESCE(state, 'all') AS s, COUNT(*) AS n FROM users GROUP BY ROLLUP (state)
SELECT CASE WHEN GROUPING(state) = 1 THEN 'all' ELSE state END AS s, SUM(income) AS i FROM users GROUP BY ROLLUP (state)
SELECT age // 10 AS decade, state, COUNT(*) AS n FROM users GROUP BY ROLLUP (age // 10, state)
SELECT state, os, CORR(age, income) AS r FROM users GROUP BY GROUPING SETS ((state), (os), ())
SELECT category, SUM(amount) AS s FROM orders GROUP BY ROLLUP (category)
SELECT state, category, COUNT(*) AS n FROM users JOIN orders USING (uid) GROUP BY CUBE (state, category)
-- plan: travel
SELECT country, region, COUNT(*) AS n FROM guests GROUP BY ROLLUP (country, region)
SELECT YEAR(joined) AS y, country, COUNT(*) AS n FROM guests GROUP BY CUBE (y, country)
-- plan: shop
SELECT DISTINCT state FROM users
SELECT DISTINCT state FROM users ORDER BY state
SELECT DISTINCT state AS s, os FROM users ORDER BY s, os
SELECT DISTINCT os FROM users ORDER BY os LIMIT 2
SELECT DISTINCT age // 10 AS decade FROM users ORDER BY decade DESC
SELECT DISTINCT upper(state) FROM users
SELECT DISTINCT state FROM users WHERE state <> 'NY'
SELECT DISTINCT category FROM orders
SELECT DISTINCT COUNT(*) FROM users
SELECT DISTINCT state, COUNT(*) AS n FROM users GROUP BY state
SELECT DISTINCT s FROM (SELECT state AS s FROM users WHERE age > 5) t
SELECT state, SUM(n) AS n FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t GROUP BY ROLLUP (state)
SELECT COUNT(*) FROM users WHERE age > 5 AND CURRENT_DATE > DATE '2020-01-01'
-- plan: survey
SELECT SUM(smoker) AS n FROM people
SELECT SUM(smoker) / COUNT(smoker) AS share FROM people WHERE age > 3
SELECT city, SUM(smoker) AS n FROM people GROUP BY city
SELECT DISTINCT smoker FROM people
SELECT DISTINCT joined FROM people ORDER BY joined
SELECT COUNT(*) FROM people WHERE joined < CURRENT_DATE
SELECT COUNT(*) FROM people WHERE joined > CURRENT_DATE - INTERVAL 4000 DAY AND age > 2
-- plan: travel
SELECT DISTINCT country FROM guests ORDER BY country
SELECT DISTINCT YEAR(joined) AS y FROM guests WHERE joined IS NOT NULL ORDER BY y
SELECT COUNT(*) FROM guests WHERE joined < CURRENT_DATE
SELECT COUNT(*) FROM guests WHERE joined > CURRENT_DATE - INTERVAL '40 years'
SELECT COUNT(*) FROM guests WHERE joined BETWEEN DATE '2024-05-01' AND TODAY()
SELECT COUNT(*) FROM guests WHERE seen < NOW()
SELECT COUNT(*) FROM guests WHERE region IS NULL GROUP BY ROLLUP (joined)
-- plan: shop
PIVOT users ON state USING COUNT(*) GROUP BY os
PIVOT users ON state GROUP BY os
PIVOT users ON state USING AVG(age) AS a, COUNT(*) AS n GROUP BY os
PIVOT users ON state IN ('NY', 'WA') USING SUM(income) GROUP BY os
PIVOT users ON os IN ('ios', 'web') USING COUNT(*) GROUP BY state
SELECT * FROM users PIVOT (COUNT(*) FOR state IN ('NY', 'WA') GROUP BY os)
SELECT * FROM users PIVOT (COUNT(*) AS n FOR state IN ('NY', 'CA') GROUP BY os) ORDER BY os
PIVOT orders ON category USING SUM(amount) GROUP BY epoch
-- plan: survey
PIVOT people ON city USING COUNT(*) GROUP BY smoker
PIVOT people ON grade USING AVG(score) GROUP BY smoker
