"""The declaration layer: strict YAML to one frozen value."""

from multiverse.declaration.declaration import Declaration, read_declaration

__all__ = ["Declaration", "read_declaration"]
