-- One refused query per line, the part that must be underlined between « and »; "says:" is a fragment of the message of
-- the lines below it, "plan:" their plan.
-- plan: shop
-- says: No epoch has a date here
SELECT epoch_start, COUNT(*) FROM users GROUP BY «epoch_start»
SELECT COUNT(*) FROM users WHERE «epoch_start» >= '2026-01-01'
-- says: never disclosed
SELECT «age» FROM users
SELECT «income» AS i FROM users
SELECT «state» FROM users WHERE age > 3
SELECT «u.age» FROM users u
SELECT «users.state» FROM users
SELECT «age», COUNT(*) FROM users
SELECT COUNT(*), «income» FROM users
SELECT «age» + 1 FROM users
SELECT AVG(age) + «age» FROM users
SELECT «a» FROM (SELECT age AS a FROM users) t
WITH t AS (SELECT age FROM users) SELECT «age» FROM t
SELECT «amount» FROM orders JOIN users USING (uid)
-- says: rows are not shown
SELECT «os» FROM users
SELECT «visits» FROM users WHERE os = 'ios'
-- says: * names rows
SELECT «*» FROM users
SELECT «users.*» FROM users
«FROM» users
SELECT COUNT(*), «*» FROM users
SELECT «*» FROM users JOIN orders USING (uid)
SELECT «*» FROM (SELECT age FROM users) t
-- says: DISTINCT ON keeps single rows
SELECT DISTINCT ON «(state)» state FROM users
-- says: DISTINCT inside of a query is not supported
SELECT COUNT(*) FROM (SELECT «DISTINCT» state FROM users) t
-- says: DISTINCT would compare estimates
«SELECT DISTINCT COUNT(*) FROM users GROUP BY state»
«SELECT DISTINCT n FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) t»
-- says: is a window over single rows
SELECT «SUM(age) OVER ()» FROM users
SELECT «COUNT(*) OVER (PARTITION BY state)» FROM users
SELECT «ROW_NUMBER() OVER (ORDER BY age)» FROM users
SELECT «LAG(age) OVER (ORDER BY uid)» FROM users
SELECT «NTILE(4) OVER (ORDER BY age)» FROM users
SELECT state, COUNT(*), «SUM(age) OVER ()» FROM users GROUP BY state
-- says: A window function is about groups, and rows are chosen
SELECT AVG(age) FROM users WHERE «ROW_NUMBER() OVER ()» < 5
SELECT SUM(«ROW_NUMBER() OVER ()») FROM users
-- says: Which groups have members is not known
SELECT state, «COUNT(*) OVER ()» FROM users GROUP BY state
SELECT state, «AVG(COUNT(*)) OVER ()» FROM users GROUP BY state
-- says: Without ORDER BY, no row comes before another
SELECT state, COUNT(*), «ROW_NUMBER() OVER ()» FROM users GROUP BY state
SELECT state, «SUM(COUNT(*)) OVER (ROWS 1 PRECEDING)» FROM users GROUP BY state
-- says: Which row is the first or next, only an order says
SELECT state, «LAG(COUNT(*)) OVER ()» FROM users GROUP BY state
-- says: The largest of several estimates is too large on average
SELECT state, «MAX(COUNT(*)) OVER ()» FROM users GROUP BY state
-- says: that of estimates is not certain
SELECT state, SUM(COUNT(*)) OVER (ORDER BY «COUNT(*)») FROM users GROUP BY state
SELECT state, COUNT(*) AS n, LAG(n) OVER (ORDER BY «n» DESC) FROM users GROUP BY state
-- says: A window has the order of one key
SELECT state, os, SUM(COUNT(*)) OVER (ORDER BY state, «os») FROM users GROUP BY state, os
-- says: Several groups have the same place in this order: they differ in os.
SELECT state, os, «LAG(COUNT(*)) OVER (ORDER BY state)» FROM users GROUP BY state, os
SELECT state, os, «SUM(COUNT(*)) OVER (ORDER BY state ROWS 1 PRECEDING)» FROM users GROUP BY state, os
-- says: Within each part, this is the same for all groups
SELECT state, SUM(COUNT(*)) OVER (PARTITION BY state ORDER BY «state») FROM users GROUP BY state
-- says: Only sums and counts have a total over groups
SELECT state, «SUM(AVG(age)) OVER (ORDER BY state)» FROM users GROUP BY state
SELECT state, «SUM(COUNT(*) + 1) OVER (ORDER BY state)» FROM users GROUP BY state
-- says: The mean of ratios has no unbiased estimate
SELECT state, «AVG(AVG(age)) OVER (ORDER BY state)» FROM users GROUP BY state
-- says: A quantile or a rank is no total
SELECT state, «LAG(MEDIAN(age)) OVER (ORDER BY state)» FROM users GROUP BY state
-- says: RANGE with a distance is not supported
SELECT age, «SUM(COUNT(*)) OVER (ORDER BY age RANGE BETWEEN 2 PRECEDING AND CURRENT ROW)» FROM users GROUP BY age
-- says: Where there is no such group, NULL is shown
SELECT state, LAG(COUNT(*), 1, «7») OVER (ORDER BY state) FROM users GROUP BY state
-- says: NTILE takes a number from 1 to
SELECT state, «NTILE(0) OVER (ORDER BY COUNT(*))» FROM users GROUP BY state
-- says: EXCLUDE is not supported
SELECT state, «SUM(COUNT(*)) OVER (ORDER BY state ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW)» FROM users GROUP BY state
-- says: A window over a window is not supported
SELECT state, SUM(COUNT(*)) OVER (ORDER BY state) AS r, «LAG(r) OVER (ORDER BY state)» FROM users GROUP BY state
-- says: Beside HAVING, this would be about the groups
SELECT state, «RANK() OVER (ORDER BY COUNT(*))» FROM users GROUP BY state HAVING COUNT(*) > 3
SELECT state, COUNT(*) / «SUM(COUNT(*)) OVER ()» AS share FROM users GROUP BY state HAVING COUNT(*) > 3
-- says: both sensitive
SELECT COUNT(*) FROM users WHERE «age > income»
SELECT COUNT(*) FROM users WHERE «age = income / 1000»
SELECT COUNT(*) FROM users WHERE «age + income > 5000»
SELECT COUNT(*) FROM users WHERE state = 'NY' AND («age < income» OR os = 'ios')
SELECT COUNT(*) FROM users WHERE «age BETWEEN 1 AND income»
SELECT COUNT(*) FROM users WHERE «age IN (income, 3)»
SELECT SUM(CASE WHEN «age > income» THEN 1 ELSE 0 END) FROM users
SELECT COUNT(*) FILTER (WHERE «income > age») FROM users
SELECT COUNT(*) FROM users JOIN orders USING (uid) WHERE «amount > age»
SELECT COUNT(*) FROM users u JOIN orders o ON u.uid = o.uid AND «o.amount < u.income»
SELECT COUNT(*) FROM users WHERE «GREATEST(age, income) > 3»
-- says: compares a sensitive attribute with a public column
SELECT COUNT(*) FROM users WHERE «age > visits»
SELECT COUNT(*) FROM users WHERE «state = os»
SELECT COUNT(*) FROM users WHERE «age + visits > 3»
SELECT COUNT(*) FROM users WHERE «age IN (visits, 1)»
SELECT COUNT(*) FROM users WHERE NOT («visits <= income»)
SELECT SUM(CASE WHEN «age = visits» THEN 1 ELSE 0 END) FROM users
-- says: lies between two knots of 'income'
SELECT COUNT(*) FROM users WHERE «income >= 5500»
SELECT COUNT(*) FROM users WHERE «income > 1»
SELECT COUNT(*) FROM users WHERE «income < 5999.99»
SELECT COUNT(*) FROM users WHERE «income = 3000»
SELECT COUNT(*) FROM users WHERE «income <> 3000»
SELECT COUNT(*) FROM users WHERE «income IN (2000, 3000)»
SELECT COUNT(*) FROM users WHERE «income NOT IN (2000, 3000)»
SELECT COUNT(*) FROM users WHERE «income BETWEEN 2000 AND 5000»
SELECT COUNT(*) FROM users WHERE «income BETWEEN 1000 AND 4000»
SELECT COUNT(*) FROM users WHERE age > 3 AND NOT («income < 3000» OR state = 'NY')
SELECT COUNT(*) FROM users WHERE «3000 < income»
SELECT COUNT(*) FROM users WHERE «income + 500 > 4000»
SELECT COUNT(*) FROM users WHERE «income / 1000 >= 3»
SELECT COUNT(*) FROM users WHERE «-income < -5000»
SELECT SUM(CASE WHEN «income > 5000» THEN 1 ELSE 0 END) FROM users
SELECT COUNT(*) FILTER (WHERE «income > 7000») FROM users
SELECT CASE WHEN «income < 5000» THEN 'low' ELSE 'high' END AS c, COUNT(*) FROM users GROUP BY c
SELECT «FLOOR(income / 3000)», COUNT(*) FROM users GROUP BY 1
SELECT «FLOOR(income / 5000)» * 5000 AS band, COUNT(*) FROM users GROUP BY band
SELECT «CEIL(income / 1000)», COUNT(*) FROM users GROUP BY 1
SELECT COUNT(*) FROM (SELECT * FROM users WHERE «income > 2500») t
SELECT COUNT(*) FROM users JOIN orders ON users.uid = orders.uid AND «income > 2500»
SELECT COUNT(*) FROM users WHERE «FLOOR(income / 3000)» = 2
SELECT SUM(«FLOOR(income / 1500)») FROM users
SELECT COUNT(*) FROM users WHERE «income IS DISTINCT FROM 3000»
-- says: may jump between two of them
SELECT COUNT(*) FROM users WHERE «income % 4000» = 0
SELECT COUNT(*) FROM users WHERE «income * income > 4000000»
SELECT SUM(«ROUND(income)») FROM users
-- says: kept on knots, which this moves off
SELECT «income / 1000», COUNT(*) FROM users GROUP BY 1
SELECT «income + 1» AS i, COUNT(*) FROM users GROUP BY i
SELECT «income * income», COUNT(*) FROM users GROUP BY 1
-- says: 'state' is never
SELECT COUNT(*) FROM users WHERE state = «'ny'»
SELECT COUNT(*) FROM users WHERE state = «'Texas'»
SELECT COUNT(*) FROM users WHERE state <> «'TX'»
SELECT COUNT(*) FROM users WHERE state IN ('NY', «'WX'»)
SELECT COUNT(*) FROM users WHERE state NOT IN («'N Y'»)
SELECT COUNT(*) FROM users WHERE «'nY'» = state
SELECT COUNT(*) FROM users WHERE state = «5»
SELECT COUNT(*) FROM users WHERE «state = TRUE»
SELECT COUNT(*) FROM users WHERE age > 3 OR NOT (state = «''» AND os = 'ios')
SELECT SUM(CASE state WHEN «'ny'» THEN 1 END) FROM users
SELECT COUNT(*) FILTER (WHERE state = «'new york'») FROM users
SELECT state, COUNT(*) FROM users GROUP BY state HAVING state = «'Ny'»
SELECT state, COUNT(*) FROM users GROUP BY state HAVING state IN ('NY', «'PA'»)
SELECT COUNT(*) FROM users WHERE state = 'NY' AND state = «'ZZ'»
SELECT CASE WHEN state = «'CAL'» THEN 1 ELSE 0 END AS c, COUNT(*) FROM users GROUP BY c
-- says: 'category' is never
SELECT COUNT(*) FROM orders WHERE category = «'sport'»
SELECT COUNT(*) FROM orders JOIN users USING (uid) WHERE category IN («'foods'»)
-- says: is categorical in service
SELECT «SUM(state)» FROM users
SELECT «AVG(state)» FROM users
SELECT «STDDEV(state)» FROM users
SELECT «AVG(category)» FROM orders
SELECT SUM(CASE WHEN age > 3 THEN «state» END) FROM users
SELECT AVG(«state» * visits) FROM users
SELECT «AVG(category)» FROM orders JOIN users USING (uid)
-- says: is categorical: its values are names
SELECT SUM(«state + 1») FROM users
SELECT COUNT(*) FROM users WHERE «state + 1» = 2
SELECT SUM(«-state») FROM users
SELECT SUM(«state * 2») FROM users
-- says: This is not a condition
SELECT COUNT(*) FROM users WHERE «age»
SELECT COUNT(*) FROM users WHERE «state»
SELECT COUNT(*) FROM users WHERE «5»
SELECT COUNT(*) FROM users WHERE «'yes'»
SELECT COUNT(*) FROM users WHERE «age + 1»
SELECT COUNT(*) FROM users WHERE NOT «income»
SELECT COUNT(*) FILTER (WHERE «age») FROM users
SELECT SUM(CASE WHEN «age» THEN visits ELSE income END) FROM users
-- says: This is a text
SELECT SUM(«'abc'») FROM users
SELECT SUM(«CASE WHEN age > 3 THEN 'a' ELSE 'b' END») FROM users
SELECT AVG(CASE WHEN os = 'ios' THEN «'a'» WHEN age > 3 THEN 'b' END) FROM users
-- says: divides by zero
SELECT SUM(«age / 0») FROM users
SELECT COUNT(*) FROM users WHERE «age % 0» = 1
SELECT SUM(«age // 0») FROM users
SELECT «COUNT(*) / 0» FROM users
SELECT «SUM(age) / (1 - 1)» FROM users
SELECT SUM(«1 / income») FROM users
-- says: which is sensitive, beside other columns
SELECT SUM(visits / «age») FROM users
SELECT SUM(income / «age») FROM users
-- says: not a sum of products
SELECT SUM(«GREATEST(age, visits)») FROM users
SELECT SUM(«ABS(age - visits)») FROM users
SELECT SUM(«age // visits») FROM users
SELECT SUM(«POWER(age, visits)») FROM users
SELECT SUM(«age > visits») FROM users
SELECT SUM(«ROUND(age * visits)») FROM users
-- says: depends on single rows
SELECT «MIN(age)» FROM users
SELECT «MAX(income)» FROM users
SELECT «MIN(visits)» FROM users
SELECT «MODE(state)» FROM users
SELECT «FIRST(age)» FROM users
SELECT «ANY_VALUE(state)» FROM users
SELECT «ARRAY_AGG(age)» FROM users
SELECT «LIST(age)» FROM users
SELECT «STRING_AGG(state, ',')» FROM users
SELECT «APPROX_COUNT_DISTINCT(state)» FROM users
SELECT «BOOL_AND(age > 3)» FROM users
SELECT «BOOL_OR(age > 3)» FROM users
SELECT «ARG_MAX(state, age)» FROM users
SELECT state, «MAX(age)» FROM users GROUP BY state
SELECT state, COUNT(*) FROM users GROUP BY state HAVING «MAX(age)» > 3
SELECT state, COUNT(*) FROM users GROUP BY state ORDER BY «MIN(age)»
SELECT COUNT(*) - «MIN(age)» FROM users
SELECT «SKEWNESS(age)» FROM users
SELECT «MAX(age)» FILTER (WHERE state = 'NY') FROM users
SELECT «COUNT(DISTINCT state)» FROM users
SELECT «COUNT(DISTINCT age)» FROM users
SELECT «COUNT(DISTINCT os)» FROM users
SELECT «COUNT(DISTINCT uid, state)» FROM users
SELECT «COUNT(DISTINCT age // 10)» FROM users
-- says: is not built in
-- says: not among the aggregates and operations
SELECT «ENTROPY(age)» FROM users
SELECT «PRODUCT(age)» FROM users
SELECT «LOW(COUNT(*))» FROM users
SELECT «UPPER(COUNT(*))» FROM users
-- says: Whether two rows have the same value
SELECT «SUM(DISTINCT age)» FROM users
SELECT «AVG(DISTINCT visits)» FROM users
-- says: several rows in 'orders'
SELECT «COUNT(DISTINCT uid)» FROM orders
SELECT «COUNT(DISTINCT uid)» FROM users JOIN orders USING (uid)
SELECT «COUNT(DISTINCT o.uid)» FROM orders o WHERE category = 'food'
-- says: ORDER BY inside an aggregate
SELECT SUM(«age ORDER BY income») FROM users
-- says: An aggregate inside an aggregate
SELECT SUM(«COUNT(*)») FROM users
SELECT AVG(«SUM(age)») FROM users GROUP BY state
SELECT SUM(age - «AVG(age)») FROM users
SELECT COUNT(«MAX(age)») FROM users
-- says: An aggregate cannot stand in WHERE
SELECT COUNT(*) FROM users WHERE «COUNT(*)» > 3
SELECT COUNT(*) FROM users WHERE age > «AVG(age)»
SELECT COUNT(*) FROM users GROUP BY «COUNT(*)»
SELECT COUNT(*) FILTER (WHERE «SUM(age)» > 3) FROM users
SELECT COUNT(*) FROM users JOIN orders ON users.uid = orders.uid AND «SUM(amount)» > 3
-- says: This stands for an aggregate
SELECT COUNT(*) AS n FROM users GROUP BY «n»
SELECT COUNT(*), state FROM users GROUP BY «1»
-- says: takes one argument
SELECT «COUNT(age, income)» FROM users
-- says: Only COUNT takes *
SELECT «SUM(*)» FROM users
SELECT «AVG(*)» FROM users
-- says: A quantile needs one number between 0 and 1
SELECT QUANTILE_CONT(age, «50») FROM users
SELECT QUANTILE_CONT(age, «-0.5») FROM users
SELECT QUANTILE_CONT(age, [«0.1, 0.9»]) FROM users
SELECT QUANTILE_CONT(age, «visits») FROM users
SELECT PERCENTILE_CONT(«2») WITHIN GROUP (ORDER BY age) FROM users
-- says: A quantile is estimated for a sensitive ordinal
SELECT «MEDIAN(state)» FROM users
SELECT «MEDIAN(visits)» FROM users
SELECT «MEDIAN(age + 1)» FROM users
SELECT «QUANTILE_CONT(os, 0.5)» FROM users
-- says: has no error bar of its own
SELECT «AVG(age)::VARCHAR» FROM users
-- says: would round them
SELECT «CAST(SUM(age) AS FLOAT)» FROM users
-- says: not a formula over aggregates
SELECT «COUNT(*) > 3» FROM users
SELECT «COUNT(*) // 3» FROM users
SELECT «COUNT(*) % 3» FROM users
SELECT «COUNT(*) > 3 AND TRUE» FROM users
SELECT «NOT COUNT(*)» FROM users
SELECT «COUNT(*) || 'x'» FROM users
-- says: is not among the functions that are computed here
SELECT «getenv('HOME')» FROM users
SELECT «version()» FROM users
SELECT «pragma_version()» FROM users
-- says: There is no aggregate, and so nothing to estimate
SELECT «'text'» FROM users
SELECT NULL «FROM users»
-- says: is neither in GROUP BY nor inside an aggregate
SELECT «age», COUNT(*) FROM users GROUP BY state
SELECT state, «age», COUNT(*) FROM users GROUP BY state
SELECT «os», COUNT(*) FROM users GROUP BY state
SELECT state, COUNT(*) FROM users GROUP BY state HAVING «age» > 3
SELECT state, COUNT(*) FROM users GROUP BY state ORDER BY «age»
SELECT state, COUNT(*) FROM users GROUP BY state HAVING «os» = 'ios'
SELECT «age» // 10 + 1, COUNT(*) FROM users GROUP BY state
-- says: is a key of GROUP BY
SELECT «age» * COUNT(*) FROM users GROUP BY age
SELECT state AS s, COUNT(*) FROM users GROUP BY state ORDER BY LOW(«s»)
-- says: There is no aggregate
SELECT «state» FROM users GROUP BY state
SELECT «os» FROM users GROUP BY os
SELECT «state», age FROM users GROUP BY ALL
-- says: several questions at once
SELECT state, os, COUNT(*) FROM users GROUP BY «(state, os)»
-- says: SELECT has no column number
SELECT state, COUNT(*) FROM users GROUP BY «3»
SELECT state, COUNT(*) FROM users GROUP BY «0»
SELECT COUNT(*) FROM users GROUP BY «1.5»
-- says: This key depends on
SELECT «age * income», COUNT(*) FROM users GROUP BY 1
SELECT «CASE WHEN age > 3 AND os = 'ios' THEN 1 ELSE 0 END» AS c, COUNT(*) FROM users GROUP BY c
SELECT «CASE WHEN age > 3 AND state = 'NY' THEN 1 ELSE 0 END» AS c, COUNT(*) FROM users GROUP BY c
SELECT «CONCAT(state, os)», COUNT(*) FROM users GROUP BY 1
-- says: This is the same for all rows
SELECT COUNT(*) FROM users GROUP BY «'x'»
SELECT state, COUNT(*) FROM users GROUP BY state ORDER BY «'x'»
SELECT COUNT(*) FROM users GROUP BY «1 + 1»
-- says: The result has no column number
SELECT state, COUNT(*) FROM users GROUP BY state ORDER BY «3»
SELECT state, COUNT(*) FROM users GROUP BY state ORDER BY «0»
-- says: NULLS FIRST is not supported
SELECT os, COUNT(*) FROM users GROUP BY os ORDER BY «os» NULLS FIRST
-- says: take a whole number of rows
SELECT state, COUNT(*) FROM users GROUP BY state LIMIT «10»%
SELECT state, COUNT(*) FROM users GROUP BY state LIMIT «1 + 1»
SELECT state, COUNT(*) FROM users GROUP BY state LIMIT «2.5»
SELECT state, COUNT(*) FROM users GROUP BY state OFFSET «'a'»
-- says: HAVING compares results
SELECT state, COUNT(*) FROM users GROUP BY state HAVING «COUNT(*)»
-- says: An estimate is never NULL
SELECT state, COUNT(*) FROM users GROUP BY state HAVING «COUNT(*) IS NOT NULL»
-- says: An estimate is a number
SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING «n = 'many'»
SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING «LOW(n) > 'x'»
-- says: compared with values only
SELECT state, os, COUNT(*) FROM users GROUP BY state, os HAVING state = «os»
SELECT age, COUNT(*) AS n FROM users GROUP BY age HAVING age > «n»
-- says: takes one estimate
SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING «LOW(n, 2)» > 3
SELECT state, COUNT(*) AS n FROM users GROUP BY state ORDER BY «SE()»
-- says: There is no column
SELECT COUNT(*) FROM users WHERE «agee» > 3
SELECT AVG(«salary») FROM users
SELECT stat, COUNT(*) FROM users GROUP BY «stat»
SELECT COUNT(*) FROM users WHERE «users.amount» > 3
SELECT COUNT(*) FROM users WHERE «"Age "» > 3
SELECT AVG(«category») FROM users
SELECT COUNT(*) FROM orders WHERE «age» > 3
-- says: 'mean' is an aggregate of SELECT
SELECT AVG(age) AS mean FROM users WHERE «mean» > 3
-- says: There is no column
SELECT AVG(«age») FROM (SELECT state FROM users) t
SELECT COUNT(*) FROM users WHERE «message» = 3
SELECT COUNT(*) FROM users WHERE «rowid» = 3
SELECT AVG(income) FROM users ORDER BY «incom»
SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING «m» > 3
-- says: FROM has no
SELECT COUNT(*) FROM users WHERE «orders.amount» > 3
SELECT «x.age» FROM users u
SELECT COUNT(*) FROM users u WHERE «users.age» > 3
-- says: has too many parts
SELECT COUNT(*) FROM users WHERE «main.users.age» > 3
-- says: names a person
SELECT COUNT(*) FROM users WHERE «uid» = 17
SELECT COUNT(*) FROM users WHERE «uid» IN (1, 2, 3) OR age > 3
SELECT uid, COUNT(*) FROM users GROUP BY «uid»
SELECT SUM(«uid») FROM users
SELECT COUNT(*) FROM users JOIN orders USING (uid) WHERE «users.uid» < 5
SELECT «uid» % 2, COUNT(*) FROM users GROUP BY 1
-- says: There is no service
SELECT COUNT(*) FROM «user»
SELECT COUNT(*) FROM «people»
SELECT COUNT(*) FROM users JOIN «order» USING (uid)
SELECT COUNT(*) FROM «sqlite_master»
SELECT COUNT(*) FROM «pg_catalog»
-- says: cannot stand in FROM
SELECT COUNT(*) FROM «'users.parquet'»
SELECT COUNT(*) FROM «read_csv('/etc/passwd')»
SELECT COUNT(*) FROM «read_parquet('reports/*.parquet')»
SELECT COUNT(*) FROM «range(10)»
SELECT COUNT(*) FROM «generate_series(1, 10)»
SELECT COUNT(*) FROM unnest([«1, 2, 3»])
SELECT COUNT(*) FROM «(VALUES (1), (2)) t»
SELECT COUNT(*) FROM «"https://example.org/x.csv"»
SELECT COUNT(*) FROM users JOIN «read_csv('x.csv')» USING (uid)
SELECT COUNT(*) FROM «glob('*')»
SELECT COUNT(*) FROM «duckdb_settings()»
SELECT COUNT(*) FROM «pragma_table_info('users')»
-- says: In FROM,
SELECT COUNT(*) FROM «main.users»
SELECT COUNT(*) FROM «information_schema.tables»
SELECT COUNT(*) FROM «users TABLESAMPLE 10»%
-- says: A list of column names after an alias
SELECT COUNT(*) FROM users «u(a, b)»
SELECT COUNT(*) FROM (SELECT age FROM users) «u(a)»
-- says: There is no FROM
«SELECT 1»
«SELECT COUNT(*)»
«SELECT 1 + 1 AS two»
-- says: JOIN is not supported
SELECT COUNT(*) FROM users «LEFT JOIN orders USING (uid)»
SELECT COUNT(*) FROM users «RIGHT JOIN orders USING (uid)»
SELECT COUNT(*) FROM users «FULL OUTER JOIN orders USING (uid)»
SELECT COUNT(*) FROM users «CROSS JOIN orders»
SELECT COUNT(*) FROM users «NATURAL JOIN orders»
SELECT COUNT(*) FROM users «SEMI JOIN orders USING (uid)»
SELECT COUNT(*) FROM users «ANTI JOIN orders USING (uid)»
SELECT COUNT(*) FROM users «ASOF JOIN orders USING (uid)»
SELECT COUNT(*) FROM users «POSITIONAL JOIN orders»
-- says: A join without a condition
SELECT COUNT(*) FROM users, «orders»
SELECT COUNT(*) FROM users «JOIN orders»
SELECT COUNT(*) FROM users, «orders» WHERE users.uid = orders.uid
-- says: joined on the user key 'uid' only
SELECT COUNT(*) FROM users JOIN orders ON «users.age = orders.amount»
SELECT COUNT(*) FROM users «JOIN orders» ON TRUE
SELECT COUNT(*) FROM users JOIN orders ON «users.uid < orders.uid»
SELECT COUNT(*) FROM users JOIN orders ON «users.uid = users.uid»
SELECT COUNT(*) FROM users JOIN orders ON «users.uid = orders.uid OR age > 3»
SELECT COUNT(*) FROM (SELECT uid, state AS category FROM users) u JOIN orders USING («category»)
-- says: is already in FROM
SELECT COUNT(*) FROM users «JOIN users USING (uid)»
SELECT COUNT(*) FROM users a «JOIN users b ON a.uid = b.uid»
WITH a AS (SELECT * FROM users), b AS (SELECT * FROM users) SELECT COUNT(*) FROM a «JOIN b USING (uid)»
-- says: is already the name of something in FROM
SELECT COUNT(*) FROM users u «JOIN orders u USING (uid)»
-- says: A subquery inside an expression
SELECT COUNT(*) FROM users WHERE uid IN «(SELECT uid FROM orders)»
SELECT COUNT(*) FROM users WHERE «EXISTS (SELECT 1 FROM orders WHERE orders.uid = users.uid)»
SELECT SUM(«(SELECT 1)») FROM users
SELECT state, COUNT(*) FROM users GROUP BY state HAVING COUNT(*) > «(SELECT 3)»
SELECT COUNT(*) FROM users WHERE age > ALL («SELECT 3»)
-- says: in a subquery: a subquery here may only rename
SELECT COUNT(*) FROM (SELECT age FROM users LIMIT «10») t
SELECT COUNT(*) FROM (SELECT age FROM users ORDER BY «age») t
WITH t AS (SELECT age FROM users OFFSET «3») SELECT COUNT(*) FROM t
-- says: This is not a plain SELECT
WITH «t AS (DELETE FROM users RETURNING *)» SELECT COUNT(*) FROM t
-- says: This column of the subquery has no name
SELECT COUNT(*) FROM (SELECT «age + 1» FROM users) t
-- says: Two columns of this subquery are called
SELECT COUNT(*) FROM (SELECT age, «income AS age» FROM users) t
-- says: A recursive CTE
WITH RECURSIVE «t AS (SELECT age FROM users)» SELECT COUNT(*) FROM t
-- says: is not a question
«DROP» TABLE users
«DELETE» FROM users
«INSERT» INTO users VALUES (1)
«UPDATE» users SET age = 3
«CREATE» TABLE t AS SELECT COUNT(*) FROM users
«COPY» users TO 'out.csv'
«COPY» (SELECT COUNT(*) FROM users) TO 'out.csv'
«ATTACH» 'other.db' AS other
«DETACH» other
«PRAGMA» database_list
«SET» memory_limit = '1GB'
«RESET» memory_limit
«INSTALL» httpfs
«LOAD» httpfs
«EXPORT» DATABASE 'x'
«IMPORT» DATABASE 'x'
«CALL» pragma_version()
«EXPLAIN» SELECT COUNT(*) FROM users
«DESCRIBE» users
«SHOW» TABLES
«SUMMARIZE» users
«VALUES» (1, 2)
«TRUNCATE» users
«ALTER» TABLE users ADD COLUMN x INTEGER
«BEGIN» TRANSACTION
«CHECKPOINT»
«VACUUM»
«USE» other
«EXECUTE» q
«PREPARE» q AS SELECT COUNT(*) FROM users
«MERGE» INTO users USING orders ON TRUE
«GRANT» ALL ON users TO bob
«hello»
-- says: A second statement
SELECT COUNT(*) FROM users; «SELECT» COUNT(*) FROM orders
SELECT COUNT(*) FROM users; «DROP» TABLE users
SELECT COUNT(*) FROM users;; «DELETE» FROM users;
-- says: There is no value for this parameter
SELECT COUNT(*) FROM users WHERE age > «?»
SELECT COUNT(*) FROM users WHERE age > «$1»
SELECT COUNT(*) FROM users WHERE age > «$low»
SELECT COUNT(*) FROM users LIMIT «?»
-- says: This is not SQL
SELECT COUNT(*) FROM users WHERE state = «'NY»
-- says: INTO is not supported: a query changes nothing
SELECT COUNT(*) «INTO» t FROM users
-- says: FOR is not supported: a query changes nothing
SELECT COUNT(*) FROM users «FOR» UPDATE
-- says: passed on to the engine
SELECT COUNT(*) FROM users WHERE «getenv('HOME')» = os
SELECT COUNT(*) FROM users WHERE os = «current_setting('memory_limit')» OR os = version()
SELECT COUNT(*) FROM users WHERE «os SIMILAR TO 'i.*'»
SELECT COUNT(*) FROM users WHERE «regexp_matches(os, '(a+)+$')»
SELECT COUNT(*) FROM users WHERE os = «repeat(os, 1000000)»
SELECT COUNT(*) FROM users WHERE «random()» < visits
SELECT COUNT(*) FROM users WHERE «read_text(os)» = 'x'
SELECT COUNT(*) FROM users WHERE [«os»] = ['x']
SELECT COUNT(*) FROM users WHERE «os» COLLATE nocase = 'IOS'
SELECT SUM(«list_sum([visits, 1])») FROM users
SELECT COUNT(*) FROM users WHERE {'a': «os}.a» = 'x'
SELECT COUNT(*) FROM users WHERE os LIKE ANY «('i%')»
SELECT COUNT(*) FROM users WHERE «os»[1] = 'i'
SELECT «md5(os)», COUNT(*) FROM users GROUP BY 1
SELECT SUM(«my_udf(visits)») FROM users
SELECT COUNT(*) FROM users WHERE «(os, visits)» = ('ios', 1)
SELECT COUNT(*) FROM users WHERE visits > «nextval('seq')»
-- says: CAST to
SELECT COUNT(*) FROM users WHERE «CAST(os AS JSON)» = 'x'
SELECT COUNT(*) FROM users WHERE «os::INTEGER»[] IS NULL
SELECT COUNT(*) FROM users WHERE «CAST(visits AS my_type)» = 1
SELECT SUM(«CAST(age * visits AS VARCHAR)») FROM users
-- says: This form of
SELECT COUNT(*) FROM users WHERE «visits BETWEEN SYMMETRIC 3 AND 1»
-- says: There is a column
SELECT COUNT(*) AS n, «AVG(age) AS n» FROM users
SELECT COUNT(*) AS n, «AVG(age) AS n_se» FROM users
SELECT state AS x, «COUNT(*) AS x» FROM users GROUP BY state
-- plan: survey
-- says: 'grade' is never
SELECT COUNT(*) FROM people WHERE grade = «4»
SELECT COUNT(*) FROM people WHERE grade IN (1, 2, «5»)
SELECT COUNT(*) FROM people WHERE grade = «'1'»
SELECT COUNT(*) FROM people WHERE «grade = TRUE»
SELECT COUNT(*) FROM people WHERE grade = «1.5»
-- says: 'smoker' is never
SELECT COUNT(*) FROM people WHERE smoker = «1»
SELECT COUNT(*) FROM people WHERE smoker = «'true'»
-- says: 'city' is never
SELECT COUNT(*) FROM people WHERE city = «'Lodz'»
SELECT COUNT(*) FROM people WHERE city = «'New York'»
SELECT COUNT(*) FROM people WHERE city = «'O''hara'»
-- says: is categorical
SELECT «AVG(grade)» FROM people
SELECT SUM(«grade * 2») FROM people
SELECT COUNT(*) FROM people WHERE «grade + 1» = 3
SELECT «ABS(grade)», COUNT(*) FROM people GROUP BY 1
-- says: lies between two knots of 'score'
SELECT COUNT(*) FROM people WHERE «score > 0.3»
SELECT COUNT(*) FROM people WHERE «score BETWEEN 0.25 AND 0.6»
SELECT COUNT(*) FROM people WHERE «score * 100 > 30»
SELECT «FLOOR(score * 10)», COUNT(*) FROM people GROUP BY 1
-- plan: clinic
-- says: is in more than one service of FROM
SELECT region, COUNT(*) FROM profile JOIN health USING (uid) GROUP BY «region»
SELECT COUNT(*) FROM profile JOIN health USING (uid) WHERE «region» = 'north'
SELECT COUNT(*) FROM profile p JOIN health h ON p.uid = h.uid WHERE «region» = 'north'
-- says: Two columns of this subquery are called
SELECT COUNT(*) FROM (SELECT «*» FROM profile JOIN health USING (uid)) t
-- says: several rows in 'stays'
SELECT «COUNT(DISTINCT uid)» FROM profile JOIN health USING (uid) JOIN stays USING (uid)
-- says: both sensitive
SELECT COUNT(*) FROM profile JOIN health USING (uid) WHERE «bmi > age»
SELECT COUNT(*) FROM stays JOIN health USING (uid) WHERE «cost = bmi»
-- says: joined on the user key 'uid' only
SELECT COUNT(*) FROM profile JOIN health USING («region»)
SELECT COUNT(*) FROM profile JOIN health USING («uid», region)
SELECT COUNT(*) FROM profile p JOIN health h ON «p.region = h.region»
SELECT COUNT(*) FROM profile p JOIN health h ON p.uid = h.uid JOIN stays s ON «p.uid = h.uid»
-- plan: shop
-- says: 'income' is kept on knots; this function may jump between two of them.
SELECT COUNT(*) FROM users WHERE «ABS(income - 3000) < 1000»
-- says: * does not take a number and a text.
SELECT COUNT(*) FROM users WHERE «age * 'x'» > 3
-- says: + does not take a condition and a number.
SELECT SUM(«(age > 3) + 1») FROM users
-- says: + does not take a number and a condition.
SELECT COUNT(*) FROM users WHERE «age + TRUE» > 3
-- says: 'age' is never 'x': it is a number.
SELECT COUNT(*) FROM users WHERE age = «'x'» OR os = 'ios'
-- says: 'epoch' is never 'last': epochs are numbered from 0.
SELECT epoch, COUNT(*) FROM users WHERE epoch <> «'last'» GROUP BY epoch
-- says: A value cannot be read as another type here where age is 1.
SELECT SUM(«age + 'x'») FROM users
-- says: A value cannot be read as another type here where state is "NY".
SELECT «CAST(state AS INTEGER)», COUNT(*) FROM users GROUP BY 1
-- says: A value cannot be read as another type here.
SELECT COUNT(*) FROM users WHERE «1 = 'a'»
-- says: HASH is not among the functions that are computed here.
SELECT COUNT(*) FROM users WHERE «hash(age)» = 3
-- says: MD5 is not among the functions that are computed here.
SELECT COUNT(*) FROM users WHERE «md5(state)» = 'x'
-- says: This compares 'age' and 'income', which are both sensitive, and 'income' is kept on knots: it may jump between two.
SELECT SUM(«FLOOR(age * income)») FROM users
-- says: This form of BETWEEN is not supported.
SELECT COUNT(*) FROM users WHERE «age BETWEEN SYMMETRIC 3 AND 1»
-- says: [...] is not among the functions that are computed here.
SELECT COUNT(*) FROM users WHERE «state»[1] = 'N'
-- plan: shop
-- says: 'FRM' cannot stand here.
SELECT COUNT(*) «FRM» users
-- says: 'os' stands beside an aggregate, and there is no GROUP BY; rows themselves were never disclosed.
SELECT «os», COUNT(*) FROM users
-- says: After >, a value must follow.
SELECT COUNT(*) FROM users WHERE age «>»
-- says: After GROUP, BY is missing.
SELECT COUNT(*) FROM users «GROUP» state
-- says: After JOIN, a service must follow.
SELECT COUNT(*) FROM users «JOIN»
-- says: After ORDER, BY is missing.
SELECT COUNT(*) FROM users «ORDER» state
-- says: After WHERE, a condition must follow.
SELECT COUNT(*) FROM users «WHERE»
-- says: BETWEEN needs two values with AND between them.
SELECT COUNT(*) FROM users WHERE age «BETWEEN» 3
-- says: CASE is never ended by END.
SELECT «CASE» WHEN age > 3 THEN 1 FROM users
-- says: The bracket that opens here is never closed.
SELECT COUNT«(» FROM users
SELECT COUNT(*) FROM users WHERE «(»age > 3
-- says: This bracket closes nothing.
SELECT COUNT(*)«)» FROM users
-- says: age cannot stand after 3 here.
SELECT COUNT(*) FROM users WHERE age > 3 «age» < 5
-- plan: shop
-- says: This subquery asks orders; the query around it asks users.
SELECT «(SELECT COUNT(*) FROM orders)» FROM users
-- says: This subquery asks users; the query around it asks orders.
SELECT COUNT(*) / «(SELECT COUNT(*) FROM users)» FROM orders
-- plan: shop
-- says: Queries are put together after they are answered
SELECT COUNT(*) FROM «(SELECT age FROM users UNION SELECT age FROM users) t»
WITH «t AS (SELECT age FROM users INTERSECT SELECT age FROM users)» SELECT COUNT(*) FROM t
-- plan: shop
-- says: Without GROUP BY, PIVOT has a row for each person
PIVOT «users ON state USING COUNT(*)»
-- says: Which values this has is not known before
PIVOT users ON «os» USING COUNT(*) GROUP BY state
