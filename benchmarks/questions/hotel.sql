-- A hotel's board: prices, lengths of stay, and who books how early.
-- weight: 3
SELECT AVG(avg_price_per_room) FROM hotel;
SELECT date_trunc('month', arrival_date) AS month, COUNT(*) FROM hotel GROUP BY month;
SELECT COUNT(*) FROM hotel WHERE lead_time >= 90;
SELECT COUNT(*) FROM hotel WHERE lead_time < 7 AND market_segment IN ('direct', 'corporate');
SELECT market_segment, AVG(avg_price_per_room) FROM hotel GROUP BY market_segment;
SELECT AVG(stays_in_week_nights) FROM hotel WHERE customer_type = 'transient';
SELECT COUNT(*) FROM hotel WHERE children >= 1 AND avg_price_per_room >= 150;
SELECT COUNT(*) FROM hotel WHERE stays_in_week_nights >= 5 AND stays_in_weekend_nights >= 2;
SELECT COUNT(*) FILTER (WHERE total_of_special_requests >= 1) / COUNT(*) FROM hotel;
SELECT SUM(avg_price_per_room) FROM hotel WHERE lead_time >= 30;
SELECT meal, COUNT(*) FROM hotel GROUP BY meal;
SELECT COUNT(*) FROM hotel WHERE avg_price_per_room < 60 AND lead_time >= 180;
SELECT AVG(avg_price_per_room) FROM hotel WHERE arrival_date >= DATE '2017-06-01' AND arrival_date < DATE '2017-09-01';
