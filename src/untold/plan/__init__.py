"""A checked, compiled, versioned plan."""

from untold.plan.plan import Plan

__all__ = ["Plan"]
