"""Outputs written aside, then moved into place whole: a failure leaves what was there before."""

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from multiverse.errors import Fault, InputError, quoted

RECORD = "record.json"
TABLES = "tables"
_OURS = frozenset({RECORD, TABLES})


def check_output(out: Path) -> None:
    """Raise InputError unless the folder is new, empty, or holds nothing but an earlier audit."""
    if out.exists() and not out.is_dir():
        raise InputError([Fault(where=str(out), found="a file", expected="a folder for the record, new or empty")])
    foreign = sorted(path.name for path in out.iterdir() if path.name not in _OURS) if out.is_dir() else []
    if foreign:
        found = f"the folder holds {quoted(foreign[0])}" + (f" and {len(foreign) - 1} more" if len(foreign) > 1 else "")
        raise InputError([Fault(where=str(out), found=found, expected="a new or empty folder, or an earlier audit's")])


def write_audit(out: Path, record: bytes, tables: Mapping[str, pl.DataFrame]) -> None:
    """Write record.json and tables/*.parquet into a folder, all of it or nothing."""
    check_output(out)
    place = out.resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{place.name}-", dir=place.parent) as aside:
        fresh, old = Path(aside) / "fresh", Path(aside) / "old"
        (fresh / TABLES).mkdir(parents=True)
        (fresh / RECORD).write_bytes(record)
        for name, table in tables.items():
            table.write_parquet(fresh / TABLES / f"{name}.parquet")
        _swap(fresh, place, old)


def _swap(fresh: Path, place: Path, old: Path) -> None:
    if place.exists():
        place.rename(old)
    try:
        fresh.rename(place)
    except OSError:
        if old.exists():
            old.rename(place)
        raise
    if old.exists():
        shutil.rmtree(old)
