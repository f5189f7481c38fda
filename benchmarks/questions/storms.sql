-- A weather office's board: how strong storms are, where and when.
SELECT month, COUNT(*) FROM storms GROUP BY month;
SELECT status, AVG(wind) FROM storms GROUP BY status;
SELECT COUNT(*) FROM storms WHERE wind >= 64;
SELECT COUNT(*) FROM storms WHERE wind >= 96 AND pressure < 960;
SELECT AVG(pressure) FROM storms WHERE status = 'hurricane';
SELECT COUNT(*) FROM storms WHERE lat BETWEEN 20 AND 30 AND long BETWEEN -98 AND -80;
SELECT CASE WHEN year < 1985 THEN '1975-84' WHEN year < 1995 THEN '1985-94' WHEN year < 2005 THEN '1995-04'
       WHEN year < 2015 THEN '2005-14' ELSE '2015-22' END AS decade, COUNT(*) FROM storms WHERE wind >= 64 GROUP BY decade;
SELECT AVG(wind) FROM storms WHERE month BETWEEN 8 AND 10;
SELECT COUNT(*) FROM storms WHERE lat >= 40 AND status IN ('extratropical', 'other low');
SELECT COUNT(*) FROM storms WHERE year >= 2015;
SELECT COUNT(*) FILTER (WHERE pressure < 980) / COUNT(*) FROM storms;
SELECT status, COUNT(*) FROM storms WHERE month = 9 GROUP BY status;
