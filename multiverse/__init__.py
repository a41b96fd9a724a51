"""Which benchmark conclusions survive the evaluator's choices: exact identified sets over declared specifications."""

from multiverse.audit import Audit, Check, audit, check
from multiverse.errors import BusyError, Fault, GateError, InputError, MultiverseError
from multiverse.explanation import Explanation, explain
from multiverse.separation import Separation, compare
from multiverse.summary import report_text

__all__ = [
    "Audit",
    "BusyError",
    "Check",
    "Explanation",
    "Fault",
    "GateError",
    "InputError",
    "MultiverseError",
    "Separation",
    "audit",
    "check",
    "compare",
    "explain",
    "report_text",
]
