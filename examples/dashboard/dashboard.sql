-- What the insurer asks every month. A line "-- weight: 3" makes the next question matter more.
-- weight: 3
SELECT AVG(visits) AS visits FROM people;
SELECT COUNT(*) AS none FROM people WHERE visits = 0;
SELECT COUNT(*) AS often FROM people WHERE visits >= 12;
SELECT plan = 'free' AS free, AVG(visits) AS visits FROM people GROUP BY free;
SELECT COUNT(*) AS children FROM people WHERE age < 18 AND visits >= 6;
SELECT COUNT(*) AS poor FROM people WHERE income < 5000 AND health < 60;
SELECT site, COUNT(*) AS people FROM people GROUP BY site;
SELECT COUNT(*) FILTER (WHERE health >= 80) / COUNT(*) AS well FROM people;
