SELECT COUNT(*) FROM flights WHERE dep_delay >= 30;
SELECT COUNT(*) FROM flights WHERE distance < 500;
SELECT COUNT(*) FROM flights WHERE hour BETWEEN 12 AND 14;
SELECT COUNT(*) FROM flights WHERE carrier = 'UA';
SELECT COUNT(*) FROM flights WHERE origin = 'JFK' AND distance >= 1000;
SELECT AVG(dep_delay) FROM flights WHERE origin = 'EWR';
SELECT COUNT(*) FROM flights WHERE month IN (6, 7) AND arr_delay >= 15;
SELECT SUM(air_time) FROM flights WHERE carrier = 'B6';
