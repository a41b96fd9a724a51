"""The script constructs the data that is there; only where its solver is installed, the extra `reconstruction`."""

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from audits import DATA

pytest.importorskip("ortools")


def test_the_script_gives_the_data(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(DATA / "reconstruction" / "build.py"), str(tmp_path)], check=True)
    for table in sorted(tmp_path.glob("*/*.parquet")):
        assert pl.read_parquet(table).equals(pl.read_parquet(DATA / table.relative_to(tmp_path))), table
    assert len(list(tmp_path.glob("*/*.parquet"))) == 9
