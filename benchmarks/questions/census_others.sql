SELECT COUNT(*) FROM census WHERE age >= 40;
SELECT COUNT(*) FROM census WHERE income >= 100000;
SELECT COUNT(*) FROM census WHERE time_to_work < 20;
SELECT COUNT(*) FROM census WHERE married = 'yes' AND age < 30;
SELECT COUNT(*) FROM census WHERE hrs_work < 20;
SELECT COUNT(*) FROM census WHERE race = 'asian' AND income >= 50000;
SELECT AVG(income) FROM census WHERE disability = 'yes';
SELECT SUM(hrs_work) FROM census WHERE gender = 'female';
