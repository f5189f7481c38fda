"""What a plan asks of the floor above it: forecasts, and what its declared questions need. The only door from plans upwards.

SQL, scores and estimates all need a plan, so a plan opens this door inside of functions, when somebody knocks.
"""

from __future__ import annotations

from collections.abc import Mapping

from untold.ask.dashboard.energies import asked_of
from untold.ask.dashboard.reading import read_declared
from untold.ask.forecast.forecast import Forecast, forecast
from untold.ask.forecast.lift import LiftForecast, forecast_lift
from untold.plan.designs.asked import AskedOf
from untold.plan.schema.schema import Schema

__all__ = ["Forecast", "LiftForecast", "forecast", "forecast_lift", "questions_of"]


def questions_of(schema: Schema) -> Mapping[str, AskedOf]:
    """What declared questions ask of each service that has some."""
    declared = read_declared(schema)
    return {service.name: asked_of(schema, service, declared) for service in schema.services if service.questions}
