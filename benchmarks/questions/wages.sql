-- A labour office's board: wages by schooling, region and kind of work.
SELECT AVG(wage) FROM wages;
SELECT region, AVG(wage) FROM wages GROUP BY region;
SELECT CASE WHEN education < 12 THEN 'no diploma' WHEN education < 16 THEN 'school' ELSE 'college' END AS level, COUNT(*)
FROM wages GROUP BY level;
SELECT COUNT(*) FROM wages WHERE wage < 250;
SELECT COUNT(*) FROM wages WHERE wage >= 1000 AND education >= 16;
SELECT ethnicity, AVG(wage) FROM wages WHERE parttime = 'no' GROUP BY ethnicity;
SELECT COUNT(*) FROM wages WHERE experience < 5 AND wage >= 500;
SELECT parttime, COUNT(*) FROM wages GROUP BY parttime;
SELECT AVG(experience) FROM wages WHERE education >= 16;
SELECT COUNT(*) FROM wages WHERE smsa = 'yes' AND wage >= 750;
SELECT region, COUNT(*) FROM wages WHERE education < 12 GROUP BY region;
SELECT COUNT(*) FILTER (WHERE experience >= 30) / COUNT(*) FROM wages;
