"""The declared half of a plan: what is collected, and what it may cost a person. Checked whole, then frozen."""

from untold.plan.schema.budget import Budget
from untold.plan.schema.dump import schema_to_dict
from untold.plan.schema.kinds import Attribute, Categorical, Coded, Each, Knots, Ordinal, Public, Sensitive
from untold.plan.schema.mix import USUAL_DELTA, Mix
from untold.plan.schema.names import (
    CHOSEN_VIEWS,
    DEFAULT_DESIGN,
    DEFAULT_THETA,
    DESIGN_NAMES,
    MARGINAL_DESIGNS,
    MAX_CELLS,
    PUBLISHED,
    VIEW_RULES,
)
from untold.plan.schema.over_time import ONCE_EPOCH, Panel
from untold.plan.schema.read import read_schema
from untold.plan.schema.read_service import cells_together
from untold.plan.schema.schema import Schema
from untold.plan.schema.service import Interest, Rows, Service

__all__ = [
    "CHOSEN_VIEWS",
    "DEFAULT_DESIGN",
    "DEFAULT_THETA",
    "DESIGN_NAMES",
    "MARGINAL_DESIGNS",
    "MAX_CELLS",
    "ONCE_EPOCH",
    "PUBLISHED",
    "USUAL_DELTA",
    "VIEW_RULES",
    "Attribute",
    "Budget",
    "Categorical",
    "Coded",
    "Each",
    "Interest",
    "Knots",
    "Mix",
    "Ordinal",
    "Panel",
    "Public",
    "Rows",
    "Schema",
    "Sensitive",
    "Service",
    "cells_together",
    "read_schema",
    "schema_to_dict",
]
