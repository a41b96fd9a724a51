"""Which benchmark conclusions survive the evaluator's choices: exact identified sets over declared specifications."""

from multiverse.audit import Audit, Check, audit, check
from multiverse.errors import Fault, InputError, MultiverseError

__all__ = ["Audit", "Check", "Fault", "InputError", "MultiverseError", "audit", "check"]
