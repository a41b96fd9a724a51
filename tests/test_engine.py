"""The one DuckDB connection: no file, no network, no setting within reach (THREATS part 4)."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest

from multiverse.errors import MultiverseError
from multiverse.scoring import engine as module
from multiverse.scoring.engine import Engine

LOCKED = "the configuration has been locked"


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine(threads=1) as opened:
        opened.register("t", pl.DataFrame({"x": [1, 2, 3]}))
        opened.run("CREATE TEMP TABLE u AS SELECT 1 AS a, 2 AS b")
        yield opened


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.csv"
    path.write_text("a,b\n1,2\n")
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "secret.parquet")
    duckdb.connect(tmp_path / "secret.db").close()
    return path


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('{csv}')",
        "SELECT * FROM read_text('{csv}')",
        "SELECT * FROM read_blob('{csv}')",
        "SELECT * FROM read_json('{csv}')",
        "SELECT * FROM read_parquet('{parquet}')",
        "SELECT * FROM parquet_schema('{parquet}')",
        "SELECT * FROM sniff_csv('{csv}')",
        "SELECT * FROM glob('{folder}/*')",
        "SELECT * FROM '{csv}'",
        "SELECT * FROM '{parquet}'",
        "COPY t TO '{folder}/out.csv'",
        "COPY t TO '{folder}/out.parquet'",
        "COPY u FROM '{csv}'",
        "EXPORT DATABASE '{folder}/out'",
        "IMPORT DATABASE '{folder}'",
        "ATTACH '{folder}/secret.db' AS other",
        "ATTACH '{folder}/new.db' AS other",
        "INSTALL httpfs",
        "LOAD httpfs",
        "LOAD '{folder}/x.duckdb_extension'",
        "SELECT * FROM read_csv('https://example.invalid/x.csv')",
    ],
)
def test_a_statement_that_reaches_outside_is_refused(engine: Engine, secret: Path, sql: str) -> None:
    before = sorted(secret.parent.iterdir())
    query = sql.format(csv=secret, parquet=secret.with_suffix(".parquet"), folder=secret.parent)
    with pytest.raises(duckdb.PermissionException):
        engine.run(query)
    assert sorted(secret.parent.iterdir()) == before


@pytest.mark.parametrize(
    "sql",
    [
        "SET enable_external_access = true",
        "RESET enable_external_access",
        "SET lock_configuration = false",
        "RESET lock_configuration",
        "SET memory_limit = '1GB'",
        "SET GLOBAL threads = 4",
        "SET temp_directory = '/tmp'",
        "SET allowed_directories = ['/tmp']",
        "SET allowed_paths = ['/etc/passwd']",
        "SET autoload_known_extensions = true",
        "SET python_enable_replacements = true",
        "PRAGMA enable_profiling",
        "PRAGMA profile_output = 'x'",
        "CALL enable_logging(storage = 'file', storage_path = '/tmp/log')",
    ],
)
def test_a_setting_cannot_be_changed(engine: Engine, sql: str) -> None:
    with pytest.raises(duckdb.Error) as caught:
        engine.run(sql)
    assert LOCKED in str(caught.value) or "Cannot" in str(caught.value)
    assert engine.arrays("SELECT sum(x) AS s FROM t")["s"].tolist() == [6]


def test_a_python_variable_is_no_table(engine: Engine) -> None:
    hidden = pl.DataFrame({"x": [1]})
    with pytest.raises(duckdb.CatalogException):
        engine.run("SELECT * FROM hidden")
    assert hidden.height == 1


def test_nothing_is_spilled_to_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Engine(threads=1) as opened:
        opened.register("t", pl.DataFrame({"x": range(300_000)}))
        opened.run("CREATE TEMP TABLE s AS SELECT x, x::VARCHAR AS y FROM t ORDER BY y DESC")
        assert opened.count("SELECT count(*) FROM s") == 300_000
    assert list(tmp_path.iterdir()) == []


def test_a_duckdb_that_cannot_be_locked_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LOCKS", ("SET enable_external_access = false",))
    with pytest.raises(MultiverseError) as caught:
        Engine()
    assert str(caught.value) == f"DuckDB {duckdb.__version__} could not be locked down: lock_configuration"


def test_values_come_in_as_frames_and_parameters_and_go_out_as_arrays(engine: Engine) -> None:
    found = engine.arrays("SELECT x, $1 AS s, $2 AS b FROM t WHERE x > $3 ORDER BY x", ["o'brien; --", True, 1])
    assert {name: column.tolist() for name, column in found.items()} == {
        "x": [2, 3],
        "s": ["o'brien; --"] * 2,
        "b": [True, True],
    }
    assert engine.count("SELECT max(x) FROM t") == 3
    assert engine.count("SELECT max(x) FROM t WHERE x > 9") == 0


def test_a_frame_can_take_the_place_of_another(engine: Engine) -> None:
    engine.register("t", pl.DataFrame({"y": ["é", None]}))
    assert engine.count("SELECT count(y) FROM t") == 1


@pytest.mark.parametrize("threads", [1, 3, None])
def test_the_number_of_threads_can_be_asked_for(threads: int | None) -> None:
    with Engine(threads=threads) as opened:
        found = opened.arrays("SELECT value FROM duckdb_settings() WHERE name = 'threads'")["value"].tolist()
    assert threads is None or found == [str(threads)]
