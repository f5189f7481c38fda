-- One query per line; "plan:" names the plan of the lines below it. What each means is checked against DuckDB on raw rows.
-- plan: shop
SELECT epoch, COUNT(*) FROM users GROUP BY epoch
SELECT epoch, COUNT(*) AS n FROM users WHERE age < 20 GROUP BY epoch ORDER BY epoch DESC
SELECT u.epoch AS week, AVG(income) FROM users u GROUP BY week ORDER BY week LIMIT 2
SELECT EPOCH, state, COUNT(*) FROM users GROUP BY ALL ORDER BY 1, 2
SELECT COUNT(*) FROM users WHERE epoch = 1
SELECT COUNT(*) FROM users WHERE epoch IN (1, 2) AND state = 'NY'
SELECT COUNT(*) FROM users WHERE epoch BETWEEN 0 AND 1 OR age < 5
SELECT COUNT(*) FROM users WHERE epoch = 1 AND state = 'NY' OR epoch = 2 AND state = 'WA'
SELECT COUNT(*) FILTER (WHERE epoch = 2) - COUNT(*) FILTER (WHERE epoch = 1) AS more FROM users WHERE state = 'NY'
SELECT COUNT(*) FILTER (WHERE epoch = 2 AND age > 20) / COUNT(*) FILTER (WHERE epoch = 1 AND age > 20) AS grown FROM users
SELECT AVG(income) FILTER (WHERE epoch = 2) - AVG(income) FILTER (WHERE epoch = 1) AS risen FROM users
SELECT AVG(income) FILTER (WHERE os = 'ios') - AVG(income) FILTER (WHERE os = 'web') AS lift FROM users WHERE epoch > 0
SELECT os, AVG(income) FILTER (WHERE epoch = 2) - AVG(income) FILTER (WHERE epoch = 1) AS risen FROM users GROUP BY os ORDER BY os
SELECT epoch, os, COUNT(*) FROM users GROUP BY epoch, os ORDER BY epoch, os
SELECT epoch % 2 AS odd, SUM(age) FROM users GROUP BY odd ORDER BY odd
SELECT epoch, SUM(amount) FROM orders GROUP BY epoch ORDER BY epoch
SELECT orders.epoch, SUM(amount) FROM orders JOIN users USING (uid) WHERE state = 'NY' GROUP BY orders.epoch ORDER BY 1
SELECT users.epoch, SUM(amount) FROM orders JOIN users USING (uid, epoch) GROUP BY users.epoch
SELECT SUM(amount) FROM orders o JOIN users u ON o.uid = u.uid AND o.epoch = u.epoch WHERE u.age > 10
SELECT e, COUNT(*) FROM (SELECT epoch AS e, age FROM users WHERE epoch > 0) t WHERE age > 3 GROUP BY e
SELECT epoch, COUNT(*) AS n FROM users GROUP BY epoch HAVING epoch >= 1 ORDER BY epoch
SELECT COUNT(*) FROM users
select count(*) from USERS
SELECT COUNT(*) AS n FROM users;
SELECT COUNT(1) FROM users
SELECT COUNT() FROM users
SELECT COUNT(NULL) FROM users
SELECT COUNT(age) FROM users
SELECT COUNT(os) FROM users
SELECT COUNT(visits) FROM users WHERE state = 'NY'
SELECT COUNT(uid) FROM users
SELECT COUNT(DISTINCT uid) FROM users
SELECT COUNT(DISTINCT uid) AS people FROM users WHERE age < 30
SELECT COUNT(DISTINCT users.uid) FROM users WHERE os = 'ios'
SELECT SUM(age) FROM users
SELECT SUM(income) FROM users
SELECT SUM(visits) FROM users
SELECT AVG(age) FROM users
SELECT AVG(income) AS mean FROM users
SELECT AVG(visits) FROM users
SELECT AVG(visits), SUM(visits), COUNT(visits), COUNT(*) FROM users
SELECT VARIANCE(age) FROM users
SELECT VAR_SAMP(age) FROM users WHERE state <> 'CA'
SELECT VAR_POP(age) FROM users
SELECT STDDEV(age) FROM users
SELECT STDDEV_SAMP(income) FROM users
SELECT STDDEV_POP(income) FROM users
SELECT VAR_POP(visits), STDDEV(visits), VAR_SAMP(visits + age) FROM users
SELECT STDDEV(age + visits) FROM users WHERE os IS NOT NULL
SELECT MEDIAN(age) FROM users
SELECT MEDIAN(income) FROM users WHERE age >= 20
SELECT QUANTILE_CONT(age, 0.25) FROM users
SELECT QUANTILE_CONT(age, 0.9) FROM users WHERE visits > 1
SELECT QUANTILE_CONT(income, 0) , QUANTILE_CONT(income, 1) FROM users
SELECT PERCENTILE_CONT(0.3) WITHIN GROUP (ORDER BY age) FROM users
SELECT PERCENTILE_CONT(0.3) WITHIN GROUP (ORDER BY age DESC) FROM users
SELECT MEDIAN(age) FILTER (WHERE state = 'NY') FROM users
SELECT state, MEDIAN(age) FROM users GROUP BY state
SELECT SUM(2 * age + visits) FROM users
SELECT SUM(age + income) FROM users
SELECT SUM(age - 3) FROM users
SELECT SUM(3 - age) FROM users
SELECT SUM(-age) FROM users
SELECT AVG(-age + 2.5) FROM users
SELECT SUM(age * age) FROM users
SELECT SUM(age * income) FROM users
SELECT SUM(age * income * visits) FROM users
SELECT SUM((age + 1) * (income - 500)) FROM users
SELECT SUM(age / 2) FROM users
SELECT SUM(age * visits / 4) FROM users
SELECT SUM(age // 7) FROM users
SELECT SUM(age % 7) FROM users
SELECT SUM(POWER(age, 2)) FROM users
SELECT SUM(age ** 2), SUM(age ^ 2) FROM users
SELECT SUM(ABS(age - 20)) FROM users
SELECT SUM(GREATEST(age, 18)), SUM(LEAST(age, 18)) FROM users
SELECT SUM(ROUND(age / 3)), SUM(CEIL(age / 3)), SUM(FLOOR(age / 3)) FROM users
SELECT SUM(ROUND(age, -1)) FROM users
SELECT SUM(CAST(age AS DOUBLE)) FROM users
SELECT SUM(age::BIGINT) FROM users
SELECT SUM(COALESCE(age, 0)) FROM users
SELECT SUM(NULLIF(age, 7)), COUNT(NULLIF(age, 7)), AVG(NULLIF(age, 7)) FROM users
SELECT SUM(income * income) FROM users
SELECT SUM(income / 1000) FROM users
SELECT SUM(1) FROM users WHERE age > 10
SELECT SUM(2.5) FROM users WHERE age > 10
SELECT SUM(COALESCE(visits, 3)) FROM users
SELECT SUM(COALESCE(visits, age)) FROM users
SELECT SUM(age * COALESCE(visits, 0)) FROM users
SELECT AVG(age + visits) FROM users
SELECT AVG(CASE WHEN os = 'ios' THEN age END) FROM users
SELECT AVG(CASE WHEN state = 'NY' THEN age END) FROM users
SELECT AVG(CASE WHEN state = 'NY' THEN visits ELSE age END) FROM users
SELECT SUM(CASE WHEN age > 20 THEN 1 ELSE 0 END) FROM users
SELECT SUM(CASE WHEN age > 20 AND state = 'WA' THEN 1 ELSE 0 END) FROM users
SELECT SUM(CASE WHEN age > 20 OR os = 'ios' THEN income ELSE -income END) FROM users
SELECT SUM(CASE state WHEN 'NY' THEN 1 WHEN 'WA' THEN 2 ELSE 3 END) FROM users
SELECT SUM(CASE state WHEN 'NY' THEN age WHEN 'WA' THEN income END) FROM users
SELECT COUNT(CASE WHEN state = 'NY' THEN 1 END) FROM users
SELECT COUNT(CASE WHEN state = 'NY' AND visits > 0 THEN 1 END) FROM users
SELECT SUM(IF(age > 20, 1, 0)) FROM users
SELECT SUM(age > 20) FROM users
SELECT SUM((age > 20)::INT) FROM users
SELECT SUM(CAST(age > 20 AND visits > 1 AS INTEGER)) FROM users
SELECT COUNT_IF(age > 20) FROM users
SELECT COUNTIF(age > 20 OR visits = 7) FROM users
SELECT COUNT(*) FILTER (WHERE age > 20) FROM users
SELECT COUNT(*) FILTER (WHERE state = 'NY' AND os = 'web') FROM users
SELECT SUM(income) FILTER (WHERE age BETWEEN 10 AND 20) FROM users WHERE state IN ('NY', 'CA')
SELECT AVG(age) FILTER (WHERE visits > 0), AVG(age) FROM users
SELECT COUNT(*) FILTER (WHERE age > 20) / COUNT(*) FROM users
SELECT 100.0 * COUNT(*) FILTER (WHERE state = 'NY') / COUNT(*) AS percent FROM users
SELECT SUM(income) / COUNT(*) FROM users
SELECT SUM(income) / NULLIF(COUNT(*), 0) FROM users
SELECT SUM(income) / SUM(age) FROM users
SELECT AVG(age) - AVG(age) FILTER (WHERE state = 'NY') AS gap FROM users
SELECT SQRT(AVG(age)), ABS(AVG(age) - 30), -AVG(age) FROM users
SELECT AVG(age * income) - AVG(age) * AVG(income) AS covariance FROM users
SELECT (AVG(age * visits) - AVG(age) * AVG(visits)) FROM users WHERE visits IS NOT NULL
SELECT COUNT(*) AS n, n * 2 AS twice FROM users
SELECT COUNT(*) AS n, SUM(age) AS s, s / n AS mean FROM users
SELECT COALESCE(SUM(age), 0) FROM users WHERE age > 10
SELECT AVG(age)::DOUBLE FROM users
SELECT COUNT(*) + 1, COUNT(*) * 2 - 3, 2 FROM users
SELECT COUNT(*) FROM users WHERE age = 5
SELECT COUNT(*) FROM users WHERE age <> 5
SELECT COUNT(*) FROM users WHERE age != 5
SELECT COUNT(*) FROM users WHERE 5 = age
SELECT COUNT(*) FROM users WHERE 20 <= age
SELECT COUNT(*) FROM users WHERE age < 30.5
SELECT COUNT(*) FROM users WHERE age >= 7.0
SELECT COUNT(*) FROM users WHERE age = 7.5
SELECT COUNT(*) FROM users WHERE age > 1e1
SELECT COUNT(*) FROM users WHERE age > 1000
SELECT COUNT(*) FROM users WHERE age > -1000
SELECT COUNT(*) FROM users WHERE age BETWEEN 10 AND 20
SELECT COUNT(*) FROM users WHERE age NOT BETWEEN 10 AND 20
SELECT COUNT(*) FROM users WHERE age BETWEEN 20 AND 10
SELECT COUNT(*) FROM users WHERE age IN (1, 2, 3, 50)
SELECT COUNT(*) FROM users WHERE age NOT IN (1, 2, 3)
SELECT COUNT(*) FROM users WHERE age IN (1, NULL)
SELECT COUNT(*) FROM users WHERE age NOT IN (1, NULL)
SELECT COUNT(*) FROM users WHERE age = NULL
SELECT COUNT(*) FROM users WHERE NOT age = NULL
SELECT COUNT(*) FROM users WHERE age IS NULL
SELECT COUNT(*) FROM users WHERE age IS NOT NULL
SELECT COUNT(*) FROM users WHERE age IS DISTINCT FROM 7
SELECT COUNT(*) FROM users WHERE age IS NOT DISTINCT FROM 7
SELECT COUNT(*) FROM users WHERE age + 5 > 30
SELECT COUNT(*) FROM users WHERE 2 * age - 3 BETWEEN 10 AND 20
SELECT COUNT(*) FROM users WHERE age % 2 = 0
SELECT COUNT(*) FROM users WHERE age / 10 >= 2.5
SELECT COUNT(*) FROM users WHERE age * 0.1 = 0.3
SELECT COUNT(*) FROM users WHERE -age < -20
SELECT COUNT(*) FROM users WHERE (age > 10) = TRUE
SELECT COUNT(*) FROM users WHERE (age > 10) IS NOT TRUE
SELECT COUNT(*) FROM users WHERE income >= 6000
SELECT COUNT(*) FROM users WHERE income < 6000.0
SELECT COUNT(*) FROM users WHERE income = 8000
SELECT COUNT(*) FROM users WHERE income BETWEEN 4000 AND 12000
SELECT COUNT(*) FROM users WHERE income IN (0, 2000, 20000)
SELECT COUNT(*) FROM users WHERE income > -5.5
SELECT COUNT(*) FROM users WHERE income <= 99999
SELECT COUNT(*) FROM users WHERE income / 1000 > 6
SELECT COUNT(*) FROM users WHERE income + 1000 >= 7000
SELECT COUNT(*) FROM users WHERE 20000 - income < 6000
SELECT COUNT(*) FROM users WHERE FLOOR(income / 4000) = 2
SELECT COUNT(*) FROM users WHERE state = 'NY'
SELECT COUNT(*) FROM users WHERE 'NY' = state
SELECT COUNT(*) FROM users WHERE state <> 'NY'
SELECT COUNT(*) FROM users WHERE state IN ('NY', 'WA')
SELECT COUNT(*) FROM users WHERE state NOT IN ('NY', 'WA')
SELECT COUNT(*) FROM users WHERE state IS NOT NULL
SELECT COUNT(*) FROM users WHERE age < 10 OR age > 30
SELECT COUNT(*) FROM users WHERE age < 10 OR state = 'NY'
SELECT COUNT(*) FROM users WHERE NOT (age < 10 OR state = 'NY')
SELECT COUNT(*) FROM users WHERE NOT (age < 10 AND state = 'NY')
SELECT COUNT(*) FROM users WHERE NOT (age < 10 AND os = 'ios')
SELECT COUNT(*) FROM users WHERE NOT (age < 10 OR os = 'ios')
SELECT COUNT(*) FROM users WHERE (age < 10 AND state = 'NY') OR (age > 30 AND state = 'NY')
SELECT COUNT(*) FROM users WHERE (age < 10 AND state = 'NY') OR (age > 30 AND state = 'CA')
SELECT COUNT(*) FROM users WHERE (age < 10 OR state = 'NY') AND (age > 5 OR state = 'CA')
SELECT COUNT(*) FROM users WHERE (age < 10 OR os = 'ios') AND (age > 5 OR os = 'web')
SELECT COUNT(*) FROM users WHERE age < 10 OR state = 'NY' OR income > 10000 OR os = 'ios'
SELECT COUNT(*) FROM users WHERE age < 10 AND TRUE
SELECT COUNT(*) FROM users WHERE age < 10 OR FALSE
SELECT COUNT(*) FROM users WHERE FALSE
SELECT COUNT(*) FROM users WHERE 1 = 1
SELECT COUNT(*) FROM users WHERE age < 10 OR NULL
SELECT COUNT(*) FROM users WHERE os = 'ios'
SELECT COUNT(*) FROM users WHERE os LIKE 'i%'
SELECT COUNT(*) FROM users WHERE os ILIKE 'AND%'
SELECT COUNT(*) FROM users WHERE os NOT LIKE '%o%'
SELECT COUNT(*) FROM users WHERE LOWER(os) = 'android'
SELECT COUNT(*) FROM users WHERE UPPER(TRIM(os)) = 'IOS'
SELECT COUNT(*) FROM users WHERE SUBSTR(os, 1, 1) = 'A'
SELECT COUNT(*) FROM users WHERE LENGTH(os) > 3 AND age > 3
SELECT COUNT(*) FROM users WHERE os || '!' = 'ios!'
SELECT COUNT(*) FROM users WHERE CONCAT(os, '-', visits) = 'ios-1'
SELECT COUNT(*) FROM users WHERE starts_with(os, 'i') OR age = 3
SELECT COUNT(*) FROM users WHERE visits % 2 = 1 AND age > 10
SELECT COUNT(*) FROM users WHERE visits / 2 > 0.5 OR age > 10
SELECT COUNT(*) FROM users WHERE COALESCE(visits, 0) > 1
SELECT COUNT(*) FROM users WHERE visits IS NULL OR age < 10
SELECT COUNT(*) FROM users WHERE os IN ('ios', 'web') AND visits BETWEEN 1 AND 5 AND state = 'NY'
SELECT COUNT(*) FROM users WHERE CASE WHEN os = 'ios' THEN age > 10 ELSE age > 20 END
SELECT COUNT(*) FROM users WHERE CASE WHEN age > 10 THEN 'a' ELSE 'b' END = 'a'
SELECT COUNT(*) FROM users WHERE (age > 10 AND os = 'ios') IS TRUE
SELECT COUNT(*) FROM users WHERE (age > 10 AND os = 'ios') IS NOT TRUE
SELECT COUNT(*) FROM users WHERE (age > 10 AND os = 'ios') IS FALSE
SELECT SUM(visits * 2 + 1) FROM users WHERE os = 'ios' OR state = 'NY'
SELECT SUM(CASE WHEN visits > 1 THEN visits ELSE 0 END) FROM users WHERE age > 10
SELECT SUM(ROUND(visits / 3, 1)) FROM users
SELECT SUM(SQRT(visits)) FROM users WHERE state = 'CA'
SELECT SUM(age / (visits + 1)) FROM users
SELECT state, COUNT(*) FROM users GROUP BY state
SELECT state, COUNT(*) AS n FROM users GROUP BY state ORDER BY state
SELECT state AS s, COUNT(*) AS n FROM users GROUP BY s ORDER BY s DESC
SELECT State, AVG(Age) FROM users GROUP BY STATE
SELECT u.state, COUNT(*) FROM users u GROUP BY u.state
SELECT u.state, COUNT(*) FROM users AS u GROUP BY state
SELECT "state", COUNT(*) FROM "users" GROUP BY "state"
SELECT COUNT(*) FROM users GROUP BY state
SELECT COUNT(*), state FROM users GROUP BY 2
SELECT state, COUNT(*) FROM users GROUP BY ALL
SELECT age, COUNT(*) FROM users GROUP BY age
SELECT income, COUNT(*) FROM users GROUP BY income
SELECT os, COUNT(*) FROM users GROUP BY os
SELECT os, state, AVG(age) FROM users GROUP BY os, state
SELECT state, os, visits, COUNT(*), SUM(income) FROM users GROUP BY 1, 2, 3
SELECT LOWER(os) AS system, COUNT(*) FROM users GROUP BY LOWER(os)
SELECT LOWER(os) AS system, COUNT(*) FROM users GROUP BY system
SELECT visits > 1 AS often, COUNT(*) FROM users GROUP BY visits > 1
SELECT visits // 2, SUM(age) FROM users GROUP BY visits // 2
SELECT COALESCE(os, 'none') AS os2, COUNT(*) FROM users GROUP BY os2
SELECT age // 10 AS decade, COUNT(*) FROM users GROUP BY decade
SELECT age // 10 * 10 AS decade, COUNT(*) FROM users GROUP BY age // 10 * 10
SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) FROM users GROUP BY 1
SELECT age % 3, COUNT(*) FROM users GROUP BY age % 3
SELECT age > 20 AS adult, COUNT(*) FROM users GROUP BY adult
SELECT FLOOR(income / 4000) * 4000 AS band, COUNT(*) FROM users GROUP BY band
SELECT CASE WHEN age < 10 THEN 'young' WHEN age < 30 THEN 'middle' ELSE 'old' END AS stage, COUNT(*) FROM users GROUP BY stage
SELECT CASE WHEN age < 10 THEN 'young' WHEN age < 30 THEN 'middle' END AS stage, COUNT(*) FROM users GROUP BY 1
SELECT CASE WHEN income < 6000 THEN 1 ELSE 2 END AS tier, AVG(age) FROM users GROUP BY tier
SELECT CASE state WHEN 'NY' THEN 'east' ELSE 'west' END AS coast, COUNT(*) FROM users GROUP BY coast
SELECT state = 'NY' AS here, COUNT(*) FROM users GROUP BY here
SELECT state, age // 20, COUNT(*) FROM users GROUP BY state, age // 20
SELECT state, COUNT(*) FROM users WHERE age > 20 GROUP BY state
SELECT state, COUNT(*) FROM users WHERE state <> 'NY' GROUP BY state
SELECT state, COUNT(*) FILTER (WHERE age > 20) / COUNT(*) AS share FROM users GROUP BY state
SELECT state, AVG(age) FROM users GROUP BY state HAVING COUNT(*) > 45
SELECT state, AVG(age) AS a FROM users GROUP BY state HAVING a > 20
SELECT state, AVG(age) AS age FROM users GROUP BY state HAVING age > 20
SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING state = 'NY'
SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING state IN ('NY', 'CA') AND NOT n > 1000
SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING n BETWEEN 10 AND 55 OR state <> 'CA'
SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING NOT (n < 50 OR state = 'NY')
SELECT state AS s, COUNT(*) FROM users GROUP BY state HAVING s <> 'NY'
SELECT os, COUNT(*) FROM users GROUP BY os HAVING os = 'ios' OR COUNT(*) < 30
SELECT COUNT(*) FROM users HAVING COUNT(*) > 100000
SELECT COUNT(*) FROM users HAVING TRUE
SELECT state, COUNT(*) AS n, SUM(income) AS s FROM users GROUP BY state HAVING s / n > 9000 ORDER BY s
SELECT age, COUNT(*) AS n FROM users GROUP BY age ORDER BY n DESC, age LIMIT 5
SELECT age, COUNT(*) AS n FROM users GROUP BY age ORDER BY 2 DESC, 1 DESC LIMIT 3 OFFSET 2
SELECT age, COUNT(*) FROM users GROUP BY age ORDER BY COUNT(*), age LIMIT 4
SELECT age, COUNT(*) FROM users GROUP BY age ORDER BY AVG(income) DESC LIMIT 4
SELECT age, COUNT(*) AS n FROM users GROUP BY age ORDER BY -n, -AVG(income), age LIMIT 4
SELECT state, COUNT(*) AS n FROM users GROUP BY state ORDER BY n + 1
SELECT os, COUNT(*) AS n FROM users GROUP BY os ORDER BY os
SELECT os, COUNT(*) AS n FROM users GROUP BY os ORDER BY os DESC
SELECT age, COUNT(*) FROM users GROUP BY age ORDER BY age OFFSET 3
SELECT age, COUNT(*) FROM users GROUP BY age ORDER BY age LIMIT 0
SELECT age, COUNT(*) FROM users GROUP BY age ORDER BY ALL LIMIT 5
SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING LOW(n) > 10
SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING LOW(COUNT(*)) > 10 AND SE(n) < 5 ORDER BY HIGH(n) DESC LIMIT 1
SELECT state, AVG(age) AS a, COUNT(*) FROM users GROUP BY state ORDER BY SE(a), low(a / 2)
WITH young AS (SELECT * FROM users WHERE age < 20) SELECT COUNT(*) FROM young
WITH young AS (SELECT uid, age AS years, os FROM users WHERE age < 20) SELECT AVG(years) FROM young WHERE os = 'ios'
WITH a AS (SELECT * FROM users WHERE age < 20), b AS (SELECT age, state FROM a WHERE state = 'NY') SELECT COUNT(*) FROM b
WITH users AS (SELECT * FROM users WHERE age > 30) SELECT state, COUNT(*) FROM users GROUP BY state
SELECT AVG(a) FROM (SELECT age + 1 AS a FROM users) t
SELECT b, COUNT(*) FROM (SELECT age // 10 AS b FROM users WHERE income > 4000) GROUP BY b
SELECT COUNT(*) FROM (SELECT * FROM (SELECT * FROM users WHERE age > 5) x WHERE age < 30) y WHERE y.state = 'NY'
SELECT t.s, COUNT(*) FROM (SELECT state AS s FROM users) AS t GROUP BY t.s
(SELECT COUNT(*) FROM users WHERE age > 3)
FROM users SELECT COUNT(*)
SELECT COUNT(*) /* a comment */ FROM users -- another
SELECT COUNT(*) FROM orders
SELECT SUM(amount), AVG(amount) FROM orders WHERE category = 'food'
SELECT category, COUNT(*), SUM(amount) FROM orders GROUP BY category
SELECT COUNT(*) FROM orders JOIN users USING (uid)
SELECT AVG(amount) AS spend FROM orders JOIN users USING (uid) WHERE category = 'sports' AND age BETWEEN 20 AND 40
SELECT AVG(amount) FROM users JOIN orders USING (uid) WHERE state = 'NY' OR category = 'food'
SELECT COUNT(*) FROM users u JOIN orders o ON u.uid = o.uid WHERE u.age > 20
SELECT COUNT(*) FROM users u INNER JOIN orders o ON o.uid = u.uid AND o.category = 'food' AND u.os = 'ios'
SELECT SUM(amount * age) FROM orders JOIN users USING (uid)
SELECT SUM(amount + visits) FROM orders JOIN users USING (uid)
SELECT state, category, SUM(amount) FROM users JOIN orders USING (uid) GROUP BY state, category
SELECT os, SUM(amount) AS s FROM users JOIN orders USING (uid) GROUP BY os ORDER BY s DESC
SELECT SUM(amount) / SUM(age) FROM users JOIN orders USING (uid)
SELECT COUNT(*) FROM (SELECT uid, age FROM users WHERE state = 'NY') u JOIN orders USING (uid) WHERE amount > 10
WITH u AS (SELECT uid AS id, age FROM users) SELECT COUNT(*) FROM u JOIN orders o ON u.id = o.uid WHERE age > 20
WITH j AS (SELECT age, amount FROM users JOIN orders USING (uid) WHERE category <> 'other') SELECT AVG(amount) FROM j WHERE age < 30
SELECT STDDEV(amount) FROM users JOIN orders USING (uid) WHERE NOT (state = 'NY' AND category = 'food')
SELECT MEDIAN(amount) FROM users JOIN orders USING (uid) WHERE age > 10
SELECT COUNT(uid) FROM users JOIN orders USING (uid)
-- plan: survey
SELECT COUNT(*) FROM people WHERE smoker
SELECT COUNT(*) FROM people WHERE NOT smoker
SELECT COUNT(*) FROM people WHERE smoker = TRUE AND grade = 2
SELECT COUNT(*) FROM people WHERE smoker <> TRUE
SELECT COUNT(*) FROM people WHERE smoker IS TRUE OR age > 3
SELECT COUNT(*) FROM people WHERE smoker IS NOT FALSE
SELECT COUNT(*) FROM people WHERE smoker AND active
SELECT COUNT(*) FROM people WHERE NOT (smoker AND active)
SELECT COUNT(*) FROM people WHERE NOT (smoker OR NOT active)
SELECT COUNT(*) FROM people WHERE active
SELECT COUNT(*) FROM people WHERE NOT active
SELECT COUNT(*) FROM people WHERE active IS NOT TRUE AND smoker
SELECT COUNT(*) FROM people WHERE active IS NULL OR grade IN (1, 6)
SELECT SUM(smoker::INT) FROM people
SELECT AVG(CAST(smoker AS INTEGER)) FROM people
SELECT AVG((age > 3 AND active)::INT) FROM people
SELECT COUNT(age > 3 OR active) FROM people
SELECT smoker, COUNT(*) FROM people GROUP BY smoker
SELECT grade, COUNT(*) FROM people GROUP BY grade ORDER BY grade
SELECT grade, smoker, AVG(age) FROM people GROUP BY ALL
SELECT COUNT(*) FROM people WHERE grade = 6
SELECT COUNT(*) FROM people WHERE grade NOT IN (1, 2)
SELECT COUNT(*) FROM people WHERE city = 'O''Hara'
SELECT COUNT(*) FROM people WHERE city IN ('Łódź', 'new york')
SELECT city, COUNT(*) FROM people GROUP BY city
SELECT city, COUNT(*) AS n FROM people GROUP BY city HAVING city = 'Rome'
SELECT age // 3, COUNT(*) FROM people GROUP BY age // 3
SELECT age % 3, COUNT(*) FROM people GROUP BY 1
SELECT FLOOR(age / 3), COUNT(*) FROM people GROUP BY 1
SELECT ROUND(age / 2), COUNT(*) FROM people GROUP BY 1
SELECT ROUND(age, -1), COUNT(*) FROM people GROUP BY 1
SELECT CAST(age / 2 AS INTEGER), COUNT(*) FROM people GROUP BY 1
SELECT SUM(ABS(age)), SUM(age // 2), SUM(age % 4), SUM(CEIL(age / 2)) FROM people
SELECT COUNT(*) FROM people WHERE age * age > 9
SELECT COUNT(*) FROM people WHERE ABS(age) <= 2
SELECT COUNT(*) FROM people WHERE age < 0 OR age > 10 OR age = 5
SELECT COUNT(*) FROM people WHERE age BETWEEN -3 AND -1
SELECT COUNT(*) FROM people WHERE age > 0.5 * 3
SELECT COUNT(*) FROM people WHERE score > 0.25
SELECT COUNT(*) FROM people WHERE score >= 0.5 AND score < 1
SELECT COUNT(*) FROM people WHERE score = 0.75
SELECT COUNT(*) FROM people WHERE score * 4 > 1
SELECT COUNT(*) FROM people WHERE 1 - score <= 0.5
SELECT score, AVG(age) FROM people GROUP BY score
SELECT FLOOR(score * 2), COUNT(*) FROM people GROUP BY 1
SELECT CEIL(score * 2), COUNT(*) FROM people GROUP BY 1
SELECT SUM(score), AVG(score), STDDEV(score), SUM(score * score) FROM people
SELECT SUM(score * spend) FROM people
SELECT SUM(score * spend - age * n) FROM people
SELECT SUM(spend) FROM people WHERE score > 0.5
SELECT AVG(spend) FROM people WHERE tariff = 'free' AND age > 0
SELECT AVG(spend + n) FROM people WHERE smoker
SELECT AVG(spend * n) , COUNT(spend * n), COUNT(spend), COUNT(n) FROM people WHERE smoker
SELECT SUM(CASE WHEN spend > 1 THEN age WHEN n > 1 THEN score ELSE n END) FROM people
SELECT AVG(CASE WHEN smoker THEN spend END) FROM people
SELECT AVG(CASE WHEN smoker AND active THEN spend ELSE age END) FROM people
SELECT COUNT(CASE WHEN smoker THEN spend END) FROM people
SELECT COUNT(COALESCE(spend, n)) FROM people WHERE grade = 1
SELECT SUM(COALESCE(spend, n, age)) FROM people
SELECT VAR_SAMP(spend), VAR_POP(spend * age) FROM people WHERE grade <> 3
SELECT COUNT(*) FROM people WHERE joined >= DATE '2024-01-01'
SELECT COUNT(*) FROM people WHERE joined < '2024-01-01' AND age > 2
SELECT COUNT(*) FROM people WHERE YEAR(joined) = 2024 OR smoker
SELECT COUNT(*) FROM people WHERE EXTRACT(month FROM joined) = 2
SELECT COUNT(*) FROM people WHERE joined + INTERVAL 1 DAY > DATE '2024-03-01'
SELECT COUNT(*) FROM people WHERE CAST(n AS VARCHAR) = '7'
SELECT COUNT(*) FROM people WHERE TRY_CAST(tariff AS INTEGER) IS NULL AND smoker
SELECT COUNT(*) FROM people WHERE tariff LIKE 'pro\_%' ESCAPE '\' OR age > 3
SELECT COUNT(*) FROM people WHERE tariff IS DISTINCT FROM 'free' AND age > 3
SELECT COUNT(*) FROM people WHERE (tariff = 'free' OR spend > 1) AND (smoker OR n = 1)
SELECT COUNT(*) FROM people WHERE (tariff = 'free') = active
SELECT COUNT(*) FROM people WHERE spend > n
SELECT COUNT(*) FROM people WHERE n IN (1, 2, NULL) OR age = 1
SELECT COUNT(*) FROM people WHERE n NOT IN (1, NULL) OR age = 1
SELECT YEAR(joined) AS y, COUNT(*) FROM people GROUP BY y ORDER BY y
SELECT DATE_TRUNC('year', joined) AS y, COUNT(*) FROM people WHERE joined IS NOT NULL GROUP BY y ORDER BY y
SELECT joined, COUNT(*) FROM people WHERE joined IS NOT NULL GROUP BY joined ORDER BY joined
SELECT tariff, smoker, COUNT(*) AS n2 FROM people GROUP BY tariff, smoker ORDER BY n2 DESC, tariff, smoker
SELECT UPPER(tariff), SUM(score) FROM people GROUP BY UPPER(tariff) HAVING SUM(score) > 5
SELECT CASE WHEN spend > 1 THEN 'big' WHEN spend IS NULL THEN 'none' ELSE 'small' END AS size, AVG(age) FROM people GROUP BY size
SELECT active, tariff, city, COUNT(*) FROM people GROUP BY 1, 2, 3
SELECT MEDIAN(age), QUANTILE_CONT(score, 0.1) FROM people WHERE NOT smoker
SELECT tariff, MEDIAN(age) FILTER (WHERE smoker) AS m FROM people GROUP BY tariff
SELECT COUNT(*) FROM people WHERE CASE grade WHEN 1 THEN TRUE WHEN 2 THEN active ELSE smoker END
SELECT COUNT(*) FROM people WHERE IF(smoker, age > 3, age < 3)
SELECT SUM(IF(smoker, 1, -1) * age) FROM people
SELECT SUM((CASE WHEN smoker THEN 1 ELSE 2 END) * spend) FROM people
SELECT SUM(age) FILTER (WHERE smoker) - SUM(age) FILTER (WHERE NOT smoker) AS d FROM people
SELECT COUNT(*) FILTER (WHERE grade = 1) * 100.0 / COUNT(*) FILTER (WHERE grade IN (1, 2)) FROM people
-- plan: clinic
SELECT COUNT(*) FROM profile JOIN health USING (uid)
SELECT COUNT(*) FROM profile JOIN health USING (uid) JOIN stays USING (uid)
SELECT COUNT(DISTINCT uid) FROM profile JOIN health USING (uid) WHERE smoker
SELECT AVG(bmi) FROM profile JOIN health USING (uid) WHERE age < 25
SELECT AVG(bmi) FROM profile p JOIN health h ON p.uid = h.uid WHERE p.state = 'NY' OR h.smoker
SELECT p.region, h.region, COUNT(*) FROM profile p JOIN health h USING (uid) GROUP BY p.region, h.region
SELECT COUNT(*) FROM profile p JOIN health h USING (uid) WHERE p.region = h.region AND age > 20
SELECT COUNT(*) FROM profile p JOIN health h USING (uid) WHERE p.region <> h.region OR age > 20 OR bmi < 20
SELECT SUM(bmi * weight * age) FROM profile JOIN health USING (uid)
SELECT state, smoker, AVG(bmi) AS b FROM profile JOIN health USING (uid) GROUP BY state, smoker ORDER BY b
SELECT dept, AVG(cost) FROM stays JOIN health USING (uid) WHERE bmi >= 30 GROUP BY dept
SELECT SUM(cost) FROM profile JOIN health USING (uid) JOIN stays USING (uid) WHERE age > 20 AND smoker AND dept = 'er'
SELECT SUM(cost) FROM profile p JOIN health h ON p.uid = h.uid JOIN stays s ON s.uid = p.uid WHERE p.age > 20 OR h.smoker OR s.dept = 'er'
SELECT SUM(cost) FROM profile p JOIN health h ON p.uid = h.uid JOIN stays s ON h.uid = s.uid AND s.cost > 20
SELECT SUM(cost * weight) / SUM(weight) FROM stays JOIN health USING (uid)
SELECT p.state, COUNT(*) FILTER (WHERE cost > 50) FROM profile p JOIN stays USING (uid) GROUP BY p.state
SELECT CASE WHEN bmi < 20 THEN 'low' WHEN bmi < 30 THEN 'mid' ELSE 'high' END AS band, AVG(cost) FROM health JOIN stays USING (uid) GROUP BY band
SELECT FLOOR(bmi / 10) * 10 AS band, COUNT(*) FROM health GROUP BY band ORDER BY band
SELECT FLOOR((bmi - 10) / 4), COUNT(*) FROM health GROUP BY 1
SELECT COUNT(*) FROM health WHERE bmi BETWEEN 18 AND 24
SELECT COUNT(*) FROM (SELECT uid, bmi FROM health WHERE NOT smoker) h JOIN (SELECT uid, age FROM profile WHERE state = 'CA') p USING (uid) WHERE age + 0 > 20 AND bmi > 12
WITH h AS (SELECT uid, bmi, region AS place FROM health), p AS (SELECT * FROM profile) SELECT place, AVG(age) FROM h JOIN p USING (uid) GROUP BY place
SELECT STDDEV_POP(cost), VAR_SAMP(cost) FROM stays JOIN profile USING (uid) WHERE NOT (state = 'NY' AND dept IN ('er', 'lab'))
SELECT AVG(cost) FILTER (WHERE smoker) - AVG(cost) FILTER (WHERE NOT smoker) AS extra FROM stays JOIN health USING (uid)
SELECT QUANTILE_CONT(cost, 0.75) FROM stays JOIN profile USING (uid) WHERE age >= 20
SELECT state, dept, SUM(cost) AS s FROM profile JOIN stays USING (uid) GROUP BY state, dept HAVING s > 100 ORDER BY s DESC, state LIMIT 4
SELECT COUNT(*) FROM stays WHERE dept = 'er' AND cost >= 50
-- plan: shop
SELECT COUNT(*) FROM users WHERE (age > 3) = (state = 'NY')
SELECT COUNT(*) FROM users WHERE state LIKE 'N%'
SELECT COUNT(*) FROM users WHERE state ILIKE 'n%'
SELECT COUNT(*) FROM users WHERE state NOT LIKE 'N%'
SELECT COUNT(*) FROM users WHERE LOWER(state) = 'ny'
SELECT COUNT(*) FROM users WHERE UPPER(state) = 'NY'
SELECT COUNT(*) FROM users WHERE LENGTH(state) = 2
SELECT COUNT(*) FROM users WHERE SUBSTR(state, 1, 1) = 'N'
SELECT COUNT(*) FROM users WHERE state || 'x' = 'NYx'
SELECT COUNT(*) FROM users WHERE CAST(age AS VARCHAR) = '3'
SELECT COUNT(*) FROM users WHERE age::VARCHAR LIKE '3%'
SELECT COUNT(*) FROM users WHERE SIN(age) > 0
SELECT SUM(LN(age)) FROM users
SELECT SUM(SQRT(income)) FROM users
SELECT SUM(EXP(age)) FROM users
SELECT COUNT(*) FROM users WHERE starts_with(state, 'N')
SELECT COUNT(*) FROM users WHERE regexp_matches(state, 'N.*')
SELECT COUNT(*) FROM users WHERE state SIMILAR TO 'N.*'
SELECT LEFT(state, 1), COUNT(*) FROM users GROUP BY 1
SELECT COUNT(*) FROM users WHERE age & 1 = 1
SELECT COUNT(*) FROM users WHERE TRY_CAST(state AS INTEGER) = 3
SELECT SUM(GREATEST(income, 3000)) FROM users
SELECT SUM(ABS(income)) FROM users
SELECT SUM(1 / (income + 1)) FROM users
SELECT SUM(age // 2.5) FROM users
SELECT COUNT(*) FROM users WHERE state < 'NY'
SELECT COUNT(*) FROM users WHERE state >= 'CA'
SELECT COUNT(*) FROM users WHERE state BETWEEN 'A' AND 'D'
SELECT SUM(CASE WHEN state > 'B' THEN 1 ELSE 0 END) FROM users
SELECT COUNT(*) FROM users WHERE age = '3'
SELECT COUNT(*) FROM users WHERE age > '20'
SELECT COUNT(*) FROM users WHERE income <= '4000'
SELECT COUNT(*) FROM users WHERE age IN ('1', '2')
SELECT COUNT(*) FROM users WHERE age BETWEEN '1' AND '2'
SELECT COUNT(*) FROM users WHERE age = TRUE
SELECT COUNT(*) FROM users WHERE (age > 3) > 1
SELECT COUNT(*) FROM users WHERE age > 3 AND age
SELECT SUM(CASE WHEN age THEN 1 END) FROM users
SELECT COUNT(*) FROM users WHERE age IS TRUE
SELECT SUM(IF(age, 1, 2)) FROM users
SELECT COUNT(*) FROM users WHERE 10 / (age - 5) > 1
SELECT SUM(ROUND(age / 3, 1)) FROM users
-- plan: survey
SELECT COUNT(*) FROM people WHERE grade > 2
SELECT COUNT(*) FROM people WHERE smoker < TRUE
-- plan: shop
SELECT ROUND(AVG(age), 1) FROM users
SELECT CAST(COUNT(*) AS INTEGER) FROM users
SELECT AVG(age)::DECIMAL(10, 2) FROM users
