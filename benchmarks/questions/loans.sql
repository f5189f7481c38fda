-- A lender's board: how large, how dear and how safe the loans are.
-- weight: 3
SELECT COUNT(*) FROM loans WHERE loan_status IN ('Late (16-30 days)', 'Late (31-120 days)', 'Charged Off', 'In Grace Period');
-- weight: 2
SELECT AVG(interest_rate) FROM loans;
SELECT SUM(loan_amount) FROM loans;
SELECT grade, COUNT(*) FROM loans GROUP BY grade;
SELECT AVG(loan_amount) FROM loans WHERE homeownership = 'RENT';
SELECT COUNT(*) FROM loans WHERE debt_to_income >= 30 AND annual_income < 50000;
SELECT COUNT(*) FROM loans WHERE loan_amount >= 25000 AND interest_rate >= 15;
SELECT homeownership, AVG(annual_income) FROM loans GROUP BY homeownership;
SELECT CASE WHEN annual_income < 50000 THEN 'low' WHEN annual_income < 100000 THEN 'middle' ELSE 'high' END AS class,
       AVG(interest_rate) FROM loans GROUP BY class;
SELECT COUNT(*) FROM loans WHERE delinq_2y >= 1 AND interest_rate >= 12;
SELECT COUNT(*) FROM loans WHERE loan_purpose IN ('debt_consolidation', 'credit_card') AND loan_amount >= 15000;
SELECT COUNT(*) FROM loans WHERE state IN ('CA', 'TX', 'NY', 'FL');
SELECT verified_income, COUNT(*) FROM loans WHERE annual_income >= 100000 GROUP BY verified_income;
