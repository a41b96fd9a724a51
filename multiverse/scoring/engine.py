"""One locked-down DuckDB connection over registered frames: a query reaches no file, no network and no setting."""

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray

from multiverse.errors import MultiverseError

Arrays = dict[str, NDArray[Any]]
Parameters = Sequence[bool | int | float | str]

# Given at connection: harmless in any order. What locks comes after, in this order (THREATS part 4, rows 188 and 195).
_CONFIG: dict[str, str | bool] = {
    "temp_directory": "",
    "max_temp_directory_size": "0KiB",
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
    "preserve_insertion_order": False,
}
_LOCKS = ("SET enable_external_access = false", "SET lock_configuration = true")
_LOCKED = {
    "temp_directory": "",
    "max_temp_directory_size": "0 bytes",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "enable_external_access": "false",
    "lock_configuration": "true",
}


class _Stream:
    """A frame as an Arrow stream, which DuckDB reads without a copy and without pyarrow."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._frame.__arrow_c_stream__(requested_schema)


class Engine:
    """A DuckDB connection: queries are this package's own text, the user's values come in as frames and parameters."""

    def __init__(self, *, threads: int | None = None) -> None:
        config = _CONFIG if threads is None else _CONFIG | {"threads": threads}
        self._connection = duckdb.connect(config=config)  # type: ignore[arg-type]
        for lock in _LOCKS:
            self._connection.execute(lock)
        settings = dict(self._connection.execute("SELECT name, value FROM duckdb_settings()").fetchall())
        open_settings = [name for name, value in _LOCKED.items() if settings.get(name) != value]
        if open_settings:
            raise MultiverseError(f"DuckDB {duckdb.__version__} could not be locked down: {', '.join(open_settings)}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def register(self, name: str, frame: pl.DataFrame) -> None:
        """Make a frame readable under a name; its columns are names of our own."""
        self._connection.register(name, _Stream(frame))

    def run(self, sql: str, parameters: Parameters = ()) -> None:
        """Run one statement."""
        self._execute(sql, parameters)

    def arrays(self, sql: str, parameters: Parameters = ()) -> Arrays:
        """The columns of a query's result, none of which holds a null."""
        return {name: np.asarray(column) for name, column in self._execute(sql, parameters).fetchnumpy().items()}

    def count(self, sql: str) -> int:
        """The single integer a query gives."""
        rows = self._execute(sql).fetchall()
        return int(rows[0][0]) if rows and rows[0][0] is not None else 0

    def _execute(self, sql: str, parameters: Parameters = ()) -> duckdb.DuckDBPyConnection:
        try:
            return self._connection.execute(sql, list(parameters))
        except RuntimeError as error:
            if "interrupted" in str(error).lower():
                raise KeyboardInterrupt from error
            raise
        except duckdb.OutOfMemoryException as error:
            raise MultiverseError(f"DuckDB ran out of memory: {str(error).splitlines()[0]}") from error
