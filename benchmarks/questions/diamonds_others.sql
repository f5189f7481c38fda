SELECT COUNT(*) FROM diamonds WHERE price >= 5000;
SELECT COUNT(*) FROM diamonds WHERE carat < 0.8;
SELECT COUNT(*) FROM diamonds WHERE color = 'J';
SELECT COUNT(*) FROM diamonds WHERE clarity = 'SI1' AND cut = 'Ideal';
SELECT AVG(price) FROM diamonds WHERE color = 'D';
SELECT SUM(carat) FROM diamonds WHERE clarity = 'SI2';
SELECT COUNT(*) FROM diamonds WHERE price >= 2500 AND "table" >= 58;
SELECT COUNT(*) FROM diamonds WHERE depth >= 62;
