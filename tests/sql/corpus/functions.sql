-- Functions of declared values; what each means is checked against DuckDB on raw rows, as in valid.sql.
-- plan: shop
SELECT COUNT(*) FROM users WHERE state LIKE '_Y'
SELECT COUNT(*) FROM users WHERE state LIKE '%A'
SELECT COUNT(*) FROM users WHERE state LIKE 'N_'
SELECT COUNT(*) FROM users WHERE state LIKE '%Y%' AND age > 5
SELECT COUNT(*) FROM users WHERE state NOT ILIKE '%a'
SELECT COUNT(*) FROM users WHERE state LIKE 'x%'
SELECT COUNT(*) FROM users WHERE LOWER(state) LIKE 'n%'
SELECT COUNT(*) FROM users WHERE UPPER(state) <> 'CA'
SELECT COUNT(*) FROM users WHERE LENGTH(state) > 2
SELECT COUNT(*) FROM users WHERE LENGTH(state) + age > 20
SELECT COUNT(*) FROM users WHERE SUBSTR(state, 2, 1) = 'A'
SELECT COUNT(*) FROM users WHERE SUBSTRING(state, 1, 1) IN ('N', 'C')
SELECT COUNT(*) FROM users WHERE LEFT(state, 1) = 'W'
SELECT COUNT(*) FROM users WHERE RIGHT(state, 1) = 'Y'
SELECT COUNT(*) FROM users WHERE REVERSE(state) = 'YN'
SELECT COUNT(*) FROM users WHERE CONCAT(state, '!') = 'NY!'
SELECT COUNT(*) FROM users WHERE CONCAT_WS('-', state, 'US') = 'NY-US'
SELECT COUNT(*) FROM users WHERE state || '-' || state = 'NY-NY'
SELECT COUNT(*) FROM users WHERE REPLACE(state, 'N', 'M') = 'MY'
SELECT COUNT(*) FROM users WHERE TRANSLATE(state, 'NY', 'ny') = 'ny'
SELECT COUNT(*) FROM users WHERE TRIM(state) = 'WA'
SELECT COUNT(*) FROM users WHERE CONTAINS(state, 'A')
SELECT COUNT(*) FROM users WHERE ends_with(state, 'A')
SELECT COUNT(*) FROM users WHERE prefix(state, 'N')
SELECT COUNT(*) FROM users WHERE suffix(state, 'Y')
SELECT COUNT(*) FROM users WHERE POSITION('A' IN state) = 2
SELECT COUNT(*) FROM users WHERE STRPOS(state, 'A') > 0
SELECT COUNT(*) FROM users WHERE INSTR(state, 'Y') = 2
SELECT COUNT(*) FROM users WHERE ASCII(state) = 78
SELECT COUNT(*) FROM users WHERE ORD(state) > 70
SELECT COUNT(*) FROM users WHERE UNICODE(state) < 80
SELECT COUNT(*) FROM users WHERE SPLIT_PART(state, 'Y', 1) = 'N'
SELECT COUNT(*) FROM users WHERE regexp_matches(state, '^[NW]')
SELECT COUNT(*) FROM users WHERE regexp_matches(state, 'A$') OR age < 4
SELECT COUNT(*) FROM users WHERE regexp_full_match(state, '[A-Z]{2}')
SELECT COUNT(*) FROM users WHERE regexp_extract(state, '([A-Z])Y', 1) = 'N'
SELECT COUNT(*) FROM users WHERE state SIMILAR TO '(NY|CA)'
SELECT COUNT(*) FROM users WHERE state ~ 'N'
SELECT COUNT(*) FROM users WHERE NOT regexp_matches(state, 'Y')
SELECT COUNT(*) FROM users WHERE state > 'D'
SELECT COUNT(*) FROM users WHERE state BETWEEN 'C' AND 'O'
SELECT COUNT(*) FROM users WHERE GREATEST(state, 'O') = 'WA'
SELECT COUNT(*) FROM users WHERE LEAST(state, 'D') = 'CA'
SELECT COUNT(*) FROM users WHERE COALESCE(state, 'x') = 'NY'
SELECT COUNT(*) FROM users WHERE NULLIF(state, 'NY') IS NULL
SELECT COUNT(*) FROM users WHERE CASE WHEN state LIKE 'N%' THEN age > 10 ELSE age > 30 END
SELECT COUNT(*) FROM users WHERE CASE LOWER(state) WHEN 'ny' THEN TRUE ELSE FALSE END
SELECT COUNT(*) FROM users WHERE IF(state = 'NY', age < 10, age > 35)
SELECT COUNT(*) FROM users WHERE age::VARCHAR LIKE '1%'
SELECT COUNT(*) FROM users WHERE age::TEXT = '7'
SELECT COUNT(*) FROM users WHERE LENGTH(age::VARCHAR) = 1
SELECT COUNT(*) FROM users WHERE CAST(age AS DOUBLE) / 3 > 5
SELECT COUNT(*) FROM users WHERE CAST(age / 3 AS INTEGER) = 5
SELECT COUNT(*) FROM users WHERE TRY_CAST(state AS INTEGER) IS NULL
SELECT COUNT(*) FROM users WHERE age::DECIMAL(10, 2) = 7.00
SELECT COUNT(*) FROM users WHERE age::BOOLEAN
SELECT COUNT(*) FROM users WHERE SQRT(age) > 4
SELECT COUNT(*) FROM users WHERE CBRT(age) < 3
SELECT COUNT(*) FROM users WHERE LN(age) BETWEEN 1 AND 3
SELECT COUNT(*) FROM users WHERE LOG10(age) >= 1
SELECT COUNT(*) FROM users WHERE LOG2(age) = 3
SELECT COUNT(*) FROM users WHERE EXP(age / 10) > 5
SELECT COUNT(*) FROM users WHERE POWER(age, 3) > 1000
SELECT COUNT(*) FROM users WHERE age ** 2 = 49
SELECT COUNT(*) FROM users WHERE SIN(age) > 0 AND COS(age) > 0
SELECT COUNT(*) FROM users WHERE TAN(age) < 1
SELECT COUNT(*) FROM users WHERE ATAN(age) > 1.5
SELECT COUNT(*) FROM users WHERE ATAN2(age, 10) > 0.5
SELECT COUNT(*) FROM users WHERE DEGREES(age / 10) > 90
SELECT COUNT(*) FROM users WHERE RADIANS(age * 10) > 3
SELECT COUNT(*) FROM users WHERE age > PI()
SELECT COUNT(*) FROM users WHERE ROUND(age / 7, 2) = 1.14
SELECT COUNT(*) FROM users WHERE ROUND(age / 7) = 3
SELECT COUNT(*) FROM users WHERE TRUNC(age / 7) = 3
SELECT COUNT(*) FROM users WHERE CEIL(age / 7) = FLOOR(age / 7)
SELECT COUNT(*) FROM users WHERE SIGN(age - 20) = -1
SELECT COUNT(*) FROM users WHERE ABS(age - 20) < 3
SELECT COUNT(*) FROM users WHERE EVEN(age) = age
SELECT COUNT(*) FROM users WHERE GCD(age, 12) = 4
SELECT COUNT(*) FROM users WHERE LCM(age, 4) = 12
SELECT COUNT(*) FROM users WHERE age & 3 = 1
SELECT COUNT(*) FROM users WHERE age | 1 = 7
SELECT COUNT(*) FROM users WHERE age << 1 > 40
SELECT COUNT(*) FROM users WHERE age >> 2 = 5
SELECT COUNT(*) FROM users WHERE XOR(age, 5) > 30
SELECT COUNT(*) FROM users WHERE age % 10 IN (0, 5)
SELECT COUNT(*) FROM users WHERE age // 10 = 2
SELECT COUNT(*) FROM users WHERE MOD(age, 4) = 0
SELECT COUNT(*) FROM users WHERE FMOD(age, 4) = 0
SELECT COUNT(*) FROM users WHERE isfinite(age / 2)
SELECT COUNT(*) FROM users WHERE NOT isnan(age)
SELECT COUNT(*) FROM users WHERE 10 / age > 1
SELECT COUNT(*) FROM users WHERE 10 // age >= 2
SELECT COUNT(*) FROM users WHERE age <> 5 AND 10 // (age - 5) > 1
SELECT COUNT(*) FROM users WHERE age > '15'
SELECT COUNT(*) FROM users WHERE age IN (1, 2, 3, 5, 8, 13, 21, 34)
SELECT COUNT(*) FROM users WHERE age NOT IN (1, 2, 3) AND state NOT IN ('NY')
SELECT COUNT(*) FROM users WHERE (age + 1) * 2 BETWEEN 10 AND 50
SELECT COUNT(*) FROM users WHERE GREATEST(age, 10, 20) = 20
SELECT COUNT(*) FROM users WHERE LEAST(age, 30) = 30
SELECT COUNT(*) FROM users WHERE COALESCE(NULLIF(age, 7), 0) = 0
SELECT COUNT(*) FROM users WHERE NULLIF(age % 2, 0) IS NULL
SELECT COUNT(*) FROM users WHERE age IS DISTINCT FROM 3 AND age IS NOT NULL
SELECT COUNT(*) FROM users WHERE make_date(2000 + age, 1, 1) > DATE '2020-06-01'
SELECT COUNT(*) FROM users WHERE YEAR(make_date(2000 + age, 1, 1)) = 2004
SELECT COUNT(*) FROM users WHERE DATE '2024-01-01' + age::INT > DATE '2024-01-20'
SELECT COUNT(*) FROM users WHERE dayname(DATE '2024-01-01' + age::INT) = 'Sunday'
SELECT COUNT(*) FROM users WHERE EXTRACT(month FROM DATE '2024-01-01' + age::INT) = 2
SELECT COUNT(*) FROM users WHERE strftime(DATE '2024-01-01' + age::INT, '%m-%d') = '01-15'
SELECT COUNT(*) FROM users WHERE date_trunc('month', DATE '2024-01-01' + age::INT) = DATE '2024-02-01'
SELECT COUNT(*) FROM users WHERE date_diff('week', DATE '2024-01-01', DATE '2024-01-01' + age::INT) = 3
SELECT COUNT(*) FROM users WHERE last_day(DATE '2024-01-01' + age::INT) = DATE '2024-02-29'
SELECT COUNT(*) FROM users WHERE DATE '2024-03-01' - INTERVAL 1 MONTH < DATE '2024-01-01' + age::INT
SELECT COUNT(*) FROM users WHERE isodow(DATE '2024-01-01' + age::INT) > 5
SELECT COUNT(*) FROM users WHERE quarter(DATE '2024-01-01' + age::INT * 3) = 2
SELECT COUNT(*) FROM users WHERE (age > 20) <> (state = 'NY')
SELECT COUNT(*) FROM users WHERE (age > 20) = (state LIKE '%A')
SELECT COUNT(*) FROM users WHERE LENGTH(state) * age > 60
SELECT COUNT(*) FROM users WHERE age % LENGTH(state) = 1
SELECT COUNT(*) FROM users WHERE state || age::VARCHAR = 'NY7'
SELECT COUNT(*) FROM users WHERE GREATEST(age, LENGTH(state)) > 30
SELECT COUNT(*) FROM users WHERE CASE state WHEN 'NY' THEN 10 WHEN 'WA' THEN 20 ELSE 30 END < age
SELECT COUNT(*) FROM users WHERE CASE WHEN state = 'NY' THEN age * 2 ELSE age END > 40
SELECT COUNT(*) FROM users WHERE age > 10 AND state || age::VARCHAR LIKE 'N%3'
SELECT COUNT(*) FROM users WHERE NOT (state || age::VARCHAR LIKE '%1')
SELECT COUNT(*) FROM users WHERE (state = 'NY' OR age > 30) = TRUE
SELECT COUNT(*) FROM users WHERE state LIKE 'N%' AND os LIKE 'i%'
SELECT COUNT(*) FROM users WHERE LOWER(state) = 'ny' OR visits > 1
SELECT COUNT(*) FROM users WHERE regexp_matches(state, 'N') AND visits IS NULL
SELECT LOWER(state) AS s, COUNT(*) FROM users GROUP BY s
SELECT LEFT(state, 1) AS letter, COUNT(*), AVG(age) FROM users GROUP BY letter ORDER BY letter
SELECT LENGTH(state) AS l, COUNT(*) FROM users GROUP BY l
SELECT state || '-US' AS place, COUNT(*) FROM users GROUP BY place ORDER BY 1
SELECT state LIKE '%A' AS ends, COUNT(*) FROM users GROUP BY ends
SELECT regexp_extract(state, '[A-M]') AS part, COUNT(*) FROM users GROUP BY part
SELECT ROUND(age / 7, 1) AS r, COUNT(*) FROM users GROUP BY r ORDER BY r
SELECT ROUND(SQRT(age)) AS r, COUNT(*) FROM users GROUP BY r
SELECT FLOOR(LN(age)) AS r, COUNT(*) FROM users GROUP BY r ORDER BY r DESC
SELECT age::VARCHAR AS t, COUNT(*) FROM users GROUP BY t ORDER BY t LIMIT 7
SELECT LENGTH(age::VARCHAR) AS digits, SUM(income) FROM users GROUP BY digits
SELECT age & 3 AS low, COUNT(*) FROM users GROUP BY low ORDER BY low
SELECT GCD(age, 12) AS g, COUNT(*) FROM users GROUP BY g ORDER BY g
SELECT SIGN(age - 20) AS s, COUNT(*) FROM users GROUP BY s
SELECT dayname(DATE '2024-01-01' + age::INT) AS d, COUNT(*) FROM users GROUP BY d
SELECT monthname(DATE '2024-01-01' + age::INT) AS d, COUNT(*) FROM users GROUP BY d
SELECT make_date(2024, 1, age % 28 + 1) AS d, COUNT(*) FROM users GROUP BY d ORDER BY d
SELECT strftime(DATE '2024-01-01' + age::INT, '%Y-%m') AS m, COUNT(*) FROM users GROUP BY m ORDER BY m
SELECT EXTRACT(week FROM DATE '2024-01-01' + age::INT) AS w, COUNT(*) FROM users GROUP BY w ORDER BY w
SELECT CASE WHEN state LIKE 'N%' THEN 'n' ELSE 'other' END AS c, AVG(income) FROM users GROUP BY c
SELECT COALESCE(NULLIF(state, 'CA'), 'none') AS c, COUNT(*) FROM users GROUP BY c
SELECT SUM(LENGTH(state)) FROM users
SELECT SUM(LN(age)), AVG(SQRT(age)), SUM(POWER(age, 3)) FROM users
SELECT AVG(LOG10(age)), AVG(EXP(age / 20)) FROM users WHERE state LIKE '%A'
SELECT SUM(ROUND(age / 7, 2)), SUM(TRUNC(age / 7)), SUM(age & 7) FROM users
SELECT SUM(age::VARCHAR::INT), SUM(CAST(age AS DECIMAL(10, 1)) / 2) FROM users
SELECT SUM(CASE WHEN state LIKE 'N%' THEN age ELSE 0 END) FROM users
SELECT SUM(CASE WHEN LOWER(state) IN ('ny', 'wa') THEN 1 ELSE 0 END) FROM users WHERE age % 2 = 0
SELECT SUM(STRPOS(state, 'A') * age) FROM users
SELECT AVG(age % LENGTH(state)) FROM users
SELECT SUM(GREATEST(age, LENGTH(state) * 10)) FROM users
SELECT SUM(CASE state WHEN 'NY' THEN age ELSE -age END), COUNT(state || age::VARCHAR) FROM users
SELECT COUNT(NULLIF(state, 'NY')), COUNT(TRY_CAST(state AS INTEGER)), COUNT(regexp_extract(state, 'Y')) FROM users
SELECT COUNT(*) FILTER (WHERE state LIKE 'N%') / COUNT(*) AS share FROM users
SELECT AVG(age) FILTER (WHERE LENGTH(state) = 2 AND state > 'D') FROM users
SELECT SUM(ABS(income - 6000)), SUM(GREATEST(income, 4000)), SUM(SQRT(income)), SUM(LN(income + 1)) FROM users
SELECT FLOOR(income / 4000) AS b, COUNT(*) FROM users WHERE state LIKE 'N%' GROUP BY b
SELECT STDDEV(LENGTH(state) * age) FROM users
SELECT category, SUM(amount * LENGTH(category)) FROM orders GROUP BY category
SELECT UPPER(category) AS c, AVG(amount) FROM orders WHERE category LIKE '%o%' GROUP BY c ORDER BY c
SELECT COUNT(*) FROM orders JOIN users USING (uid) WHERE category LIKE 'f%' AND state LIKE 'N%'
SELECT LEFT(category, 1) AS c, LOWER(state) AS s, SUM(amount) FROM orders JOIN users USING (uid) GROUP BY c, s
SELECT COUNT(*) FROM orders JOIN users USING (uid) WHERE LENGTH(category) > age / 10
SELECT COUNT(*) FROM (SELECT LOWER(state) AS s, age FROM users) t WHERE s = 'ny' AND age > 3
WITH t AS (SELECT age % 10 AS last, state FROM users WHERE state LIKE '%A') SELECT last, COUNT(*) FROM t GROUP BY last ORDER BY last
-- plan: survey
SELECT COUNT(*) FROM people WHERE city LIKE '%o%'
SELECT COUNT(*) FROM people WHERE city ILIKE 'ł%'
SELECT COUNT(*) FROM people WHERE LENGTH(city) = 4
SELECT COUNT(*) FROM people WHERE UPPER(city) = 'ŁÓDŹ'
SELECT COUNT(*) FROM people WHERE strip_accents(city) = 'Lodz' OR city LIKE 'O''%'
SELECT COUNT(*) FROM people WHERE REPLACE(city, '''', '') = 'OHara'
SELECT COUNT(*) FROM people WHERE split_part(city, ' ', 2) = 'york'
SELECT COUNT(*) FROM people WHERE city LIKE 'new\_%' ESCAPE '\' OR age < 0
SELECT COUNT(*) FROM people WHERE grade >= 2 AND grade::VARCHAR <> '3'
SELECT COUNT(*) FROM people WHERE smoker::INT = 1
SELECT COUNT(*) FROM people WHERE smoker::VARCHAR = 'true'
SELECT COUNT(*) FROM people WHERE (grade > 2) = smoker
SELECT COUNT(*) FROM people WHERE age > grade
SELECT COUNT(*) FROM people WHERE age - LENGTH(city) BETWEEN 1 AND 4 AND active
SELECT COUNT(*) FROM people WHERE ABS(age) % 3 = CASE WHEN smoker THEN 1 ELSE 2 END
SELECT COUNT(*) FROM people WHERE LENGTH(city) > age
SELECT COUNT(*) FROM people WHERE NOT (age > LENGTH(city) AND smoker)
SELECT COUNT(*) FROM people WHERE smoker AND (age > LENGTH(city) OR active)
SELECT SUM(GREATEST(age, LENGTH(city))) FROM people WHERE smoker
SELECT SUM(age * LENGTH(city)), AVG(age + LENGTH(city)) FROM people
SELECT SUM(CASE WHEN age > LENGTH(city) THEN spend ELSE 0 END) FROM people
SELECT SUM(SIGN(age)), SUM(age ** 3), SUM(age::DOUBLE / 7) FROM people
SELECT SIGN(age) AS s, COUNT(*) FROM people GROUP BY s ORDER BY s
SELECT CEIL(age / 4) AS s, COUNT(*) FROM people GROUP BY s ORDER BY s
SELECT TRUNC(age / 4) AS s, COUNT(*) FROM people GROUP BY s ORDER BY s
SELECT LEFT(city, 1) AS s, COUNT(*) FROM people GROUP BY s
SELECT UPPER(city) AS s, AVG(age) FROM people GROUP BY s ORDER BY s
SELECT grade >= 3 AS high, COUNT(*) FROM people WHERE grade > 1 GROUP BY high
SELECT SUM(score * LENGTH(city)), SUM(SQRT(score)), SUM(score ** 2) FROM people
SELECT COUNT(*) FROM people WHERE score < 0.5 AND city LIKE '%r%'
SELECT COUNT(*) FROM people WHERE CASE WHEN score > 0.5 THEN age > 3 ELSE smoker END
SELECT city, COUNT(*) AS n FROM people WHERE age::VARCHAR LIKE '1%' GROUP BY city ORDER BY city
-- plan: clinic
SELECT COUNT(*) FROM profile WHERE LOWER(state) = 'ny' AND age % 2 = 1
SELECT UPPER(dept) AS d, SUM(cost) FROM stays GROUP BY d ORDER BY d
SELECT COUNT(*) FROM profile JOIN health USING (uid) WHERE state LIKE '%A' AND NOT smoker
SELECT COUNT(*) FROM stays JOIN profile USING (uid) WHERE LENGTH(dept) > LENGTH(state)
SELECT COUNT(*) FROM stays JOIN profile USING (uid) WHERE dept < state
SELECT SUM(cost * LENGTH(dept)) FROM stays JOIN profile USING (uid) WHERE age + LENGTH(dept) > 25
SELECT LEFT(dept, 1) AS d, AVG(cost) FROM stays JOIN health USING (uid) WHERE bmi >= 20 GROUP BY d
SELECT SUM(LN(bmi)), AVG(SQRT(bmi)) FROM health WHERE smoker::INT = 1
