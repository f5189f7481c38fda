"""A black-box audit of any client: people with chosen records and histories, what leaves their devices, and how well the
two sides of a comparison can be told apart."""

from untold.auditing.all_checks import Conformance, conformance
from untold.auditing.auditor import audit
from untold.auditing.meaning import Meaning, audit_meaning
from untold.auditing.verdict import Audit, Finding

__all__ = ["Audit", "Conformance", "Finding", "Meaning", "audit", "audit_meaning", "conformance"]
