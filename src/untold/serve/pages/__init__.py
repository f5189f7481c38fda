"""What analysts get over HTTP: what there is to ask, answers, forecasts, and the pages."""
