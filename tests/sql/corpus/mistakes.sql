-- Natural mistakes, one per line, the part that must be underlined between « and ». "says:" is the whole sentence that an analyst
-- reads, with its hint, for the lines below it.
-- plan: shop
-- says: After WHERE, a condition must follow.Hint: Write one, such as age > 30.
SELECT COUNT(*) FROM users «WHERE»
-- says: This is not a condition: it is neither true nor false.Hint: Compare it with something, such as = or <.
SELECT COUNT(*) FROM users WHERE «age»
-- says: After <, a value must follow.Hint: Write a number, a text in single quotes, or a column.
SELECT COUNT(*) FROM users WHERE age «<»
-- says: After >=, a value must follow.Hint: Write a number, a text in single quotes, or a column.
SELECT COUNT(*) FROM users WHERE age «>=»
-- says: After =, a value must follow.Hint: Write a number, a text in single quotes, or a column.
SELECT COUNT(*) FROM users WHERE age «=»
-- says: After <>, a value must follow.Hint: Write a number, a text in single quotes, or a column.
SELECT COUNT(*) FROM users WHERE age «<>»
-- says: After AND, a condition must follow.Hint: Write one, such as age > 30.
SELECT COUNT(*) FROM users WHERE age > 3 «AND»
-- says: After OR, a condition must follow.Hint: Write one, such as age > 30.
SELECT COUNT(*) FROM users WHERE age > 3 «OR»
-- says: After NOT, a condition must follow.Hint: Write one, such as age > 30.
SELECT COUNT(*) FROM users WHERE «NOT»
-- says: After BETWEEN, two values must follow.Hint: Write BETWEEN low AND high.
SELECT COUNT(*) FROM users WHERE age «BETWEEN»
-- says: BETWEEN needs two values with AND between them.Hint: Write BETWEEN low AND high.
SELECT COUNT(*) FROM users WHERE age «BETWEEN» 3
-- says: After AND, a condition must follow.Hint: Write one, such as age > 30.
SELECT COUNT(*) FROM users WHERE age BETWEEN 3 «AND»
-- says: BETWEEN needs two values with AND between them.Hint: Write BETWEEN low AND high.
SELECT COUNT(*) FROM users WHERE age «BETWEEN» 3, 5
SELECT COUNT(*) FROM users WHERE age «BETWEEN» 3 TO 5
SELECT COUNT(*) FROM users WHERE age «BETWEEN» (3, 5)
-- says: After IN, a list must follow.Hint: Write IN ('a', 'b').
SELECT COUNT(*) FROM users WHERE state «IN»
-- says: IN takes a list in brackets.Hint: Write IN ('a', 'b').
SELECT COUNT(*) FROM users WHERE state «IN 'NY'»
SELECT COUNT(*) FROM users WHERE state «IN 'NY'», 'WA'
-- says: IN needs a list of values here.Hint: Write IN ('a', 'b').
SELECT COUNT(*) FROM users WHERE «state» IN ()
-- says: The bracket that opens here is never closed.Hint: Write ) where it ends.
SELECT COUNT(*) FROM users WHERE state IN «(»'NY', 'WA'
-- says: After LIKE, a pattern must follow.Hint: Write one in single quotes, such as LIKE 'N%'.
SELECT COUNT(*) FROM users WHERE state «LIKE»
-- says: Something is missing, or '%' is too much.Hint: Compare: WHERE age > 30 AND state = 'NY'.
SELECT COUNT(*) FROM users WHERE state LIKE N«%»
-- says: There is no column 'N%': double quotes name columns, text takes single quotes.Hint: Write 'N%'. Columns here: epoch, uid, age, income, state, os, visits.
SELECT COUNT(*) FROM users WHERE state LIKE «"N%"»
-- says: After ILIKE, a pattern must follow.Hint: Write one in single quotes, such as ILIKE 'n%'.
SELECT COUNT(*) FROM users WHERE state «ILIKE»
-- says: After IS, NULL, TRUE or FALSE must follow.Hint: Write IS NULL or IS NOT NULL.
SELECT COUNT(*) FROM users WHERE state «IS»
-- says: IS takes NULL, TRUE or FALSE.Hint: Write = 'NY'.
SELECT COUNT(*) FROM users WHERE «state IS 'NY'»
-- says: IS takes NULL, TRUE or FALSE.Hint: Write = 3.
SELECT COUNT(*) FROM users WHERE «age IS 3»
-- says: 'NY' is a value of state, not a column: text takes single quotes.Hint: Write 'NY'.
SELECT COUNT(*) FROM users WHERE state = «"NY"»
-- says: There is no column 'ny': double quotes name columns, text takes single quotes.Hint: Write 'ny'. Columns here: epoch, uid, age, income, state, os, visits.
SELECT COUNT(*) FROM users WHERE state = «"ny"»
-- says: 'NY' is a value of state, not a column: text takes single quotes.Hint: Write 'NY'.
SELECT COUNT(*) FROM users WHERE state = «NY»
-- says: There is no column 'ny' in 'users'.Hint: Columns here: epoch, uid, age, income, state, os, visits.
SELECT COUNT(*) FROM users WHERE state = «ny»
-- says: This is not SQL: a quote or a comment that begins here does not end.Hint: Close it.
SELECT COUNT(*) FROM users WHERE state = «'NY»
-- says: 'state' is never 'ny'.Hint: Did you mean 'NY'? It is one of 'NY', 'WA', 'CA'.
SELECT COUNT(*) FROM users WHERE state = «'ny'»
-- says: 'state' is never 'New York'.Hint: It is one of 'NY', 'WA', 'CA'.
SELECT COUNT(*) FROM users WHERE state = «'New York'»
-- says: NY cannot stand after ` here.Hint: A comma, an operator such as =, or a keyword such as AND is missing before it.
SELECT COUNT(*) FROM users WHERE state = `«NY»`
-- says: There is no column 'category' in 'users'.Hint: Columns here: epoch, uid, age, income, state, os, visits.
SELECT COUNT(*) FROM users WHERE «category» = "food"
-- says: 'food' is a value of category, not a column: text takes single quotes.Hint: Write 'food'.
SELECT COUNT(*) FROM orders WHERE category = «"food"»
SELECT COUNT(*) FROM orders WHERE category = «food»
-- says: => is not a comparison.Hint: Write >=.
SELECT COUNT(*) FROM users WHERE age «=>» 3
-- says: =< is not a comparison.Hint: Write <=.
SELECT COUNT(*) FROM users WHERE age «=<» 3
-- says: && is not a comparison.Hint: Write AND.
SELECT COUNT(*) FROM users WHERE age > 3 «&&» state = 'NY'
-- says: Before <, a column is missing.Hint: Write each comparison out: age > 20 AND age < 30.
SELECT COUNT(*) FROM users WHERE age > 20 AND «<» 30
-- says: Before =, a column is missing.Hint: Write each comparison out: age > 20 AND age < 30.
SELECT COUNT(*) FROM users WHERE age > 20 OR «=» 5
-- says: Before >, a column is missing.Hint: Write each comparison out: age > 20 AND age < 30.
SELECT COUNT(*) FROM users WHERE «>» 20
-- says: = cannot stand after state here.Hint: A comma, an operator such as =, or a keyword such as AND is missing before it.
SELECT COUNT(*) FROM users WHERE age > 20, state «=» 'NY'
-- says: state cannot stand after 20 here.Hint: A comma, an operator such as =, or a keyword such as AND is missing before it.
SELECT COUNT(*) FROM users WHERE age > 20 «state» = 'NY'
-- says: Something is missing, or '20' is too much.Hint: Compare: WHERE age > 30 AND state = 'NY'.
SELECT COUNT(*) FROM users WHERE age «20»
-- says: greater cannot stand after age here.Hint: A comma, an operator such as =, or a keyword such as AND is missing before it.
SELECT COUNT(*) FROM users WHERE age «greater» than 20
-- says: There is no column 'twenty' in 'users'.Hint: Columns here: epoch, uid, age, income, state, os, visits.
SELECT COUNT(*) FROM users WHERE age > «twenty»
-- says: The bracket that opens here is never closed.Hint: Write ) where it ends.
SELECT COUNT(*) FROM users WHERE «(»age > 20
-- says: This bracket closes nothing.Hint: Leave it out.
SELECT COUNT(*) FROM users WHERE age > 20«)»
-- says: The bracket that opens here is never closed.Hint: Write ) where it ends.
SELECT COUNT(*) FROM users WHERE «(»(age > 20) AND state = 'NY'
SELECT COUNT«(»* FROM users
-- says: This bracket closes nothing.Hint: Leave it out.
SELECT COUNT(*)«)» FROM users
-- says: FROM cannot stand after * here.Hint: A comma, an operator such as =, or a keyword such as AND is missing before it.
SELECT COUNT * «FROM» users
-- says: There is no column 'COUNT' in 'users'.Hint: Columns here: epoch, uid, age, income, state, os, visits.
SELECT «COUNT» FROM users
-- says: There is no FROM.Hint: Name a service: users, orders.
«SELECT COUNT(*) users»
«SELECT COUNT(*)»
-- says: After FROM, a service must follow.Hint: Name a service, such as FROM users.
SELECT COUNT(*) «FROM»
-- says: After SELECT, what to show must follow.Hint: Write an aggregate, such as COUNT(*).
«SELECT»
«SELECT» FROM users
«SELECT» , COUNT(*) FROM users
-- says: After FROM, a service must follow.Hint: Name a service, such as FROM users.
SELECT COUNT(*) , «FROM»
-- says: After AS, a name must follow.Hint: Write one, such as AS n.
SELECT COUNT(*) «AS» FROM users
-- says: After the comma, another column must follow.Hint: Leave the comma out, or name one more.
SELECT COUNT(*) AS n«,»
-- says: Before COUNT, a comma is missing.Hint: Write state, COUNT(...).
SELECT state «COUNT»(*) FROM users GROUP BY state
-- says: COUNT cannot stand after age here.Hint: A comma, an operator such as =, or a keyword such as AND is missing before it.
SELECT state age «COUNT»(*) FROM users GROUP BY state
-- says: Before AVG, a comma is missing.Hint: Write ), AVG(...).
SELECT COUNT(*) «AVG»(age) FROM users
SELECT state, COUNT(*) «AVG»(age) FROM users GROUP BY state
-- says: 'state' stands beside an aggregate, and there is no GROUP BY; rows themselves were never disclosed.Hint: Add GROUP BY state.
SELECT «state», COUNT(*) FROM users
SELECT COUNT(*), «state» FROM users
SELECT «state» AS s, COUNT(*) FROM users
-- says: 'os' stands beside an aggregate, and there is no GROUP BY; rows themselves were never disclosed.Hint: Add GROUP BY os.
SELECT «os», AVG(age) FROM users
-- says: 'age' stands beside an aggregate, and there is no GROUP BY; rows themselves were never disclosed.Hint: Add GROUP BY age, or write an aggregate such as AVG(age).
SELECT «age», AVG(income) FROM users
-- says: 'age' is neither in GROUP BY nor inside an aggregate.Hint: Add age to GROUP BY, or write an aggregate such as AVG(age).
SELECT state, «age», COUNT(*) FROM users GROUP BY state
-- says: 'state' is sensitive: its values were never disclosed.Hint: Write SELECT state, COUNT(*) ... GROUP BY state, or an aggregate such as COUNT(state).
SELECT «state» FROM users
-- says: 'age' is sensitive: its values were never disclosed.Hint: Write SELECT age, COUNT(*) ... GROUP BY age, or an aggregate such as AVG(age).
SELECT «age» FROM users WHERE age > 3
SELECT «age», state FROM users
-- says: * names rows; rows were never disclosed.Hint: Name aggregates, such as SELECT COUNT(*).
SELECT «*» FROM users WHERE age > 3
-- says: 'uid' names a person; answers are about many.Hint: Count people: COUNT(DISTINCT uid).
SELECT «uid» FROM users
-- says: After GROUP, BY is missing.Hint: Write GROUP BY and the columns.
SELECT state, COUNT(*) FROM users «GROUP»
SELECT state, COUNT(*) FROM users «GROUP» state
-- says: After GROUP BY, columns must follow.Hint: Name the columns whose groups you want to see.
SELECT state, COUNT(*) FROM users «GROUP BY»
-- says: After the comma, another column must follow.Hint: Leave the comma out, or name one more.
SELECT state, COUNT(*) FROM users GROUP BY state«,»
-- says: There is no column 'sate' in 'users'.Hint: Did you mean 'state'? Columns here: epoch, uid, age, income, state, os, visits.
SELECT state, COUNT(*) FROM users GROUP BY «sate»
-- says: This is the same for all rows.Hint: Group by a column, or leave GROUP BY out.
SELECT state, COUNT(*) FROM users GROUP BY «'state'»
-- says: After ORDER, BY is missing.Hint: Write ORDER BY and the columns.
SELECT state, COUNT(*) FROM users GROUP BY state «ORDER»
-- says: After ORDER BY, columns must follow.Hint: Name a column of the result, or its number.
SELECT state, COUNT(*) FROM users GROUP BY state «ORDER BY»
-- says: After ORDER, BY is missing.Hint: Write ORDER BY and the columns.
SELECT state, COUNT(*) FROM users GROUP BY state «ORDER» state
-- says: There is no column 'm' in 'users'.Hint: Columns here: epoch, uid, age, income, state, os, visits.
SELECT state, COUNT(*) AS n FROM users GROUP BY state ORDER BY «m»
-- says: Something is missing, or 'DES' is too much.Hint: Compare: WHERE age > 30 AND state = 'NY'.
SELECT state, COUNT(*) AS n FROM users GROUP BY state ORDER BY n «DES»
-- says: After LIMIT, a number must follow.Hint: Write one, such as LIMIT 10.
SELECT state, COUNT(*) FROM users GROUP BY state «LIMIT»
-- says: LIMIT and OFFSET take a whole number of rows.Hint: Write LIMIT 10.
SELECT state, COUNT(*) FROM users GROUP BY state LIMIT «ten»
-- says: Something is missing, or '3' is too much.Hint: Compare: WHERE age > 30 AND state = 'NY'.
SELECT state, COUNT(*) FROM users GROUP BY state LIMIT BY «3»
-- says: TOP is not supported.Hint: Write LIMIT 3 at the end.
SELECT «TOP 3» state, COUNT(*) FROM users GROUP BY state
-- says: After HAVING, a condition on a result must follow.Hint: Write one, such as COUNT(*) > 100.
SELECT state, COUNT(*) FROM users GROUP BY state «HAVING»
-- says: GROUP BY must stand before HAVING.Hint: Write GROUP BY ... HAVING ...
SELECT state, COUNT(*) FROM users HAVING COUNT(*) > 3 «GROUP BY» state
-- says: WHERE must stand before GROUP BY.Hint: Write WHERE ... GROUP BY ...
SELECT state, COUNT(*) FROM users GROUP BY state «WHERE» age > 3
-- says: FROM must stand before GROUP BY.Hint: Write FROM ... GROUP BY ...
SELECT state, COUNT(*) GROUP BY state «FROM» users
-- says: FROM must stand before WHERE.Hint: Write FROM ... WHERE ...
SELECT COUNT(*) WHERE age > 3 «FROM» users
-- says: GROUP BY must stand before ORDER BY.Hint: Write GROUP BY ... ORDER BY ...
SELECT state, COUNT(*) FROM users ORDER BY state «GROUP BY» state
-- says: WHERE stands twice.Hint: Join both conditions by AND.
SELECT COUNT(*) FROM users WHERE age > 3 «WHERE» state = 'NY'
-- says: GROUP BY stands twice.Hint: Join both by a comma.
SELECT state, COUNT(*) FROM users GROUP BY state «GROUP BY» age
-- says: An aggregate cannot stand in WHERE, ON, GROUP BY or inside a subquery: rows come before totals.Hint: Put conditions on totals into HAVING, and aggregates into the outer SELECT.
SELECT state, COUNT(*) FROM users WHERE «COUNT(*)» > 3 GROUP BY state
-- says: 'age' is neither in GROUP BY nor inside an aggregate.Hint: Add age to GROUP BY, or write an aggregate such as AVG(age).
SELECT state, COUNT(*) FROM users GROUP BY state HAVING «age» > 3
-- says: 'FORM' cannot stand here.Hint: Did you mean FROM?
SELECT COUNT(*) «FORM» users
-- says: 'FRM' cannot stand here.Hint: Did you mean FROM?
SELECT COUNT(*) «FRM» users
-- says: 'FROMM' cannot stand here.Hint: Did you mean FROM?
SELECT COUNT(*) «FROMM» users
-- says: SELCT is not a question: reports can only be asked, by one SELECT.Hint: Did you mean SELECT?
«SELCT» COUNT(*) FROM users
-- says: SELECTT is not a question: reports can only be asked, by one SELECT.Hint: Did you mean SELECT?
«SELECTT» COUNT(*) FROM users
-- says: CUONT is not among the aggregates and operations that have an unbiased estimate.Hint: Did you mean 'COUNT'? Use COUNT, SUM, AVG, VAR_SAMP, STDDEV, MEDIAN, QUANTILE_CONT, and + - * / between them.
SELECT «CUONT(*)» FROM users
-- says: 'WEHRE' cannot stand here.Hint: Did you mean WHERE?
SELECT COUNT(*) FROM users «WEHRE» age > 3
-- says: 'WERE' cannot stand here.Hint: Did you mean WHERE?
SELECT COUNT(*) FROM users «WERE» age > 3
-- says: 'GRUOP' cannot stand here.Hint: Did you mean GROUP?
SELECT state, COUNT(*) FROM users «GRUOP» BY state
-- says: 'GROUPBY' cannot stand here.Hint: Did you mean GROUP?
SELECT state, COUNT(*) FROM users «GROUPBY» state
-- says: 'ODER' cannot stand here.Hint: Did you mean ORDER?
SELECT state, COUNT(*) FROM users GROUP BY state «ODER» BY state
-- says: 'HAVNG' cannot stand here.Hint: Did you mean HAVING?
SELECT state, COUNT(*) FROM users GROUP BY state «HAVNG» COUNT(*) > 3
-- says: 'LIMT' cannot stand here.Hint: Did you mean LIMIT?
SELECT state, COUNT(*) FROM users GROUP BY state «LIMT» 3
-- says: There is no service 'user' in plan 'shop'.Hint: Did you mean 'users'? Services: users, orders.
SELECT COUNT(*) FROM «user»
-- says: There is no service 'usres' in plan 'shop'.Hint: Did you mean 'users'? Services: users, orders.
SELECT COUNT(*) FROM «usres»
-- says: FROM has no 'users'. It has: u.Hint: Name a service of FROM, or its alias.
SELECT COUNT(*) FROM Users u WHERE «users.age» > 3
-- says: A join without a condition pairs rows of different people.Hint: Write JOIN orders USING (uid).
SELECT COUNT(*) FROM users, «orders»
-- says: After JOIN, a service must follow.Hint: Write JOIN a service USING (the user key).
SELECT COUNT(*) FROM users «JOIN»
-- says: A join without a condition pairs rows of different people.Hint: Write JOIN orders USING (uid).
SELECT COUNT(*) FROM users «JOIN orders»
-- says: After ON, a condition must follow.Hint: Write USING (the user key) instead.
SELECT COUNT(*) FROM users JOIN orders «ON»
-- says: After USING, the user key must follow.Hint: Write it in brackets, such as USING (uid).
SELECT COUNT(*) FROM users JOIN orders «USING»
-- says: USING takes brackets.Hint: Write USING (uid).
SELECT COUNT(*) FROM users JOIN orders «USING uid»
-- says: There is no column 'id' in 'users'.Hint: Did you mean 'uid'? Columns here: epoch, uid, age, income, state, os, visits.
SELECT COUNT(*) FROM users JOIN orders USING («id»)
-- says: Services are joined on the user key 'uid' only.Hint: Write JOIN orders USING (uid).
SELECT COUNT(*) FROM users JOIN orders ON «uid = uid»
-- says: There is no column 'id' in 'users'.Hint: Did you mean 'uid'? Columns here: epoch, uid, age, income, state, os, visits.
SELECT COUNT(*) FROM users JOIN orders ON «users.id» = orders.id
-- says: A join without a condition pairs rows of different people.Hint: Write JOIN orders USING (uid).
SELECT COUNT(*) FROM users «JOIN orders» WHERE users.uid = orders.uid
-- says: 'JON' cannot stand here.Hint: Did you mean JOIN?
SELECT COUNT(*) FROM users «JON» orders USING (uid)
-- says: There is no column 'ages' in 'users'.Hint: Did you mean 'age'? Columns here: epoch, uid, age, income, state, os, visits.
SELECT AVG(«ages») FROM users
-- says: The bracket that opens here is never closed.Hint: Write ) where it ends.
SELECT AVG«(»Age FROM users
-- says: There is no column 'AVG' in 'users'.Hint: Did you mean 'age'? Columns here: epoch, uid, age, income, state, os, visits.
SELECT «AVG» age FROM users
-- says: ) cannot stand after ( here.Hint: A comma, an operator such as =, or a keyword such as AND is missing before it.
SELECT AVG(«)» FROM users
-- says: AVERAGE is not among the aggregates and operations that have an unbiased estimate.Hint: Did you mean AVG? Use COUNT, SUM, AVG, VAR_SAMP, STDDEV, MEDIAN, QUANTILE_CONT, and + - * / between them.
SELECT «AVERAGE(age)» FROM users
-- says: MEAN is not among the aggregates and operations that have an unbiased estimate.Hint: Did you mean AVG? Use COUNT, SUM, AVG, VAR_SAMP, STDDEV, MEDIAN, QUANTILE_CONT, and + - * / between them.
SELECT «MEAN(age)» FROM users
-- says: 'state' is categorical in service 'users'; SUM needs an ordinal attribute or a public number (here: age, income).Hint: SELECT state, COUNT(*) ... GROUP BY state.
SELECT «SUM(state)» FROM users
-- says: MAX depends on single rows; rows were never disclosed.Hint: Use QUANTILE_CONT(x, 0.99) for a high value that is not one person's.
SELECT «MAX(age)» FROM users
-- says: age cannot stand after mean here.Hint: A comma, an operator such as =, or a keyword such as AND is missing before it.
SELECT AVG(age) AS mean «age» FROM users
-- says: After GROUP, BY is missing.Hint: Write GROUP BY and the columns.
SELECT AVG(age) 'mean' FROM users «GROUP»
-- says: After WHERE, a condition must follow.Hint: Write one, such as age > 30.
SELECT AVG(age) mean, FROM users «WHERE»
-- says: age cannot stand after FILTER here.Hint: A comma, an operator such as =, or a keyword such as AND is missing before it.
SELECT COUNT(*) FILTER «age» > 3 FROM users
-- says: age cannot stand after IF here.Hint: A comma, an operator such as =, or a keyword such as AND is missing before it.
SELECT COUNT(*) IF «age» > 3 FROM users
-- says: CASE is never ended by END.Hint: Write CASE WHEN ... THEN ... ELSE ... END.
SELECT SUM(«CASE» WHEN age > 3 THEN 1) FROM users
-- says: 3 cannot stand after > here.Hint: A comma, an operator such as =, or a keyword such as AND is missing before it.
SELECT SUM(CASE age > «3» THEN 1 ELSE 0 END) FROM users
-- says: After THEN, a value must follow.Hint: Write CASE WHEN condition THEN value ELSE value END.
SELECT SUM(CASE WHEN age > 3 «THEN») FROM users
-- says: After ELSE, a value must follow.Hint: Write CASE WHEN condition THEN value ELSE value END.
SELECT SUM(CASE WHEN age > 3 THEN 1 «ELSE») FROM users
-- says: After AND, a condition must follow.Hint: Write one, such as age > 30.
SELECT COUNT(*) FROM users WHERE age > 3 «AND» AND state = 'NY'
-- says: After WHERE, a condition must follow.Hint: Write one, such as age > 30.
SELECT COUNT(*) FROM users «WHERE» AND age > 3
-- says: This is not a condition: it is neither true nor false.Hint: Compare it with something, such as = or <.
SELECT COUNT(*) FROM users WHERE «age > > 3»
-- says: > cannot stand after + here.Hint: A comma, an operator such as =, or a keyword such as AND is missing before it.
SELECT COUNT(*) FROM users WHERE age + «>» 3
-- says: After >, a value must follow.Hint: Write a number, a text in single quotes, or a column.
SELECT COUNT(*) FROM users WHERE age «>»
-- says: = cannot stand after || here.Hint: A comma, an operator such as =, or a keyword such as AND is missing before it.
SELECT COUNT(*) FROM users WHERE state || «=» 'NYx'
-- says: This is not SQL: a quote or a comment that begins here does not end.Hint: Close it.
«SELECT COUNT(*) FROM users /* how many»
-- says: HOW is not a question: reports can only be asked, by one SELECT.Hint: Write SELECT ... FROM ...
«how» many users are there?
-- says: SHOW is not a question: reports can only be asked, by one SELECT.Hint: Write SELECT ... FROM ...
-- says: SHOW is not a question: reports can only be asked, by one SELECT.Hint: Write SHOW TABLES, or DESCRIBE and the name of a service.
«show» me all users
-- says: SHOW is not a question: reports can only be asked, by one SELECT.Hint: Write SELECT ... FROM ...
-- says: COUNT is not a question: reports can only be asked, by one SELECT.Hint: Write SELECT ... FROM ...
«count» users
-- says: USERS is not a question: reports can only be asked, by one SELECT.Hint: Write SELECT ... FROM ...
«users»
-- says: ? is not a question: reports can only be asked, by one SELECT.Hint: Write SELECT ... FROM ...
«?»
-- says: LENGHT is not among the functions that are computed here.Hint: Did you mean 'length'? Use arithmetic, comparisons, CASE, LIKE, LOWER, SUBSTR and the like, date parts, or CAST.
SELECT COUNT(*) FROM users WHERE «lenght(state)» = 2
-- says: LOWR is not among the functions that are computed here.Hint: Did you mean 'lower'? Use arithmetic, comparisons, CASE, LIKE, LOWER, SUBSTR and the like, date parts, or CAST.
SELECT COUNT(*) FROM users WHERE «LOWR(state)» = 'ny'
-- says: CONTAINS cannot stand after state here.Hint: A comma, an operator such as =, or a keyword such as AND is missing before it.
SELECT COUNT(*) FROM users WHERE state «CONTAINS» 'N'
-- says: STARTS cannot stand after state here.Hint: A comma, an operator such as =, or a keyword such as AND is missing before it.
SELECT COUNT(*) FROM users WHERE state «STARTS» WITH 'N'
-- says: 'age' is never '20 years': it is a number.Hint: It is integers 1..40. Write a number without quotes, such as age = 21.
SELECT COUNT(*) FROM users WHERE age > «'20 years'»
-- says: Something is missing, or 'k' is too much.Hint: Compare: WHERE age > 30 AND state = 'NY'.
SELECT COUNT(*) FROM users WHERE income > 50«k»
-- says: Something is missing, or '000' is too much.Hint: Compare: WHERE age > 30 AND state = 'NY'.
SELECT COUNT(*) FROM users WHERE income > 10,«000»
-- says: 5000 lies between two knots of 'income', 4000 and 6000; devices round income to its knots, so nothing is known about the numbers between them.Hint: Write 4000 or 6000 instead; 'income' has numbers 0..20000 on 11 knots, 2000 apart.
SELECT COUNT(*) FROM users WHERE «income > 5000»
-- plan: shop
-- says: Between two texts, a comma or an operator is missing.Hint: Write 'NY', 'WA'.
SELECT COUNT(*) FROM users WHERE state IN («'NY' 'WA'»)
-- says: A comparison has two sides.Hint: Write 20 < age AND age < 30.
SELECT COUNT(*) FROM users WHERE «20 < age < 30»
-- says: A comparison has two sides.Hint: Write 1 <= age AND age <= 5.
SELECT COUNT(*) FROM users WHERE «1 <= age <= 5» AND state = 'NY'
-- says: 'n' is an aggregate of SELECT; WHERE chooses rows before they are added up.Hint: Write HAVING n ..., after GROUP BY.
SELECT state, COUNT(*) AS n FROM users WHERE «n» > 3 GROUP BY state
-- says: DESCRIBE is not a question: reports can only be asked, by one SELECT.Hint: Write DESCRIBE and the name of a service; SHOW TABLES lists them.
«DESCRIBE» userz
-- says: SHOW is not a question: reports can only be asked, by one SELECT.Hint: Write SHOW TABLES, or DESCRIBE and the name of a service.
«SHOW» DATABASES
-- says: EXPLAIN is not a question: reports can only be asked, by one SELECT.Hint: Use con.explain(sql) or `untold explain`.
«EXPLAIN» SELECT COUNT(*) FROM users
-- says: PERCENTILE is not among the aggregates and operations that have an unbiased estimate.Hint: Did you mean QUANTILE_CONT? Use COUNT, SUM, AVG, VAR_SAMP, STDDEV, MEDIAN, QUANTILE_CONT, and + - * / between them.
SELECT «PERCENTILE(income, 0.5)» FROM users
-- says: 'state' is neither in GROUP BY nor inside an aggregate.Hint: Add state to GROUP BY, or write an aggregate such as COUNT(state).
SELECT age, upper(«state»), COUNT(*) FROM users GROUP BY age
-- says: 'age' is never 'thirty': it is a number.Hint: It is integers 1..40. Write a number without quotes, such as age = 21.
SELECT COUNT(*) FROM users WHERE age = «'thirty'»
SELECT COUNT(*) FROM users WHERE age IN (3, «'thirty'»)
SELECT COUNT(*) FROM users WHERE age BETWEEN 3 AND «'thirty'»
SELECT COUNT(*) FROM users WHERE NOT age > «'thirty'» OR os = 'ios'
SELECT COUNT(*) FILTER (WHERE «'thirty'» < age) FROM users
-- says: 'income' is never 'rich': it is a number.Hint: It is numbers 0..20000 on 11 knots, 2000 apart. Write a number without quotes, such as income = 10000.
SELECT COUNT(*) FROM users WHERE income >= «'rich'»
-- says: 'epoch' is never 'last': epochs are numbered from 0.Hint: Write epoch = 0. Which ones there are: SELECT epoch, COUNT(*) ... GROUP BY epoch.
SELECT COUNT(*) FROM users WHERE epoch = «'last'»
SELECT COUNT(*) FROM users WHERE epoch IN (0, «'last'») AND age > 3
SELECT COUNT(*) FILTER (WHERE epoch < «'last'») FROM users
