"""The substrate layer: a study's tables, checked and integer-coded."""

from multiverse.substrate.substrate import Substrate, check_references, read_substrate

__all__ = ["Substrate", "check_references", "read_substrate"]
