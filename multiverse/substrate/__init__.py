"""The substrate layer: a study's tables, checked and integer-coded."""

from multiverse.substrate.substrate import (
    References,
    Substrate,
    check_references,
    read_references,
    read_substrate,
    table_files,
)

__all__ = ["References", "Substrate", "check_references", "read_references", "read_substrate", "table_files"]
