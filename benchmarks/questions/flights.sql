-- An airport's board: delays by carrier, hour and month.
-- weight: 3
SELECT COUNT(*) FILTER (WHERE arr_delay >= 15) / COUNT(*) FROM flights;
SELECT AVG(dep_delay) FROM flights;
SELECT carrier, COUNT(*) FROM flights GROUP BY carrier;
SELECT month, AVG(dep_delay) FROM flights GROUP BY month;
SELECT COUNT(*) FROM flights WHERE dep_delay >= 60 AND distance >= 1000;
SELECT origin, COUNT(*) FROM flights WHERE dep_delay >= 60 GROUP BY origin;
SELECT COUNT(*) FROM flights WHERE hour < 9 AND arr_delay < 0;
SELECT COUNT(*) FROM flights WHERE hour >= 17 AND dep_delay >= 15;
SELECT AVG(air_time) FROM flights WHERE distance >= 2000;
SELECT COUNT(*) FROM flights WHERE carrier IN ('UA', 'AA', 'DL') AND arr_delay >= 15;
SELECT SUM(distance) FROM flights;
