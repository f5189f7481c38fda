SELECT COUNT(*) FROM wages WHERE wage >= 600;
SELECT COUNT(*) FROM wages WHERE experience BETWEEN 10 AND 20;
SELECT COUNT(*) FROM wages WHERE education >= 14;
SELECT AVG(wage) FROM wages WHERE smsa = 'no';
SELECT COUNT(*) FROM wages WHERE region = 'south' AND ethnicity = 'afam';
SELECT COUNT(*) FROM wages WHERE wage < 350 AND parttime = 'yes';
SELECT SUM(wage) FROM wages WHERE region = 'west';
SELECT COUNT(*) FROM wages WHERE experience >= 25 AND wage < 400;
