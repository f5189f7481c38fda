"""The kinds of attributes. A new kind is a file in this folder and a place in the tuple KINDS; any may be `OrMissing`."""

from untold.schema.kinds.attribute import Attribute, Coded, Sensitive, ValueType
from untold.schema.kinds.categorical import Categorical
from untold.schema.kinds.dates import Date, Timestamp
from untold.schema.kinds.decimals import Decimals
from untold.schema.kinds.each import Each
from untold.schema.kinds.knots import Knots
from untold.schema.kinds.listed import Listed
from untold.schema.kinds.or_missing import OrMissing, is_missing
from untold.schema.kinds.ordinal import Ordinal
from untold.schema.kinds.public import Public

KINDS: tuple[type[Attribute], ...] = (Ordinal, Knots, Decimals, Categorical, Date, Timestamp, Public, Each)

__all__ = [
    "KINDS",
    "Attribute",
    "Categorical",
    "Coded",
    "Date",
    "Decimals",
    "Each",
    "Knots",
    "Listed",
    "OrMissing",
    "Ordinal",
    "Public",
    "Sensitive",
    "Timestamp",
    "ValueType",
    "is_missing",
]
