SELECT COUNT(*) FROM storms WHERE wind >= 50;
SELECT COUNT(*) FROM storms WHERE pressure < 1000;
SELECT COUNT(*) FROM storms WHERE year BETWEEN 2000 AND 2009;
SELECT AVG(wind) FROM storms WHERE year >= 2015;
SELECT COUNT(*) FROM storms WHERE lat < 15;
SELECT COUNT(*) FROM storms WHERE status = 'tropical depression' AND month = 8;
SELECT AVG(pressure) FROM storms WHERE lat >= 30;
SELECT COUNT(*) FROM storms WHERE long >= -40 AND wind < 35;
