"""Which benchmark conclusions survive the evaluator's choices: exact identified sets over declared specifications."""

from multiverse.audit import Audit, Check, audit, check
from multiverse.errors import Fault, InputError, MultiverseError
from multiverse.explanation import Explanation, explain
from multiverse.separation import Separation, compare

__all__ = [
    "Audit",
    "Check",
    "Explanation",
    "Fault",
    "InputError",
    "MultiverseError",
    "Separation",
    "audit",
    "check",
    "compare",
    "explain",
]
