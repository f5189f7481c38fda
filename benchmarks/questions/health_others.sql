SELECT COUNT(*) FROM health WHERE mdvis >= 3;
SELECT COUNT(*) FROM health WHERE xage >= 50;
SELECT COUNT(*) FROM health WHERE income < 8000;
SELECT COUNT(*) FROM health WHERE mhi < 60 AND female = 1;
SELECT AVG(mdvis) FROM health WHERE child = 1;
SELECT COUNT(*) FROM health WHERE meddol >= 1000 AND disea >= 20;
SELECT COUNT(*) FROM health WHERE educdec < 12;
SELECT COUNT(*) FROM health WHERE xage < 18 AND income >= 12000;
