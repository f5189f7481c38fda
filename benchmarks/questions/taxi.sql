-- Tiles of the taxi dashboards that BI tools ship: trips by hour and day, distances, tips.
SELECT hour, COUNT(*) FROM taxi GROUP BY hour;
SELECT dow, COUNT(*) FROM taxi GROUP BY dow;
SELECT AVG(distance) FROM taxi;
SELECT company, COUNT(*) FROM taxi GROUP BY company;
SELECT COUNT(*) FILTER (WHERE tip = 'yes') / COUNT(*) FROM taxi;
SELECT company, AVG(distance) FROM taxi GROUP BY company;
SELECT COUNT(*) FROM taxi WHERE hour >= 20 AND distance >= 5;
SELECT COUNT(*) FROM taxi WHERE hour BETWEEN 7 AND 9 AND dow IN ('Mon', 'Tue', 'Wed', 'Thu', 'Fri');
SELECT COUNT(*) FROM taxi WHERE distance >= 10 AND tip = 'yes';
SELECT CASE WHEN distance < 2 THEN 'short' WHEN distance < 10 THEN 'middle' ELSE 'long' END AS trip, COUNT(*)
FROM taxi WHERE dow IN ('Sat', 'Sun') GROUP BY trip;
SELECT SUM(distance) FROM taxi WHERE local = 'yes';
