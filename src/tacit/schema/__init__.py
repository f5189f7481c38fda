"""The declared half of a plan: what is collected, and what it may cost a person. Checked whole, then frozen."""

from tacit.schema.budget import Budget
from tacit.schema.categorical import Categorical
from tacit.schema.dump import schema_to_dict
from tacit.schema.each import Each
from tacit.schema.load import load_toml
from tacit.schema.names import DESIGN_NAMES, MARGINAL_DESIGNS, ORACLE_NAMES
from tacit.schema.ordinal import Ordinal
from tacit.schema.public import Public
from tacit.schema.read import read_schema
from tacit.schema.schema import Schema
from tacit.schema.service import Attribute, Interest, Rows, Sensitive, Service

__all__ = [
    "DESIGN_NAMES",
    "MARGINAL_DESIGNS",
    "ORACLE_NAMES",
    "Attribute",
    "Budget",
    "Categorical",
    "Each",
    "Interest",
    "Ordinal",
    "Public",
    "Rows",
    "Schema",
    "Sensitive",
    "Service",
    "load_toml",
    "read_schema",
    "schema_to_dict",
]
