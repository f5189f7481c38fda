-- Subqueries and CTEs that aggregate, where no error is known; as in invalid.sql.
-- plan: shop
-- says: Which groups have members is not known
SELECT «COUNT(*)» FROM (SELECT state FROM users GROUP BY state) t
SELECT «COUNT(*)» FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t
SELECT «AVG(n)» FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t
SELECT «COUNT(DISTINCT state)» FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t
WITH t AS (SELECT age, COUNT(*) AS n FROM users GROUP BY age) SELECT «SUM(age)» FROM t
WITH t AS (SELECT age, COUNT(*) AS n FROM users GROUP BY age) SELECT «SUM(n + 1)» FROM t
WITH t AS (SELECT age, state, COUNT(*) AS n FROM users GROUP BY 1, 2) SELECT state, «AVG(n)» AS mean FROM t GROUP BY state
-- says: The largest of several estimates is too large on average
SELECT «MAX(n)» FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t
WITH t AS (SELECT state, AVG(age) AS a FROM users GROUP BY state) SELECT «MAX(a)» FROM t
-- says: The smallest of several estimates is too small on average
SELECT «MIN(n)» FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t
-- says: Between estimates of groups, only sums have a known error
SELECT «STDDEV(n)» FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t
SELECT «MEDIAN(n)» FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t
-- says: Whether two estimates are the same is not known
SELECT «SUM(DISTINCT n)» FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t
-- says: is no sum over its rows
SELECT «SUM(a)» FROM (SELECT state, AVG(age) AS a FROM users GROUP BY state) AS t
SELECT «SUM(m)» FROM (SELECT state, MEDIAN(age) AS m FROM users GROUP BY state) AS t
SELECT «SUM(m)» FROM (SELECT state, STDDEV(age) AS m FROM users GROUP BY state) AS t
-- says: A sum of products or ratios of estimates
SELECT «SUM(n * n)» FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t
SELECT «SUM(s / n)» FROM (SELECT state, SUM(age) AS s, COUNT(*) AS n FROM users GROUP BY state) AS t
SELECT «SUM(1 / n)» FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t
-- says: adds up only those groups that noise has let through
SELECT SUM(n) FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t WHERE «n > 30»
SELECT SUM(n) FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t WHERE state <> 'CA' AND «n > 30»
WITH t AS (SELECT age, state, COUNT(*) AS n FROM users GROUP BY 1, 2) SELECT state, SUM(n) FROM t WHERE «n > 3» GROUP BY state
-- says: groups that noise has let through
SELECT SUM(n) FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING «COUNT(*) > 30») AS t
SELECT SUM(n) FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state ORDER BY n LIMIT «2») AS t
SELECT n FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state ORDER BY n LIMIT «2») AS t ORDER BY n DESC
SELECT n FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state ORDER BY n LIMIT «2») AS t WHERE state = 'NY'
-- says: There is no column
SELECT «nn» FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t
SELECT SUM(«nn») FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t
SELECT state, n FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t ORDER BY «m»
SELECT state, n FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t WHERE «age» > 3
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state) SELECT «u.n» FROM t
-- says: is in more than one table of FROM
WITH a AS (SELECT COUNT(*) AS n FROM users WHERE age > 3), b AS (SELECT COUNT(*) AS n FROM users) SELECT «n» FROM a, b
-- says: are not about the same rows
WITH t AS (SELECT COUNT(*) AS n FROM users), u AS (SELECT COUNT(*) AS m FROM orders) SELECT n / m FROM t, «u»
-- says: have different groups
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state), u AS (SELECT age, COUNT(*) AS m FROM users GROUP BY age) SELECT n, m FROM t, «u»
-- says: Subqueries are joined on all of their keys
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state), u AS (SELECT state, SUM(age) AS m FROM users GROUP BY state) SELECT n, m FROM t, «u»
WITH t AS (SELECT state, age, COUNT(*) AS n FROM users GROUP BY 1, 2), u AS (SELECT state, age, SUM(age) AS m FROM users GROUP BY 1, 2) SELECT n, m FROM t «JOIN u USING (state)»
-- says: Subqueries are joined on the same keys of both
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state), u AS (SELECT state, SUM(age) AS m FROM users GROUP BY state) SELECT n, m FROM t JOIN u ON «n = m»
-- says: Rows of people and groups of a subquery cannot be joined
SELECT n FROM «users» JOIN (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t USING (state)
-- says: A join of subqueries takes all of their groups
WITH t AS (SELECT state, COUNT(*) AS n FROM users GROUP BY state HAVING COUNT(*) > 3), u AS (SELECT state, SUM(age) AS m FROM users GROUP BY state) SELECT n, m FROM t «JOIN u USING (state)»
-- says: has one row; there is nothing to join it on
WITH t AS (SELECT COUNT(*) AS n FROM users) SELECT state, COUNT(*) / MAX(n) FROM users «JOIN t ON users.age = t.n» GROUP BY state
-- says: This compares single rows with an estimate
SELECT COUNT(*) FROM users WHERE age > «(SELECT AVG(age) FROM users)»
WITH t AS (SELECT AVG(age) AS a FROM users) SELECT COUNT(*) FROM users WHERE age > «(SELECT a FROM t)»
WITH t AS (SELECT AVG(age) AS a FROM users) SELECT COUNT(*) FROM users, t WHERE age > «t.a»
-- says: Two columns of this subquery are called
SELECT SUM(n) FROM (SELECT state, COUNT(*) AS n, «SUM(age) AS n» FROM users GROUP BY state) AS t
-- says: A list of column names after an alias
SELECT SUM(n) FROM (SELECT state, COUNT(*) FROM users GROUP BY state) AS «t(s, n)»
-- says: EXCLUDE, REPLACE and RENAME are not supported
SELECT «* EXCLUDE (state)» FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t
-- says: Beside HAVING, this would be about the groups
SELECT state, n / «SUM(n) OVER ()» AS share FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t WHERE n > 30
-- says: A word that an estimate chooses has no error bar
SELECT CASE WHEN COUNT(*) > 50 THEN «'many'» ELSE 'few' END FROM users
SELECT CASE WHEN COUNT(*) > 50 THEN 1 ELSE «'few'» END FROM users
SELECT state, IF(AVG(age) > 10, «'old'», 'young') AS x FROM users GROUP BY state
-- says: CASE over estimates compares their values with numbers
SELECT state, CASE WHEN «state = 'NY'» THEN COUNT(*) ELSE 0 END AS n FROM users GROUP BY state
SELECT CASE WHEN «LOW(COUNT(*)) > 3» THEN COUNT(*) ELSE 0 END AS n FROM users
-- says: An estimate is raised to a number from -8 to 8
SELECT «POWER(COUNT(*), 9)» FROM users
SELECT «POWER(AVG(age), AVG(income))» FROM users
-- says: What stands in for a missing estimate is a number
SELECT COALESCE(AVG(age), «AVG(income)») FROM users
-- says: A quantile from above is one from below
SELECT PERCENTILE_DISC(0.3) WITHIN GROUP (ORDER BY «age» DESC) FROM users
-- says: LEFT JOIN is not supported
SELECT state, COUNT(*) FROM users «LEFT JOIN orders USING (uid)» GROUP BY state
SELECT category, COUNT(category) FROM users «LEFT JOIN orders USING (uid)» GROUP BY category
SELECT AVG(age) FROM users «LEFT JOIN orders USING (uid)»
SELECT SUM(amount), COUNT(*) FROM users «LEFT JOIN orders USING (uid)»
SELECT COUNT(*) FROM users «LEFT JOIN orders USING (uid)» WHERE amount IS NULL
SELECT COUNT(*) FROM users «LEFT JOIN orders USING (uid)» WHERE amount > 3 OR age > 3
SELECT SUM(amount) FILTER (WHERE category IS NULL) FROM users «LEFT JOIN orders USING (uid)»
