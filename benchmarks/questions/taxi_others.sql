SELECT COUNT(*) FROM taxi WHERE distance >= 15;
SELECT COUNT(*) FROM taxi WHERE distance < 1;
SELECT COUNT(*) FROM taxi WHERE hour BETWEEN 10 AND 14 AND tip = 'yes';
SELECT COUNT(*) FROM taxi WHERE hour >= 20 AND dow = 'Sat';
SELECT AVG(distance) FROM taxi WHERE dow = 'Sun';
SELECT COUNT(*) FROM taxi WHERE company = 'Flash Cab' AND distance >= 10;
SELECT AVG(distance) FROM taxi WHERE hour < 6;
SELECT SUM(distance) FROM taxi WHERE tip = 'no';
