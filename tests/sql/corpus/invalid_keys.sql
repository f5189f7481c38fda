-- Constants and functions of group keys: what is refused, as in invalid.sql.
-- plan: shop
-- says: + does not take a number and a text.
SELECT «age + state», COUNT(*) FROM users GROUP BY age, state
-- says: UPPER does not take a number.
SELECT «upper(age)», COUNT(*) FROM users GROUP BY age
-- says: + does not take a text and a number.
SELECT «state + 1», COUNT(*) FROM users GROUP BY state
-- says: YEAR does not take a text.
SELECT «year(state)», COUNT(*) FROM users GROUP BY state
-- says: SQRT does not take a text.
SELECT «sqrt(state)», COUNT(*) FROM users GROUP BY state
-- says: A value cannot be read as another type here.
SELECT «state::INTEGER», COUNT(*) FROM users GROUP BY state
-- says: This divides by zero.
SELECT «100 // (age - 5)», upper(state) / 2, COUNT(*) FROM users GROUP BY age, state
-- says: REPEAT is not among the functions that are computed here.
SELECT «repeat(state, 3)», COUNT(*) FROM users GROUP BY state
-- says: LPAD is not among the functions that are computed here.
SELECT «lpad(state, 10, '-')», COUNT(*) FROM users GROUP BY state
-- says: FORMAT is not among the functions that are computed here.
SELECT «format('{}', state)», COUNT(*) FROM users GROUP BY state
-- says: PRINTF is not among the functions that are computed here.
SELECT «printf('%s', state)», COUNT(*) FROM users GROUP BY state
-- says: MD5 is not among the functions that are computed here.
SELECT «md5(state)», COUNT(*) FROM users GROUP BY state
-- says: REGEXP_REPLACE is not among the functions that are computed here.
SELECT «regexp_replace(state, 'N', 'M')», COUNT(*) FROM users GROUP BY state
-- says: RANDOM is not among the functions that are computed here.
SELECT «random()», COUNT(*) FROM users
-- says: UUID is not among the functions that are computed here.
SELECT «uuid()», COUNT(*) FROM users
-- says: GETENV is not among the functions that are computed here.
SELECT «getenv('HOME')», COUNT(*) FROM users
-- says: CURRENT_USER is not among the functions that are computed here.
«SELECT current_user, COUNT(*) FROM users»
-- says: VERSION is not among the functions that are computed here.
SELECT «version()», COUNT(*) FROM users
-- says: A list is not among the functions that are computed here.
SELECT [«1, 2»], COUNT(*) FROM users
-- says: A struct is not among the functions that are computed here.
SELECT {'a': «1»}, COUNT(*) FROM users
-- says: A list is not among the functions that are computed here.
SELECT «list_value(state)», COUNT(*) FROM users GROUP BY state
-- says: A pattern or format must be written out.
SELECT «state LIKE state», COUNT(*) FROM users GROUP BY state
-- says: A value of this type is not shown.
SELECT INTERVAL 1 DAY AS «i», COUNT(*) FROM users
-- says: 'w' is a constant or a function of keys; it cannot be part of a formula over estimates.
SELECT 'a' AS w, COUNT(*) + «w» FROM users
-- says: 'u' is a constant or a function of keys; it cannot be part of a formula over estimates.
SELECT upper(state) AS u, COUNT(*) * «u» FROM users GROUP BY state
-- says: There is no aggregate: which groups have members at all is an estimate too.
SELECT «upper(state) AS u» FROM users GROUP BY state
-- says: There is no aggregate, and so nothing to estimate: rows themselves are never disclosed.
SELECT «'a' AS w» FROM users
SELECT «'a' AS w», 1 AS one FROM users
-- says: 'state' is sensitive: its values were never disclosed.
SELECT upper(«state»), COUNT(*) FROM users
-- says: 'state' is neither in GROUP BY nor inside an aggregate.
SELECT upper(«state»), COUNT(*) FROM users GROUP BY age
-- says: There is no column 'stat' in 'users'.
SELECT upper(«stat»), COUNT(*) FROM users GROUP BY state
-- says: 'age' is neither in GROUP BY nor inside an aggregate.
SELECT «age» * length(state), COUNT(*) FROM users GROUP BY state
-- says: 'os' is neither in GROUP BY nor inside an aggregate.
SELECT state, upper(«os»), COUNT(*) FROM users GROUP BY state
-- says: 'age' is neither in GROUP BY nor inside an aggregate.
SELECT state, COUNT(*) FROM users GROUP BY state HAVING upper(«age») = 'X'
-- says: 'os' is neither in GROUP BY nor inside an aggregate.
SELECT state, COUNT(*) FROM users GROUP BY state HAVING length(«os») > 3
-- says: HAVING compares results: estimates, their bounds, and keys of GROUP BY.
SELECT state, COUNT(*) FROM users GROUP BY state HAVING «age LIKE '3%'»
SELECT state, COUNT(*) FROM users GROUP BY state HAVING «state LIKE os»
-- says: + does not take a text and a number.
SELECT state, COUNT(*) FROM users GROUP BY state HAVING «state + 1» > 3
-- says: A value cannot be read as another type here.
SELECT state, COUNT(*) FROM users GROUP BY state HAVING «state»
-- says: REPEAT is not among the functions that are computed here.
SELECT state, COUNT(*) FROM users GROUP BY state HAVING «repeat(state, 2)» = 'NYNY'
-- says: 'age' is neither in GROUP BY nor inside an aggregate.
SELECT state, COUNT(*) FROM users GROUP BY state HAVING length(state) > COUNT(*) + «age»
-- says: 'os' is neither in GROUP BY nor inside an aggregate.
SELECT state, COUNT(*) FROM users GROUP BY state ORDER BY upper(«os»)
-- says: REPEAT is not among the functions that are computed here.
SELECT state, COUNT(*) FROM users GROUP BY state ORDER BY «repeat(state, 2)»
-- says: + does not take a text and a number.
SELECT state, COUNT(*) FROM users GROUP BY state ORDER BY «state + 1»
-- says: RANDOM is not among the aggregates and operations that have an unbiased estimate.
SELECT state, COUNT(*) FROM users GROUP BY state ORDER BY «random()»
-- says: This is the same for all rows.
SELECT state, COUNT(*) FROM users GROUP BY state, «'x'»
SELECT state, COUNT(*) FROM users GROUP BY «state», NULL
-- says: There is a column 'x' in the result already.
SELECT 'a' AS x, «'b' AS x», COUNT(*) FROM users
-- says: There is no such day or time.
SELECT DATE «'2024-13-01'» AS d, COUNT(*) FROM users
-- says: A value cannot be read as another type here.
SELECT «CAST('x' AS INTEGER)», COUNT(*) FROM users
-- says: + does not take a number and a text.
SELECT «1 // 0 + 'a'», COUNT(*) FROM users
-- says: This is not a formula over aggregates.
SELECT «state || COUNT(*)» FROM users GROUP BY state
-- says: CONCAT is not among the aggregates and operations that have an unbiased estimate.
SELECT «concat(state, AVG(age))» FROM users GROUP BY state
-- says: CASE over estimates compares their values with numbers and with each other.
SELECT CASE WHEN «state = 'NY'» THEN COUNT(*) ELSE 0 END FROM users GROUP BY state
-- says: 'uid' names a person; answers are about many.
SELECT «uid», COUNT(*) FROM users GROUP BY state
SELECT upper(«uid»), COUNT(*) FROM users GROUP BY state
-- says: This makes texts that are too long.
SELECT «replace(replace(replace(state, 'N', state || state || state), 'Y', state || state || state), 'A', state || state)», COUNT(*) FROM users GROUP BY state
-- plan: survey
-- says: UPPER does not take a condition.
SELECT «upper(smoker)», COUNT(*) FROM people GROUP BY smoker
-- says: + does not take a condition and a number.
SELECT «smoker + grade», COUNT(*) FROM people GROUP BY smoker, grade
-- says: YEAR does not take a number.
SELECT «year(grade)», COUNT(*) FROM people GROUP BY grade
-- says: - does not take a text and a number.
SELECT «city - 1», COUNT(*) FROM people GROUP BY city
-- says: UPPER does not take a number.
SELECT «upper(score)», COUNT(*) FROM people GROUP BY score
-- says: 'joined' has a value for each row; rows are not shown.
SELECT length(«joined») FROM people
-- says: 'joined' is neither in GROUP BY nor inside an aggregate.
SELECT month(«joined»), COUNT(*) FROM people GROUP BY tariff
-- plan: travel
-- says: UPPER does not take a date.
SELECT «upper(joined)», COUNT(*) FROM guests GROUP BY joined
-- says: * does not take a date and a number.
SELECT «joined * 2», COUNT(*) FROM guests GROUP BY joined
-- says: + does not take a date and a text.
SELECT «born + country», COUNT(*) FROM guests GROUP BY born, country
-- says: - does not take a date and a number.
SELECT «born - age», born - country, COUNT(*) FROM guests GROUP BY born, age
-- says: SQRT does not take a date.
SELECT «sqrt(born)», COUNT(*) FROM guests GROUP BY born
-- says: A pattern or format must be written out.
SELECT «strftime(born, country)», COUNT(*) FROM guests GROUP BY born, country
-- says: LIKE does not take a date and a text.
SELECT born, COUNT(*) FROM guests GROUP BY born HAVING «born LIKE '2024%'» AND dayname(country) = 'Monday'
-- says: 'joined' is neither in GROUP BY nor inside an aggregate.
SELECT born, COUNT(*) FROM guests GROUP BY born HAVING month(«joined») = 2
-- says: 'seen' is neither in GROUP BY nor inside an aggregate.
SELECT born, COUNT(*) FROM guests GROUP BY born ORDER BY dayname(«seen»)
-- says: AGE is not among the functions that are computed here.
SELECT «age(born)», COUNT(*) FROM guests GROUP BY born
-- plan: clinic
-- says: There is no column 'dept' in 'profile'.
SELECT upper(state), upper(«dept»), COUNT(*) FROM profile GROUP BY state
-- says: There is no column 'cost' in 'health'.
SELECT «cost» || 'x', bmi FROM health GROUP BY bmi
-- says: 'state' is neither in GROUP BY nor inside an aggregate.
SELECT weight - «state», COUNT(*) FROM profile JOIN health USING (uid) GROUP BY weight, bmi
