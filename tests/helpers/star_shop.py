"""A shop whose products are only reported about, too: plans, tables and collections for tests."""

import numpy as np
import pyarrow as pa

import untold
from untold.plan import Plan

PRODUCTS = ["tea", "ball", "oil", "pen", "cup", "hat"]
SHOP = Plan.from_dict(
    {
        "name": "shop",
        "user_key": "uid",
        "epsilon": 10.0,
        "services": {
            "users": {"epsilon_share": 0.3, "attributes": {"age": {"kind": "ordinal", "low": 0, "high": 7}}},
            "sales": {
                "rows_per_user": {"max": 2, "report": 1},
                "attributes": {
                    "pid": {"kind": "each", "values": PRODUCTS},
                    "amount": {"kind": "ordinal", "low": 0, "high": 4},
                },
            },
        },
    }
)
CATALOGUE = Plan.from_dict(
    {
        "name": "catalogue",
        "user_key": "pid",
        "epsilon": 3.0,
        "services": {
            "products": {
                "attributes": {
                    "country": {"kind": "categorical", "values": ["China", "Italy"]},
                    "price": {"kind": "ordinal", "low": 0, "high": 3},
                }
            }
        },
    }
)
JOINED = "FROM sales JOIN products USING (pid) JOIN users USING (uid) WHERE country = 'China' AND age BETWEEN 2 AND 5"


def made(n, seed):
    """Users, their sales, and the products."""
    rng = np.random.default_rng(seed)
    users = pa.table({"uid": np.arange(n), "age": rng.integers(0, 8, n)})
    bought = rng.integers(0, 3, (n, len(PRODUCTS))).ravel()
    uid = np.repeat(np.repeat(np.arange(n), len(PRODUCTS)), bought)
    pid = np.repeat(np.tile(np.arange(len(PRODUCTS)), n), bought)
    amount = rng.integers(0, 5, len(uid))
    sales = pa.table({"uid": uid, "pid": pa.array(PRODUCTS).take(pa.array(pid)), "amount": amount})
    countries = ["China", "China", "China", "Italy", "Italy", "Italy"]
    return users, sales, pa.table({"pid": PRODUCTS, "country": countries, "price": [1, 2, 0, 3, 1, 2]})


def collected(folder, tables, seed):
    users, sales, products = tables
    untold.perturb(SHOP, "users", users, out=folder / "shop", seed=seed)
    untold.perturb(SHOP, "sales", sales, population=users["uid"], out=folder / "shop", seed=seed + 1)
    untold.perturb(CATALOGUE, "products", products, out=folder / "catalogue", seed=seed + 2)
    con = untold.connect(folder / "shop")
    con.register("products", untold.connect(folder / "catalogue"), key="pid")
    return con
