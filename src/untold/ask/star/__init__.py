"""A star join of people with things (such as products) where both are reported under privacy [VLDB'20, section 8.2].

Every total is a sum of shares, a share being a function h of the thing times a function of the people. With z_p the score of h
in the report of thing p, and X_p the estimate of the people's side among rows of p,

    T = sum_p z_p X_p

is unbiased, since things and people perturb independently. Let C be the covariances of the X, v_p that of the scores of p:

    Cov(T_j, T_k) = w^T C w + sum_p v_p (x_p x_p + C_pp),       estimated by      z^T C z + sum_p v_p (X_p X_p - C_pp)

where z^T C z is the variance of a scan that takes z_p for public numbers, and v_p = z_p z_p - (the score of h h).
"""

from untold.ask.star.few import laws_of
from untold.ask.star.measuring import combined, scores_of
from untold.ask.star.parting import Star, star_of
from untold.ask.star.words import star_explained, star_notes

__all__ = ["Star", "combined", "laws_of", "scores_of", "star_explained", "star_notes", "star_of"]
