-- Tiles of the census dashboards that BI tools ship: income, work, commuting, education.
SELECT AVG(income) FROM census WHERE income IS NOT NULL;
SELECT edu, AVG(income) FROM census WHERE edu IS NOT NULL GROUP BY edu;
SELECT CASE WHEN age < 18 THEN 'child' WHEN age < 65 THEN 'adult' ELSE 'senior' END AS band, COUNT(*) FROM census GROUP BY band;
SELECT employment, COUNT(*) FROM census WHERE employment IS NOT NULL GROUP BY employment;
SELECT COUNT(*) FROM census WHERE income < 15000 AND age >= 18;
SELECT gender, AVG(income) FROM census WHERE employment = 'employed' GROUP BY gender;
SELECT AVG(time_to_work) FROM census;
SELECT COUNT(*) FROM census WHERE time_to_work >= 60;
SELECT COUNT(*) FROM census WHERE hrs_work >= 40 AND income >= 50000;
SELECT race, COUNT(*) FROM census GROUP BY race;
SELECT COUNT(*) FROM census WHERE age >= 65 AND disability = 'yes';
SELECT COUNT(*) FILTER (WHERE citizen = 'no') / COUNT(*) FROM census;
