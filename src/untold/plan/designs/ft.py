"""FT: noisy signs of the Fourier coefficients of records written in bits [CCS'18, section 3.5 and appendix A.1]."""

from __future__ import annotations

from untold.exact import NANO
from untold.oracles import AUTO, Fourier
from untold.oracles.fourier import MOST_COEFFICIENTS, coefficients_up_to
from untold.plan.designs.base import Design, DesignError, View, even_weights
from untold.plan.designs.recipe import Recipe
from untold.plan.hierarchy import Space, Tree
from untold.plan.schema import Service


def build(service: Service, nano: int) -> Design:
    """One view of all attributes, each written with ceil(log2 c) bits; a report is the sign of one coefficient.

    K, the most bits of a coefficient, is the number of bits that the k widest attributes have together.
    """
    if service.rows is not None:
        raise DesignError("reports about one row of everybody, not about rows_per_user; use another design")
    if service.oracle != AUTO:
        raise DesignError(f'perturbs signs in a way of its own, not by "{service.oracle}"; leave oracle out')
    trees = tuple(Tree(a.size, (1 << bits_of(a.size),)) for a in service.sensitive)
    bits = [bits_of(a.size) for a in service.sensitive]
    order = sum(sorted(bits, reverse=True)[: service.marginals.ways])
    total = coefficients_up_to(sum(bits), order)
    if total > MOST_COEFFICIENTS or 1 << sum(bits) > Fourier.most_cells:
        raise DesignError(
            f"needs {total:,} coefficients of {sum(bits)} bits for {service.marginals.ways}-way marginals, at most "
            f'{MOST_COEFFICIENTS:,} of {Fourier.most_cells.bit_length() - 1} bits are allowed; use design = "calm"'
        )
    oracle = Fourier(nano / NANO, 1 << sum(bits), order)
    return Design("ft", Space(trees), (View((1,) * len(trees), oracle, 0),), even_weights(1), hidden=False)


def bits_of(size: int) -> int:
    """How many bits the codes 0..size-1 need; one at least.

    >>> bits_of(1), bits_of(2), bits_of(3), bits_of(5)
    (1, 1, 2, 3)
    """
    return max(1, (size - 1).bit_length())


FT = Recipe(
    "ft",
    "signs of the Fourier coefficients that k-way marginals need, each report about one; marginals only",
    build,
    (),
    answers_sql=False,
    many_rows=False,
)
