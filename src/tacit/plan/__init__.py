"""A checked, compiled, versioned plan."""

from tacit.plan.plan import Plan

__all__ = ["Plan"]
