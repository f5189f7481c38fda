-- An insurer's board: visits, spending, and who has them.
-- weight: 3
SELECT AVG(mdvis) FROM health;
SELECT COUNT(*) FROM health WHERE mdvis = 0;
SELECT COUNT(*) FROM health WHERE mdvis >= 12;
SELECT AVG(mdvis) FROM health WHERE coins = 0;
SELECT COUNT(*) FROM health WHERE meddol >= 1000;
SELECT coins, COUNT(*) FROM health WHERE meddol >= 1000 GROUP BY coins;
SELECT site, AVG(mdvis) FROM health GROUP BY site;
SELECT COUNT(*) FROM health WHERE xage < 18 AND mdvis >= 6;
SELECT COUNT(*) FROM health WHERE income < 5000 AND mhi < 60;
SELECT AVG(meddol) FROM health WHERE female = 1;
SELECT COUNT(*) FROM health WHERE disea >= 20 AND xage >= 40;
SELECT COUNT(*) FILTER (WHERE mentvis >= 1) / COUNT(*) FROM health;
SELECT COUNT(*) FROM health WHERE educdec >= 16 AND income >= 12000;
