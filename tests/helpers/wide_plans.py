"""Plans like real tables: a third each of ordinals 0..99, categoricals of 8 and yes/no."""

from untold.plan import Plan

KINDS = (
    {"kind": "ordinal", "low": 0, "high": 99},
    {"kind": "categorical", "values": [f"v{i}" for i in range(8)]},
    {"kind": "categorical", "values": ["yes", "no"]},
)


def wide_plan(attributes, max_active=None, epsilon=2.0, public=(), **settings):
    """Attributes a0 (ordinal), a1 (of 8), a2 (yes/no), a3 (ordinal), ... of service t."""
    sensitive = {f"a{i}": KINDS[i % 3] for i in range(attributes)}
    service = {"attributes": {**sensitive, **dict(public)}, **settings}
    if max_active is not None:
        service["max_active"] = max_active
    return Plan.from_dict({"name": "wide", "user_key": "uid", "epsilon": epsilon, "services": {"t": service}})
