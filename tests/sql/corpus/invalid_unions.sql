-- Putting queries together: what is refused, as in invalid.sql.
-- plan: shop
-- says: UNION leaves out rows that are the same; two estimates hardly ever are.
SELECT COUNT(*) FROM users «UNION» SELECT COUNT(*) FROM orders
(SELECT COUNT(*) FROM users) «UNION» (SELECT COUNT(*) FROM orders)
SELECT COUNT(*) FROM users «UNION» DISTINCT SELECT COUNT(*) FROM orders
SELECT 'a', COUNT(*) FROM users UNION ALL SELECT 'b', COUNT(*) FROM users «UNION» SELECT 'c', COUNT(*) FROM users
WITH t AS (SELECT age FROM users) SELECT COUNT(*) FROM t «UNION» SELECT AVG(age) FROM t
-- says: INTERSECT compares rows of two queries; two estimates are hardly ever the same.
SELECT COUNT(*) FROM users «INTERSECT» SELECT COUNT(*) FROM orders
SELECT COUNT(*) FROM users «INTERSECT» ALL SELECT COUNT(*) FROM orders
SELECT COUNT(*) FROM users UNION ALL SELECT COUNT(*) FROM orders «INTERSECT» SELECT COUNT(*) FROM users
-- says: EXCEPT compares rows of two queries; two estimates are hardly ever the same.
SELECT COUNT(*) FROM users «EXCEPT» SELECT COUNT(*) FROM orders
SELECT state, COUNT(*) FROM users GROUP BY state «EXCEPT» ALL SELECT 'NY', COUNT(*) FROM users
-- says: UNION ALL puts columns together by their places.
SELECT COUNT(*) AS n FROM users «UNION ALL BY NAME» SELECT COUNT(*) AS n FROM orders
-- says: After UNION ALL, a SELECT must stand.
SELECT COUNT(*) FROM users «UNION ALL»
-- says: UNION leaves out rows that are the same; two estimates hardly ever are.
SELECT COUNT(*) FROM users «UNION»
-- says: UNION is not a question: reports can only be asked, by one SELECT.
«UNION» ALL SELECT COUNT(*) FROM users
-- says: Before this, a SELECT is missing.
SELECT COUNT(*) FROM users UNION ALL «ORDER BY 1»
SELECT COUNT(*) FROM users UNION ALL «LIMIT 3»
-- says: SELECT number 2 has 2 columns, the first one 1 column.
SELECT COUNT(*) FROM users UNION ALL «SELECT state, COUNT(*) FROM users GROUP BY state»
-- says: SELECT number 2 has 1 column, the first one 2 columns.
SELECT state, COUNT(*) FROM users GROUP BY state UNION ALL «SELECT COUNT(*) FROM users»
-- says: SELECT number 3 has 3 columns, the first one 2 columns.
SELECT 'a', COUNT(*) FROM users UNION ALL SELECT 'b', COUNT(*) FROM users UNION ALL «SELECT 'c', 'd', COUNT(*) FROM users»
-- says: Column 1 ('state') is a number in SELECT number 2, and a text in number 1.
SELECT state, COUNT(*) FROM users GROUP BY state UNION ALL «SELECT 5, COUNT(*) FROM users»
SELECT state, COUNT(*) FROM users GROUP BY state UNION ALL «SELECT age, COUNT(*) FROM users GROUP BY age»
-- says: Column 1 ('count_star()') is a text in SELECT number 2, and a number in number 1.
SELECT COUNT(*), state FROM users GROUP BY state UNION ALL «SELECT state, COUNT(*) FROM users GROUP BY state»
-- says: Column 1 ('avg(age)') is a text in SELECT number 2, and a number in number 1.
SELECT AVG(age) FROM users UNION ALL «SELECT 'none' FROM users HAVING COUNT(*) > 0»
-- says: Column 1 ('old') is a text in SELECT number 2, and a condition in number 1.
SELECT age > 20 AS old, COUNT(*) FROM users GROUP BY old UNION ALL «SELECT 'all', COUNT(*) FROM users»
-- says: Column 1 ('d') is a text in SELECT number 2, and a date or time in number 1.
SELECT DATE '2024-01-01' AS d, COUNT(*) FROM users UNION ALL «SELECT 'later', COUNT(*) FROM users»
-- says: Column 1 ('1') is a condition in SELECT number 2, and a number in number 1.
SELECT 1, COUNT(*) FROM users UNION ALL «SELECT TRUE, COUNT(*) FROM users»
-- says: Column 1 ('state') is a number in SELECT number 2, and a text in number 1.
SELECT state, COUNT(*) FROM users GROUP BY state UNION ALL «SELECT amount, COUNT(*) FROM orders GROUP BY amount»
-- says: ORDER BY stands within UNION ALL: of which rows is not clear.
SELECT COUNT(*) FROM users «ORDER BY» 1 UNION ALL SELECT COUNT(*) FROM orders
-- says: LIMIT stands within UNION ALL: of which rows is not clear.
SELECT COUNT(*) FROM users «LIMIT» 1 UNION ALL SELECT COUNT(*) FROM orders
-- says: ORDER BY stands within UNION ALL: of which rows is not clear.
SELECT COUNT(*) FROM users UNION ALL (SELECT COUNT(*) FROM orders UNION ALL SELECT COUNT(*) FROM users «ORDER BY» 1)
-- says: The first SELECT has no column 'm'.
SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM users ORDER BY «m»
-- says: The first SELECT has no column 'l'.
SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b' AS l, COUNT(*) AS m FROM users ORDER BY «l»
-- says: The result has no column number 3.
SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM users ORDER BY «3»
-- says: After UNION ALL, rows are sorted by columns of the result.
SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM users ORDER BY «n + 1»
SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM users ORDER BY «COUNT(*)»
SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM users ORDER BY «users.n»
-- says: 'k' has no error in the first SELECT.
SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM users ORDER BY LOW(«k»)
-- says: NULLS FIRST is not supported; missing values come last.
SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM users ORDER BY «n» NULLS FIRST
-- says: LIMIT and OFFSET take a whole number of rows.
SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM users LIMIT «'x'»
SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM users LIMIT «10»%
-- says: There is no column 'agee' in 'users'.
SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM users WHERE «agee» > 3
-- says: There is no service 'userz' in plan 'shop'.
SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM «userz»
-- says: MAX depends on single rows; rows were never disclosed.
SELECT 'a' AS k, «MAX(age)» AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM users
-- says: There is no aggregate, and so nothing to estimate: rows themselves are never disclosed.
SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT «'b'», 0 FROM users
-- says: After GROUP, BY is missing.
SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM users «GROUP» state
-- says: After WHERE, a condition must follow.
SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM users «WHERE»
-- says: After ORDER, BY is missing.
SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM users «ORDER» n
-- says: A second statement begins here.
SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM users; «SELECT» COUNT(*) FROM users
-- says: Queries are put together after they are answered; a subquery here may only rename columns and filter rows.
SELECT SUM(n) FROM «(SELECT COUNT(*) AS n FROM users UNION ALL SELECT COUNT(*) FROM orders) t»
WITH «t AS (SELECT COUNT(*) AS n FROM users UNION ALL SELECT COUNT(*) FROM orders)» SELECT SUM(n) FROM t
SELECT COUNT(*) FROM «(SELECT age FROM users UNION ALL SELECT age FROM users) t»
-- says: A subquery inside an expression would need rows that were never disclosed.
SELECT COUNT(*) FROM users WHERE age IN «(SELECT 3 UNION ALL SELECT 4)»
-- says: A subquery in a formula is one SELECT of one aggregate.
SELECT COUNT(*) / «(SELECT COUNT(*) FROM users UNION ALL SELECT COUNT(*) FROM users)» FROM users
-- says: There is no aggregate: which groups have members at all is an estimate too.
SELECT «state» FROM users GROUP BY state UNION ALL SELECT COUNT(*) FROM users
-- says: * names rows; rows were never disclosed.
SELECT «*» FROM users UNION ALL SELECT * FROM users
-- says: DROP is not a question: reports can only be asked, by one SELECT.
SELECT COUNT(*) FROM users UNION ALL «DROP» TABLE users
-- says: LOAD_EXTENSION is not among the functions that are computed here.
SELECT COUNT(*) FROM users UNION ALL SELECT «load_extension('x')», COUNT(*) FROM users
-- says: Files, functions and values cannot stand in FROM; reports of services can.
SELECT COUNT(*) FROM users UNION ALL SELECT COUNT(*) FROM «read_csv('/etc/passwd')»
-- plan: survey
-- says: Column 1 ('smoker') is a number in SELECT number 2, and a condition in number 1.
SELECT smoker, COUNT(*) FROM people GROUP BY smoker UNION ALL «SELECT grade, COUNT(*) FROM people GROUP BY grade»
-- says: Column 1 ('city') is a number in SELECT number 2, and a text in number 1.
SELECT city, COUNT(*) FROM people GROUP BY city UNION ALL «SELECT score, COUNT(*) FROM people GROUP BY score»
-- plan: travel
-- says: Column 1 ('joined') is a number in SELECT number 2, and a date or time in number 1.
SELECT joined, COUNT(*) FROM guests GROUP BY joined UNION ALL «SELECT age, COUNT(*) FROM guests GROUP BY age»
-- says: Column 1 ('country') is a date or time in SELECT number 2, and a text in number 1.
SELECT country, COUNT(*) FROM guests GROUP BY country UNION ALL «SELECT born, COUNT(*) FROM guests GROUP BY born»
-- says: Column 1 ('year(born)') is a text in SELECT number 2, and a number in number 1.
SELECT year(born), COUNT(*) FROM guests GROUP BY born UNION ALL «SELECT monthname(born), COUNT(*) FROM guests GROUP BY born»
-- plan: shop
-- says: Rows are ordered and cut once.
SELECT * FROM (SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM orders ORDER BY n LIMIT 1) AS t «LIMIT 1000»
-- says: Queries are put together after they are answered; a subquery here may only rename columns and filter rows.
SELECT k FROM «(SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM orders) AS t»
SELECT * FROM «(SELECT 'a' AS k, COUNT(*) AS n FROM users UNION ALL SELECT 'b', COUNT(*) FROM orders) AS t» WHERE n > 3
