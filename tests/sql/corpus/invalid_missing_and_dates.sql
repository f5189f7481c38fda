-- Missing values, dates, times and decimals: one refused query per line, as in invalid.sql.
-- plan: travel
-- says: 'joined' is date in service 'guests'; AVG needs an ordinal attribute or a public number (here: age, spent, rate).
SELECT «AVG(joined)» FROM guests
-- says: 'born' is date in service 'guests'; SUM needs an ordinal attribute or a public number (here: age, spent, rate).
SELECT «SUM(born)» FROM guests
-- says: 'seen' is timestamp in service 'guests'; AVG needs an ordinal attribute or a public number (here: age, spent, rate).
SELECT «AVG(seen)» FROM guests
-- says: 'country' is categorical in service 'guests'; SUM needs an ordinal attribute or a public number (here: age, spent, rate).
SELECT «SUM(country)» FROM guests
-- says: 'country' is categorical in service 'guests'; AVG needs an ordinal attribute or a public number (here: age, spent, rate).
SELECT «AVG(country)» FROM guests WHERE country IS NOT NULL
-- says: MIN depends on single rows; rows were never disclosed.
SELECT «MIN(joined)» FROM guests
SELECT «MIN(age)» FROM guests
-- says: MAX depends on single rows; rows were never disclosed.
SELECT «MAX(born)» FROM guests
SELECT «MAX(seen)» FROM guests
SELECT «MAX(rate)» FROM guests
-- says: 'joined' is a date; a quantile is estimated for numbers.
SELECT «MEDIAN(joined)» FROM guests
-- says: 'seen' is a timestamp; a quantile is estimated for numbers.
SELECT «QUANTILE_CONT(seen, 0.9)» FROM guests
-- says: MODE depends on single rows; rows were never disclosed.
SELECT «MODE(joined)» FROM guests
-- says: How many different values there are depends on single rows:
SELECT «COUNT(DISTINCT joined)» FROM guests
SELECT «COUNT(DISTINCT age)» FROM guests
-- says: 'joined' is never 'soon'.
SELECT COUNT(*) FROM guests WHERE joined > «'soon'»
-- says: 'joined' is never '2024-13-01'.
SELECT COUNT(*) FROM guests WHERE joined = «'2024-13-01'»
-- says: 'joined' is never '1.6.2024'.
SELECT COUNT(*) FROM guests WHERE joined = «'1.6.2024'»
-- says: '2024-02-30' is not a date.
SELECT COUNT(*) FROM guests WHERE joined = DATE «'2024-02-30'»
-- says: 'noon' is not a time.
SELECT COUNT(*) FROM guests WHERE seen < TIMESTAMP «'noon'»
-- says: 'seen' is never '25:00'.
SELECT COUNT(*) FROM guests WHERE seen < «'25:00'»
-- says: 'joined' is never 5.
SELECT COUNT(*) FROM guests WHERE joined > «5»
-- says: 'joined' is never 2024.
SELECT COUNT(*) FROM guests WHERE joined = «2024»
SELECT COUNT(*) FROM guests WHERE joined IN («2024», 2025)
-- says: 'joined' is never TRUE.
SELECT COUNT(*) FROM guests WHERE «joined > TRUE»
-- says: This is not a condition: it is neither true nor false.
SELECT COUNT(*) FROM guests WHERE «joined»
SELECT COUNT(*) FROM guests WHERE «age»
SELECT COUNT(*) FROM guests WHERE NOT «born»
-- says: LIKE does not take a date and a text.
SELECT COUNT(*) FROM guests WHERE «joined LIKE '2024%'»
-- says: 'country' is never 'fr'.
SELECT COUNT(*) FROM guests WHERE country = «'fr'»
-- says: 'country' is never 'France'.
SELECT COUNT(*) FROM guests WHERE country = «'France'»
-- says: 'country' is never 'Itly'.
SELECT COUNT(*) FROM guests WHERE country IN ('FR', «'Itly'»)
-- says: There is no column 'NUL' in 'guests'.
SELECT COUNT(*) FROM guests WHERE country = «NUL»
-- says: 45 lies between two knots of 'spent', 40 and 50; devices round spent to its knots, so nothing is known about the numbers between them.
SELECT COUNT(*) FROM guests WHERE «spent < 45»
SELECT COUNT(*) FROM guests WHERE «COALESCE(spent, 0) < 45»
-- says: 12 lies between two knots of 'spent', 10 and 20; devices round spent to its knots, so nothing is known about the numbers between them.
SELECT COUNT(*) FROM guests WHERE spent IS NULL OR «spent > 12»
-- says: There is no column 'NULLL' in 'guests'.
SELECT COUNT(*) FROM guests WHERE age IS «NULLL»
-- says: There is no column 'joned' in 'guests'.
SELECT COUNT(*) FROM guests WHERE «joned» IS NULL
-- says: 'joined' is sensitive: its values were never disclosed.
SELECT «joined» FROM guests
SELECT COUNT(*) FROM guests ORDER BY «joined»
-- says: 'joined' stands beside an aggregate, and there is no GROUP BY; rows themselves were never disclosed.
SELECT «joined», COUNT(*) FROM guests
-- says: 'FORTNIGHT' is not a part of a date that is known here.
SELECT COUNT(*) FROM guests WHERE «date_trunc('fortnight', joined)» = DATE '2024-06-01'
-- says: 'MONHT' is not a part of a date that is known here.
SELECT COUNT(*) FROM guests WHERE EXTRACT(monht FROM «joined») = 1
-- says: 'MONT' is not a part of a date that is known here.
SELECT COUNT(*) FROM guests WHERE «joined» + INTERVAL 1 MONT > DATE '2024-06-01'
-- says: This is a time; a number is needed here.
SELECT SUM(«joined» - INTERVAL 1 DAY) FROM guests
-- says: + does not take a number and a date.
SELECT COUNT(*) FROM guests WHERE «age + joined» > 3
-- says: * does not take a date and a number.
SELECT COUNT(*) FROM guests WHERE «joined * 2» > DATE '2024-06-01'
-- says: This is a text; a number is needed here.
SELECT SUM(«CASE WHEN age IS NULL THEN 'none' ELSE 'some' END») FROM guests
SELECT SUM(«IFNULL(country, 'x')») FROM guests
-- says: COALESCE does not take a text and a number.
SELECT SUM(«COALESCE(country, 0)») FROM guests
-- says: COALESCE does not take a date and a number.
SELECT SUM(«COALESCE(joined, 0)») FROM guests
-- says: A value cannot be read as another type here where age is NULL.
SELECT «COALESCE(age, 'none')» AS a, COUNT(*) FROM guests GROUP BY a
-- says: 'born' is never 1.
SELECT COUNT(*) FROM guests WHERE born BETWEEN «1» AND 5
-- says: A value cannot be read as another type here where joined is "2024-01-01".
SELECT COUNT(*) FROM guests WHERE «joined::INT» > 5
-- says: FIRST depends on single rows; rows were never disclosed.
SELECT «first(age)» FROM guests
-- says: ANY_VALUE depends on single rows; rows were never disclosed.
SELECT «any_value(joined)» FROM guests
-- says: GROUP_CONCAT depends on single rows; rows were never disclosed.
SELECT «string_agg(country)» FROM guests
-- says: 'spent' is kept on knots, which this moves off.
SELECT «spent + 1» AS s, COUNT(*) FROM guests GROUP BY s
-- says: ISNULL is not among the functions that are computed here.
SELECT «ISNULL(age, 0)», COUNT(*) FROM guests GROUP BY 1
-- says: + does not take a date and a number.
SELECT COUNT(*) FROM guests WHERE joined < «born + age»
-- says: This key depends on 'joined' and 'seen'; a key may use one sensitive attribute or public columns.
SELECT «generate_series(joined, seen)», COUNT(*) FROM guests GROUP BY 1
-- says: 'start' is kept by week: this cuts some of its weeks, and sums and means over a part of one have no bounds.
SELECT «date_trunc('month', start)» AS m, AVG(nights) FROM trips GROUP BY m
SELECT SUM(nights) FROM trips WHERE «start < '2024-02-01'»
-- says: 'joined' is kept by month: this depends on what is inside of months, of which nothing is known.
SELECT «dayname(joined)» AS d, COUNT(*) FROM guests GROUP BY d
SELECT COUNT(*) FROM guests WHERE «dayname(joined) = 'Monday'»
-- says: 'joined' is kept by month: this cuts some of its months, and quantiles over a part of one have no bounds.
SELECT MEDIAN(age) FROM guests WHERE «joined < '2024-06-15'»
