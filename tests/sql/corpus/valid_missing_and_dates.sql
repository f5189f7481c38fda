-- Missing values, dates, times and decimals: one query per line, as in valid.sql.
-- plan: travel
SELECT COUNT(*), COUNT(age), COUNT(country), COUNT(joined), COUNT(seen), COUNT(rate) FROM guests
SELECT SUM(age), AVG(age) FROM guests
SELECT SUM(spent), AVG(spent), COUNT(spent) FROM guests
SELECT VAR_POP(age), STDDEV(age) FROM guests
SELECT AVG(age) FROM guests WHERE country IS NULL
SELECT COUNT(*) FROM guests WHERE age IS NULL
SELECT COUNT(*) FROM guests WHERE age IS NOT NULL
SELECT COUNT(*) FROM guests WHERE NOT age IS NULL
SELECT COUNT(*) FROM guests WHERE age ISNULL
SELECT COUNT(*) FROM guests WHERE country IS NULL OR age IS NULL
SELECT COUNT(*) FROM guests WHERE country IS NULL AND age IS NULL
SELECT COUNT(*) FROM guests WHERE age > 20
SELECT COUNT(*) FROM guests WHERE NOT age > 20
SELECT COUNT(*) FROM guests WHERE age > 20 OR age <= 20
SELECT COUNT(*) FROM guests WHERE age = NULL
SELECT COUNT(*) FROM guests WHERE age <> 20
SELECT COUNT(*) FROM guests WHERE age IN (20, 21, NULL)
SELECT COUNT(*) FROM guests WHERE age NOT IN (20, 21)
SELECT COUNT(*) FROM guests WHERE age NOT IN (20, NULL)
SELECT COUNT(*) FROM guests WHERE age NOT BETWEEN 20 AND 25
SELECT COUNT(*) FROM guests WHERE age IS DISTINCT FROM 20
SELECT COUNT(*) FROM guests WHERE age IS NOT DISTINCT FROM NULL
SELECT COUNT(*) FROM guests WHERE (age > 20) IS TRUE
SELECT COUNT(*) FROM guests WHERE (age > 20) IS NOT TRUE
SELECT COUNT(*) FROM guests WHERE (age > 20) IS FALSE
SELECT COUNT(*) FROM guests WHERE (age > 20) IS NULL
SELECT COUNT(*) FROM guests WHERE NOT (age > 20 AND country = 'FR')
SELECT COUNT(*) FROM guests WHERE NOT (age > 20 OR country = 'FR')
SELECT COUNT(*) FROM guests WHERE (age > 20 AND country = 'FR') IS NULL OR region = 'north'
SELECT COUNT(*) FROM guests WHERE COALESCE(age, 18) < 20
SELECT COUNT(*) FROM guests WHERE COALESCE(age, 40) < 20
SELECT COUNT(*) FROM guests WHERE COALESCE(country, 'FR') = 'FR'
SELECT COUNT(*) FROM guests WHERE COALESCE(spent, 0) < 50
SELECT COUNT(*) FROM guests WHERE COALESCE(spent, 100) >= 50
SELECT COUNT(*) FROM guests WHERE spent < 50 OR spent IS NULL
SELECT COUNT(*) FROM guests WHERE NOT spent < 50
SELECT SUM(COALESCE(age, 0)) FROM guests
SELECT SUM(COALESCE(age, 7) * 2) FROM guests WHERE country = 'IT'
SELECT SUM(COALESCE(spent, 0)) FROM guests
SELECT AVG(COALESCE(spent, 33)) FROM guests
SELECT SUM(2 * COALESCE(spent, 1) + 3) FROM guests
SELECT SUM(spent + age) FROM guests
SELECT COUNT(spent + age) FROM guests
SELECT AVG(spent * 2) FROM guests WHERE age IS NOT NULL
SELECT COUNT(NULLIF(age, 20)) FROM guests
SELECT COUNT(NULLIF(country, 'FR')) FROM guests
SELECT SUM(CASE WHEN age IS NULL THEN 1 ELSE 0 END) FROM guests
SELECT SUM(CASE WHEN age > 25 THEN age END) FROM guests
SELECT COUNT(CASE WHEN age > 25 THEN 1 END) FROM guests
SELECT SUM(CASE WHEN spent IS NULL THEN 5 ELSE spent END) FROM guests
SELECT SUM(CASE country WHEN 'FR' THEN 1 WHEN 'IT' THEN 2 ELSE 9 END) FROM guests
SELECT COUNT(*) FILTER (WHERE age IS NULL) / COUNT(*) FROM guests
SELECT COUNT(age) * 1.0 / COUNT(*) AS answered FROM guests WHERE country = 'JP'
SELECT COUNT(*) - COUNT(age) AS silent FROM guests
SELECT COUNT_IF(age IS NULL), COUNT_IF(age > 20) FROM guests
SELECT country, COUNT(*) FROM guests GROUP BY country
SELECT country, COUNT(*), COUNT(age), AVG(age) FROM guests GROUP BY country
SELECT country, COUNT(*) AS n FROM guests GROUP BY country ORDER BY country
SELECT age, COUNT(*) FROM guests GROUP BY age ORDER BY age LIMIT 3
SELECT spent, COUNT(*) FROM guests GROUP BY spent
SELECT age IS NULL AS silent, COUNT(*) FROM guests GROUP BY silent
SELECT COALESCE(country, 'unknown') AS c, COUNT(*) FROM guests GROUP BY c
SELECT COALESCE(age, 0) // 10 AS decade, COUNT(*) FROM guests GROUP BY decade
SELECT CASE WHEN age IS NULL THEN 'none' WHEN age < 25 THEN 'young' ELSE 'old' END AS g, COUNT(*) FROM guests GROUP BY g
SELECT country, age IS NULL AS silent, COUNT(*) FROM guests GROUP BY ALL
SELECT country, COUNT(*) FROM guests WHERE country IS NOT NULL GROUP BY country
SELECT country, COUNT(*) FROM guests GROUP BY country HAVING country IS NOT NULL
SELECT country, region, COUNT(*) FROM guests GROUP BY country, region
SELECT AVG(nights), COUNT(nights), COUNT(*) FROM trips
SELECT COUNT(*) FROM trips WHERE start IS NULL
SELECT SUM(nights) FROM trips JOIN guests USING (uid) WHERE country IS NULL
SELECT COUNT(nights) FROM trips JOIN guests USING (uid) WHERE age > 20 AND nights IS NOT NULL
SELECT country, SUM(nights) FROM trips JOIN guests USING (uid) GROUP BY country
SELECT COUNT(*) FROM guests WHERE joined = DATE '2024-06-01'
SELECT COUNT(*) FROM guests WHERE joined = '2024-06-01'
SELECT COUNT(*) FROM guests WHERE joined < DATE '2024-06-01'
SELECT COUNT(*) FROM guests WHERE joined >= '2024-06-01'
SELECT COUNT(*) FROM guests WHERE '2024-06-01' <= joined
SELECT COUNT(*) FROM guests WHERE joined <> DATE '2024-06-01'
SELECT COUNT(*) FROM guests WHERE NOT joined >= DATE '2024-06-01'
SELECT COUNT(*) FROM guests WHERE joined BETWEEN DATE '2024-03-01' AND DATE '2024-08-31'
SELECT COUNT(*) FROM guests WHERE joined BETWEEN '2024-03-01' AND '2024-08-31'
SELECT COUNT(*) FROM guests WHERE joined NOT BETWEEN '2024-03-01' AND '2024-08-31'
SELECT COUNT(*) FROM guests WHERE joined IN ('2024-03-01', '2025-01-01', DATE '2025-02-01')
SELECT COUNT(*) FROM guests WHERE joined NOT IN ('2024-03-01', '2025-01-01')
SELECT COUNT(*) FROM guests WHERE joined IS NULL OR joined < '2024-03-01'
SELECT COUNT(*) FROM guests WHERE joined > '2030-01-01'
SELECT COUNT(*) FROM guests WHERE joined >= CAST('2024-06-01' AS DATE)
SELECT COUNT(*) FROM guests WHERE joined >= '2024-06-01'::DATE
SELECT COUNT(*) FROM guests WHERE joined >= DATE '2024-06-01' + INTERVAL 1 MONTH
SELECT COUNT(*) FROM guests WHERE joined >= DATE '2024-06-15' - INTERVAL 14 DAY
SELECT COUNT(*) FROM guests WHERE joined < DATE '2024-06-01' + INTERVAL '3 months'
SELECT COUNT(*) FROM guests WHERE joined + INTERVAL 7 DAY > DATE '2024-06-05'
SELECT COUNT(*) FROM guests WHERE joined - INTERVAL 1 YEAR < DATE '2023-06-01'
SELECT COUNT(*) FROM guests WHERE born + 3 > DATE '2024-03-01'
SELECT COUNT(*) FROM guests WHERE born - DATE '2024-02-26' < 4
SELECT SUM(born - DATE '2024-02-26') FROM guests
SELECT AVG(DATE '2024-03-10' - born) FROM guests WHERE born < '2024-03-05'
SELECT COUNT(*) FROM guests WHERE born > '2024-02-28' AND born <= '2024-03-01'
SELECT COUNT(*) FROM guests WHERE YEAR(joined) = 2024
SELECT COUNT(*) FROM guests WHERE EXTRACT(month FROM joined) IN (1, 2, 3)
SELECT COUNT(*) FROM guests WHERE date_part('quarter', joined) = 2
SELECT COUNT(*) FROM guests WHERE dayname(born) = 'Monday'
SELECT COUNT(*) FROM guests WHERE dayofweek(born) IN (0, 6)
SELECT COUNT(*) FROM guests WHERE date_trunc('quarter', joined) = DATE '2024-04-01'
SELECT COUNT(*) FROM guests WHERE date_trunc('week', born) < DATE '2024-03-04'
SELECT SUM(EXTRACT(day FROM born)) FROM guests
SELECT SUM(CASE WHEN joined < '2025-01-01' THEN age END) FROM guests
SELECT AVG(age) FILTER (WHERE joined >= '2025-01-01') FROM guests
SELECT COUNT(*) FROM guests WHERE COALESCE(joined, DATE '2024-01-01') < DATE '2024-02-01'
SELECT joined, COUNT(*) FROM guests GROUP BY joined
SELECT joined, COUNT(*) AS n FROM guests GROUP BY joined ORDER BY joined
SELECT joined, COUNT(*) AS n FROM guests WHERE joined >= '2025-06-01' GROUP BY joined ORDER BY joined DESC
SELECT born, COUNT(*), AVG(age) FROM guests GROUP BY born ORDER BY born
SELECT date_trunc('year', joined) AS y, COUNT(*) FROM guests GROUP BY y
SELECT YEAR(joined) AS y, COUNT(*) FROM guests GROUP BY y ORDER BY y
SELECT EXTRACT(quarter FROM joined) AS q, COUNT(*), SUM(age) FROM guests GROUP BY q
SELECT dayname(born) AS d, COUNT(*) FROM guests GROUP BY d
SELECT MONTH(born) AS m, country, COUNT(*) FROM guests GROUP BY m, country
SELECT born + INTERVAL 1 DAY AS next_day, COUNT(*) FROM guests GROUP BY next_day
SELECT joined < '2025-01-01' AS early, COUNT(*) FROM guests GROUP BY early
SELECT CASE WHEN joined < DATE '2024-07-01' THEN 'first half' ELSE 'later' END AS h, COUNT(*) FROM guests GROUP BY h
SELECT joined, COUNT(*) FROM guests GROUP BY joined HAVING joined > DATE '2025-06-01'
SELECT COUNT(*) FROM guests WHERE seen < TIMESTAMP '2024-02-28 12:00:00'
SELECT COUNT(*) FROM guests WHERE seen >= '2024-02-28 12:00:00'
SELECT COUNT(*) FROM guests WHERE seen >= '2024-02-29'
SELECT COUNT(*) FROM guests WHERE seen BETWEEN '2024-02-28 06:00:00' AND TIMESTAMP '2024-02-28 18:00:00'
SELECT COUNT(*) FROM guests WHERE seen IS NULL
SELECT COUNT(*) FROM guests WHERE HOUR(seen) < 6
SELECT COUNT(*) FROM guests WHERE EXTRACT(hour FROM seen) BETWEEN 9 AND 17
SELECT COUNT(*) FROM guests WHERE seen::DATE = DATE '2024-02-29'
SELECT COUNT(*) FROM guests WHERE CAST(seen AS DATE) = '2024-02-28' AND age > 20
SELECT COUNT(*) FROM guests WHERE seen + INTERVAL 3 HOUR > TIMESTAMP '2024-02-29 00:00:00'
SELECT HOUR(seen) AS h, COUNT(*) FROM guests GROUP BY h ORDER BY h
SELECT date_trunc('day', seen) AS d, COUNT(*) FROM guests GROUP BY d
SELECT seen, COUNT(*) FROM guests WHERE seen < '2024-02-28 03:00:00' GROUP BY seen
SELECT COUNT(*) FROM trips WHERE start < '2024-02-01'
SELECT start, COUNT(*), SUM(nights) FROM trips GROUP BY start
SELECT date_trunc('week', start) AS w, AVG(nights) FROM trips GROUP BY w
SELECT country, COUNT(*) FROM trips JOIN guests USING (uid) WHERE start >= DATE '2024-02-05' GROUP BY country
SELECT COUNT(*) FROM trips t JOIN guests g ON t.uid = g.uid WHERE t.start < '2024-03-01' AND g.joined < '2025-01-01'
SELECT SUM(rate), AVG(rate) FROM guests
SELECT COUNT(*) FROM guests WHERE rate = 0.3
SELECT COUNT(*) FROM guests WHERE rate < 1.25
SELECT COUNT(*) FROM guests WHERE rate BETWEEN 0.1 AND 0.7
SELECT COUNT(*) FROM guests WHERE rate * 10 = 7
SELECT COUNT(*) FROM guests WHERE rate IN (0.1, 0.2, 2.5)
SELECT SUM(rate * 2 + 1) FROM guests WHERE country = 'FR'
SELECT rate, COUNT(*) FROM guests WHERE rate <= 0.4 GROUP BY rate ORDER BY rate
SELECT FLOOR(rate) AS r, COUNT(*) FROM guests GROUP BY r
SELECT COUNT(*) FROM guests WHERE ROUND(rate) = 2
SELECT joined, COUNT(*) FROM guests GROUP BY joined HAVING joined > '2025-06-01' OR joined IS NULL
SELECT joined, COUNT(*) FROM guests GROUP BY joined HAVING joined BETWEEN DATE '2024-03-01' AND '2024-05-01' ORDER BY joined
SELECT country, COUNT(*) FROM guests GROUP BY country HAVING country IS NULL
SELECT seen, COUNT(*) FROM guests GROUP BY seen HAVING seen < TIMESTAMP '2024-02-28 02:00:00'
SELECT region, COUNT(*) FROM guests GROUP BY region HAVING region IS NOT NULL
