"""Cells of lighteval's older details, which may be Python values written as text."""

import ast
from typing import Any

_NAMES = {"nan": float("nan"), "inf": float("inf")}


def cell(value: object) -> Any:  # noqa: ANN401 (a cell is anything)
    """A cell as it is, or as the value that its text spells; text that spells none stays text."""
    if not isinstance(value, str):
        return value
    try:
        return _value(ast.parse(value.strip(), mode="eval").body)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return value


def _value(node: ast.expr) -> Any:  # noqa: ANN401
    """Numbers, texts, lists and mappings; nan and inf, and numbers in the clothes of numpy."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in _NAMES:
            return _NAMES[name]
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return -_value(part)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [_value(part) for part in parts]
        case ast.Dict(keys=keys, values=values):
            return {_value(key): _value(value) for key, value in zip(keys, values, strict=True) if key is not None}
        case ast.Call(args=[part], keywords=[]):
            return _value(part)
        case _:
            raise ValueError("no plain value")
