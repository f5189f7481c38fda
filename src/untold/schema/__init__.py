"""The declared half of a plan: what is collected, and what it may cost a person. Checked whole, then frozen."""

from untold.schema.budget import Budget
from untold.schema.dump import schema_to_dict
from untold.schema.kinds import Attribute, Categorical, Coded, Each, Knots, Ordinal, Public, Sensitive
from untold.schema.mix import USUAL_DELTA, Mix
from untold.schema.names import (
    CHOSEN_VIEWS,
    DEFAULT_DESIGN,
    DEFAULT_THETA,
    DESIGN_NAMES,
    MARGINAL_DESIGNS,
    MAX_CELLS,
    PUBLISHED,
    VIEW_RULES,
)
from untold.schema.over_time import ONCE_EPOCH, Panel
from untold.schema.read import read_schema
from untold.schema.read_service import cells_together
from untold.schema.schema import Schema
from untold.schema.service import Interest, Rows, Service

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
