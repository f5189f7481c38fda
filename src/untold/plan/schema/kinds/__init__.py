"""The kinds of attributes. A new kind is a file in this folder and a place in the tuple KINDS.

Any may be `OrMissing`; numbers and dates may be `Clipped`.
"""

from untold.plan.schema.kinds.attribute import Attribute, Coded, Sensitive, ValueType
from untold.plan.schema.kinds.categorical import Categorical, Grouped
from untold.plan.schema.kinds.classes import Classes
from untold.plan.schema.kinds.clipped import Clipped
from untold.plan.schema.kinds.dates import Date, Timestamp
from untold.plan.schema.kinds.decimals import Decimals
from untold.plan.schema.kinds.each import Each
from untold.plan.schema.kinds.knots import Knots
from untold.plan.schema.kinds.listed import Listed
from untold.plan.schema.kinds.or_missing import OrMissing, is_missing
from untold.plan.schema.kinds.ordinal import Ordinal
from untold.plan.schema.kinds.public import Public
from untold.plan.schema.kinds.text import Text

KINDS: tuple[type[Attribute], ...] = (
    Ordinal,
    Knots,
    Classes,
    Decimals,
    Categorical,
    Grouped,
    Date,
    Timestamp,
    Text,
    Public,
    Each,
)

__all__ = [
    "KINDS",
    "Attribute",
    "Categorical",
    "Classes",
    "Clipped",
    "Coded",
    "Date",
    "Decimals",
    "Each",
    "Grouped",
    "Knots",
    "Listed",
    "OrMissing",
    "Ordinal",
    "Public",
    "Sensitive",
    "Text",
    "Timestamp",
    "ValueType",
    "is_missing",
]
