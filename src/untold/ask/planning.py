"""What a plan asks of the floor above it: forecasts, and what its declared questions need. The only door from plans upwards.

SQL, scores and estimates all need a plan, so a plan opens this door inside of functions, when somebody knocks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from untold.ask.dashboard.energies import asked_of
from untold.ask.dashboard.reading import read_declared
from untold.ask.discovered.asked_plan import asked_plan
from untold.ask.forecast import forecast as forecasts
from untold.ask.forecast import lift
from untold.ask.forecast.forecast import Forecast
from untold.ask.forecast.lift import LiftForecast
from untold.plan import Plan
from untold.plan.designs.asked import AskedOf
from untold.plan.schema.schema import Schema

__all__ = ["Forecast", "LiftForecast", "forecast", "forecast_lift", "questions_of"]


def questions_of(schema: Schema) -> Mapping[str, AskedOf]:
    """What declared questions ask of each service that has some."""
    declared = read_declared(schema)
    return {service.name: asked_of(schema, service, declared) for service in schema.services if service.questions}


def forecast(plan: Plan, *asked: Any, **how: Any) -> Forecast:
    """Of the plan as questions see it."""
    return forecasts.forecast(asked_plan(plan), *asked, **how)


def forecast_lift(plan: Plan, *asked: Any, **how: Any) -> LiftForecast:
    """Of the plan as questions see it."""
    return lift.forecast_lift(asked_plan(plan), *asked, **how)
