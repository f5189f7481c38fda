"""The eight questions of the tour, from easy to hard."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Asked:
    """A question in words and in SQL; the unit of its answer; what makes it easy or hard."""

    words: str
    sql: str
    unit: str
    remark: str


QUESTIONS = (
    Asked(
        "How many people are under 35?",
        "SELECT COUNT(*) AS people FROM users WHERE age < 35",
        "people",
        "One range of one attribute: reports about every level of its tree are combined.",
    ),
    Asked(
        "How many live in each state?",
        "SELECT state, COUNT(*) AS people FROM users GROUP BY state",
        "people",
        "Three values only: little noise.",
    ),
    Asked(
        "What do people of 35 to 64 earn on average?",
        "SELECT AVG(income) AS income FROM users WHERE age BETWEEN 35 AND 64",
        "dollars",
        "A ratio of two estimates over two attributes. Only reports about both age and income can tell.",
    ),
    Asked(
        "How many are 35 or older and earn 60,000 or more?",
        "SELECT COUNT(*) AS people FROM users WHERE age >= 35 AND income >= 60000",
        "people",
        "Two ranges at once.",
    ),
    Asked(
        "How old are they?",
        "SELECT age // 20 * 20 AS from_age, COUNT(*) AS people FROM users GROUP BY from_age",
        "people",
        "A histogram. Nobody is over 100: these groups are empty, and an unbiased estimate of nothing is as often below zero.",
    ),
    Asked(
        "What share earns 60,000 or more?",
        "SELECT 100.0 * COUNT(*) FILTER (WHERE income >= 60000) / COUNT(*) AS percent FROM users",
        "percent",
        "Arithmetic between aggregates carries its error along.",
    ),
    Asked(
        "How many purchases are there of each category?",
        "SELECT category, COUNT(*) AS purchases FROM transactions GROUP BY category",
        "purchases",
        "Up to ten purchases per person, one report. Who bought nothing reports as well, and cannot be told apart.",
    ),
    Asked(
        "Too much to ask of so few people: what is spent in each state?",
        "SELECT state, SUM(amount) AS spent FROM transactions JOIN users USING (uid) GROUP BY state",
        "dollars",
        "A join of two services, perturbed apart from each other: both noises multiply. The interval says that this is noise; "
        "with 10 million people it would not be.",
    ),
)
