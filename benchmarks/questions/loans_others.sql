SELECT COUNT(*) FROM loans WHERE interest_rate < 9;
SELECT COUNT(*) FROM loans WHERE annual_income >= 75000;
SELECT COUNT(*) FROM loans WHERE loan_amount < 10000 AND grade = 'A';
SELECT COUNT(*) FROM loans WHERE debt_to_income < 20;
SELECT COUNT(*) FROM loans WHERE loan_status = 'Charged Off';
SELECT AVG(interest_rate) FROM loans WHERE state = 'CA';
SELECT COUNT(*) FROM loans WHERE homeownership = 'OWN' AND debt_to_income >= 30;
SELECT SUM(annual_income) FROM loans WHERE loan_purpose = 'car';
