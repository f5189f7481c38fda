SELECT COUNT(*) FROM hotel WHERE lead_time >= 60;
SELECT COUNT(*) FROM hotel WHERE avg_price_per_room < 100;
SELECT COUNT(*) FROM hotel WHERE avg_price_per_room >= 150 AND market_segment = 'direct';
SELECT COUNT(*) FROM hotel WHERE stays_in_week_nights <= 2;
SELECT AVG(lead_time) FROM hotel WHERE avg_price_per_room >= 150;
SELECT COUNT(*) FROM hotel WHERE market_segment = 'corporate';
SELECT COUNT(*) FROM hotel WHERE children >= 1 AND lead_time >= 90;
SELECT SUM(stays_in_week_nights) FROM hotel WHERE meal = 'no_meal_package';
