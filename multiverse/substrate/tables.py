"""Tables from the files that hold them: a file, the matches of a glob, or a folder of Parquet parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from multiverse.errors import Fault, quoted
from multiverse.exact import parse_exact, shortest_decimal
from multiverse.predicates import ColumnKind
from multiverse.substrate.formats import FORMATS, Part, TableError, TableRequest, read_part, whole_doubles

_WHOLE = r"^-?(0|[1-9][0-9]*)$"
_NUMBER = r"^[+-]?(0|[1-9][0-9]*)?(\.[0-9]*)?([eE][+-]?[0-9]+)?$"
_FAITHFUL = 15  # a decimal of so many characters, without an exponent, is the shortest of its double


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """One table as read: the wanted columns that are there, and the names of all columns."""

    name: str
    shown: str  # the declared path, for messages
    frame: pl.DataFrame
    columns: tuple[str, ...]
    files: tuple[tuple[str, int], ...] = ()  # where there are several: each file and how many records it holds

    def kind(self, column: str) -> ColumnKind:
        """What a column that was read holds; "null" where it holds nothing else."""
        series = self.frame[column]
        return "null" if series.null_count() == len(series) else dtype_kind(series.dtype)

    def file_of(self, record: int) -> str:
        """The file that holds a record."""
        for file, count in self.files:
            if record < count:
                return file
            record -= count
        return self.shown


def dtype_kind(dtype: pl.DataType) -> ColumnKind:
    """The kind of values a Polars type holds."""
    if dtype == pl.Boolean:
        return "boolean"
    if dtype.is_integer() and dtype not in (pl.Int128, pl.UInt128):
        return "integer"
    if dtype.is_float() or dtype == pl.Decimal:
        return "number"
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        return "text"
    return "null" if dtype == pl.Null else "other"


def uncategorical(column: pl.Series) -> pl.Series:
    """Text ids, which are read as categories, as text."""
    return column.cast(pl.String) if column.dtype == pl.Categorical else column


def read_table(folder: Path, request: TableRequest, faults: list[Fault]) -> Table | None:
    """One table of a study; None, with faults, where it cannot be read."""
    paths = part_paths(folder, request, faults)
    parts = []
    for path in paths:
        try:
            parts.append(read_part(path, request))
        except (TableError, OSError, pl.exceptions.PolarsError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            faults.append(
                Fault(where=f"{request.name} ({path})", found=f"cannot be read: {reason}", expected="a whole table")
            )
    if not parts or len(parts) < len(paths):
        return None
    frame = _stacked(paths, parts, request, faults)
    if frame is None:
        return None
    columns = tuple(dict.fromkeys(column for part in parts for column in part.columns))
    if not columns:
        faults.append(Fault(where=f"{request.name} ({request.path})", found="no column", expected="a whole table"))
        return None
    files = [(str(path), part.frame.height) for path, part in zip(paths, parts, strict=True)] if len(parts) > 1 else []
    return Table(name=request.name, shown=request.path, frame=frame, columns=columns, files=tuple(files))


def part_paths(folder: Path, request: TableRequest, faults: list[Fault]) -> tuple[Path, ...]:
    """The files of a table, sorted: the path itself, the matches of a glob, or a folder's Parquet parts."""
    path = folder / request.path
    where = f"{request.name} ({request.path})"
    expected = "a file, a glob that matches files, or a folder of Parquet parts"
    try:
        is_folder = path.is_dir()
        paths = _folder_parts(path) if is_folder else [path] if path.is_file() else _matches(folder, request.path)
    except (OSError, ValueError, NotImplementedError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        faults.append(Fault(where=where, found=f"cannot be looked up: {reason}", expected=expected))
        return ()
    if not paths:
        found = "no Parquet file in the folder" if is_folder else f"no file at {path}"
        faults.append(
            Fault(where=where, found=found, expected="a folder that holds .parquet files" if is_folder else expected)
        )
    endings = sorted({found.suffix.lower() for found in paths})
    if any(ending not in FORMATS for ending in endings) or len(endings) > 1:
        found = f"files ending in {', '.join(quoted(ending) for ending in endings)}"
        faults.append(Fault(where=where, found=found, expected=f"one of {', '.join(FORMATS)}"))
        return ()
    return tuple(paths)


def _folder_parts(folder: Path) -> list[Path]:
    return sorted(found for found in folder.rglob("*.parquet") if found.is_file())


def _matches(folder: Path, pattern: str) -> list[Path]:
    if not any(sign in pattern for sign in "*?["):
        return []
    start, rest = (Path(Path(pattern).anchor), pattern[1:]) if Path(pattern).is_absolute() else (folder, pattern)
    ups = 0
    while rest.startswith("../"):
        ups, rest = ups + 1, rest[3:]
    return sorted(found for found in start.joinpath(*[".."] * ups).glob(rest) if found.is_file())


def _stacked(
    paths: Sequence[Path], parts: Sequence[Part], request: TableRequest, faults: list[Fault]
) -> pl.DataFrame | None:
    """The parts as one frame; parts that disagree on columns or types are a fault."""
    before = len(faults)
    form = FORMATS[paths[0].suffix.lower()]
    frames = [part.frame for part in parts]
    for name in dict.fromkeys(column for frame in frames for column in frame.columns):
        holding = [i for i, frame in enumerate(frames) if name in frame.columns]
        lacking = sorted({*range(len(frames))} - {*holding})
        if lacking and form != "jsonl":  # where a key that a line lacks is null
            found = f"column {quoted(name)} is not here, but in {paths[holding[0]]}"
            faults.append(_part_fault(request, paths, lacking, found, "it in all parts or none"))
            continue
        columns = [frames[i][name] for i in holding]
        first = next((i for i in holding if frames[i][name].dtype != pl.Null), holding[0])
        unified = _unified(columns, form)
        if unified is None:
            here = [i for i in holding if frames[i][name].dtype not in (pl.Null, frames[first][name].dtype)]
            there = f"{frames[first][name].dtype} in {paths[first]}"
            found = f"column {quoted(name)} holds {frames[here[0]][name].dtype} here, {there}"
            faults.append(_part_fault(request, paths, here, found, "one type in all parts"))
            continue
        for i, column in zip(holding, unified, strict=True):
            frames[i] = frames[i].with_columns(column)
    if len(faults) > before:
        return None
    frame = frames[0] if len(frames) == 1 else pl.concat(frames, how="diagonal_relaxed")
    return _inferred(frame, request) if form == "csv" else frame


def _part_fault(request: TableRequest, paths: Sequence[Path], wrong: Sequence[int], found: str, expected: str) -> Fault:
    more = f" ({len(wrong) - 1} more)" if len(wrong) > 1 else ""
    return Fault(where=f"{request.name} ({paths[wrong[0]]})", found=found + more, expected=expected)


def _unified(columns: Sequence[pl.Series], form: str) -> Sequence[pl.Series] | None:
    """The parts of a column as one type; None where they hold two, whole numbers of any width being one."""
    types = {column.dtype for column in columns} - {pl.Null}
    if len(types) <= 1:
        return columns
    try:
        if all(dtype.is_integer() for dtype in types):
            return [column.cast(pl.Int64) for column in columns]
        if form == "jsonl" and types == {pl.Int64, pl.Float64}:  # as in one file
            return [whole_doubles(column) if column.dtype == pl.Int64 else column for column in columns]
    except (OverflowError, pl.exceptions.PolarsError):
        return None
    return None


def _inferred(frame: pl.DataFrame, request: TableRequest) -> pl.DataFrame:
    """Text columns as booleans, whole numbers or numbers where every value is one; ids stay text."""
    ids = [pl.col(name).cast(pl.Categorical) for name in frame.columns if name in request.ids]
    inferred = [_inferred_column(frame[n], exact=n in request.exact) for n in frame.columns if n not in request.ids]
    return frame.with_columns([*ids, *inferred])


def _inferred_column(column: pl.Series, *, exact: bool) -> pl.Series:
    values = column.drop_nulls()
    if values.is_empty():
        return column
    lowered = values.str.to_lowercase()
    if lowered.is_in(["true", "false"]).all():
        return (column.str.to_lowercase() == "true").alias(column.name)
    if values.str.contains(_WHOLE).all():
        whole = column.cast(pl.Int64, strict=False)
        return whole if whole.null_count() == column.null_count() else column
    if (values.str.contains(_NUMBER) & values.str.contains("[0-9]")).all():
        number = column.cast(pl.Float64, strict=False)
        held = number.null_count() == column.null_count() and number.is_finite().all()
        return number if held and not (exact and _rounded(values)) else column
    return column


def _rounded(values: pl.Series) -> bool:
    """Whether the nearest double of some decimal is read as another number than the decimal itself."""
    doubtful = values.filter((values.str.len_bytes() > _FAITHFUL) | values.str.contains("[eE]")).unique().to_list()
    return any(parse_exact(text) != shortest_decimal(float(text)) for text in doubtful)
