-- A jeweller's board: what is in stock, and what it costs.
SELECT COUNT(*) FROM diamonds WHERE price >= 10000;
SELECT AVG(price) FROM diamonds;
SELECT cut, AVG(price) FROM diamonds GROUP BY cut;
SELECT clarity, COUNT(*) FROM diamonds WHERE carat >= 1 GROUP BY clarity;
SELECT CASE WHEN carat < 0.5 THEN 'small' WHEN carat < 1 THEN 'middle' WHEN carat < 2 THEN 'large' ELSE 'huge' END AS size,
       COUNT(*) FROM diamonds GROUP BY size;
SELECT AVG(price) FROM diamonds WHERE carat BETWEEN 1 AND 1.5;
SELECT COUNT(*) FROM diamonds WHERE color IN ('D', 'E', 'F') AND clarity IN ('IF', 'VVS1', 'VVS2');
SELECT COUNT(*) FROM diamonds WHERE depth BETWEEN 59 AND 63 AND "table" BETWEEN 54 AND 58;
SELECT color, AVG(carat) FROM diamonds GROUP BY color;
SELECT COUNT(*) FROM diamonds WHERE cut = 'Ideal' AND price < 1000;
SELECT SUM(price) FROM diamonds WHERE cut IN ('Premium', 'Ideal');
SELECT COUNT(*) FROM diamonds WHERE carat >= 2 AND price < 15000;
SELECT COUNT(*) FILTER (WHERE depth > 64 OR depth < 58) / COUNT(*) FROM diamonds;
