"""Files of TREC, qrels and runs: told apart by their columns, and read with a clear word where a line is not whole."""

import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, TypeAlias, cast

import polars as pl

from multiverse.errors import quoted
from multiverse.importers.sources import WHOLE, refuse

Kind: TypeAlias = Literal["qrels", "run"]
_EXPECTED: dict[Kind, str] = {
    "qrels": "4 columns: topic, iteration, document, relevance",
    "run": "6 columns: topic, Q0, document, rank, score, tag",
}
_WIDTHS: dict[Kind, int] = {"qrels": 4, "run": 6}
_BEIR_HEADER = [b"query-id", b"corpus-id", b"score"]  # of qrels with 3 columns, which have no iteration
_EXPECTED_BEIR = "3 columns, as of BEIR: query-id, corpus-id, score"
_BOM = b"\xef\xbb\xbf"
_BATCH = 200_000  # lines parsed at once
_HIGHEST = 65_535  # relevance: trec_eval keeps a count of each
_MOST_TAGS = 20  # in one file: beyond, the column is no tag of a run
_LONGEST = 65_536  # bytes of a first line


class Qrels(NamedTuple):
    """The judgements of one file."""

    path: Path
    table: pl.DataFrame  # topic, doc, rel: each topic and document once
    revised: int  # judgements that a later line of the file changes
    comments: int


class Run(NamedTuple):
    """The documents that one system retrieved, in the order of the file."""

    path: Path
    tag: str
    table: pl.DataFrame  # topic, doc, rank (null where it is no whole number), score: a record a line
    comments: int


class _Batch(NamedTuple):
    """Lines in a row, by column."""

    path: Path
    numbers: list[int]  # of the lines
    columns: list[list[bytes]]
    comments: int  # lines passed over
    whole: bool  # whether the last line ends as a line does

    def text(self, name: str, column: int) -> pl.Series:
        """A column as text."""
        values = self.columns[column]
        try:
            series = pl.Series(name, values, dtype=pl.Binary).cast(pl.String)
        except pl.exceptions.PolarsError:
            bad = next(i for i, value in enumerate(values) if not _is_utf8(value))
            refuse(self.path, f"line {self.numbers[bad]} is not UTF-8", "UTF-8")
        if series.str.contains("\0", literal=True).any():
            bad = next(i for i, value in enumerate(values) if b"\0" in value)
            refuse(self.path, f"line {self.numbers[bad]} holds a NUL", "UTF-8")
        return series

    def read(self, name: str, column: int, read: Callable[[bytes], float], expected: str) -> list[float]:
        """A column as numbers."""
        values = self.columns[column]
        try:
            return list(map(read, values))
        except ValueError:
            bad = next(i for i, value in enumerate(values) if not _is_read(value, read))
            told = quoted(values[bad].decode("utf-8", "backslashreplace"))
            refuse(self.path, f"line {self.numbers[bad]}: the {name} {told}", expected)


def _grade(text: bytes) -> int:
    grade = int(text)
    if abs(grade) > _HIGHEST:
        raise ValueError
    return grade


def recognises(path: Path) -> bool:
    """Whether a file begins as qrels or a run do."""
    try:
        return _kind(_first_fields(path)) is not None
    except (OSError, EOFError, zlib.error):
        return False


def kind_of(path: Path) -> Kind:
    """What a file is that the user named: by its first line, or by the columns of it where its values do not say."""
    try:
        fields = _first_fields(path)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        refuse(path, f"cannot be decompressed: {error}", WHOLE)
    kind = _kind(fields) or next((kind for kind, width in _WIDTHS.items() if width == len(fields)), None)
    if kind is None:
        found = f"a first line of {len(fields)} columns" if fields else "no line"
        refuse(path, found, "qrels or a run: " + "; or ".join(_EXPECTED.values()))
    return kind


def _first_fields(path: Path) -> list[bytes]:
    """The columns of the first line that is not empty and no comment."""
    with _opened(path) as file:
        while line := file.readline(_LONGEST):
            if fields := [] if line.startswith(b"#") else line.removeprefix(_BOM).split():
                return fields
    return []


def _kind(fields: Sequence[bytes]) -> Kind | None:
    match fields:
        case [_, b"Q0" | b"q0", _, _, score, _] if _is_read(score, float):
            return "run"
        case [_, _, _, rank, score, _] if rank.isdigit() and _is_read(score, float):
            return "run"
        case [_, iteration, _, relevance] if iteration in (b"Q0", b"q0") or iteration.isdigit():
            return "qrels" if _is_read(relevance, float) else None
        case _:
            return "qrels" if fields == _BEIR_HEADER else None


def read_qrels(path: Path) -> Qrels:
    """The judgements of a file; of a topic and document judged twice the last line counts, as in ir_measures."""
    beir = _first_fields(path) == _BEIR_HEADER
    parts = []
    comments = 0
    for batch in _batches(path, "qrels", 3 if beir else 4):
        comments += batch.comments
        rel = batch.read("relevance", -1, _grade, f"a whole number of at most {_HIGHEST:,}")
        columns = [batch.text("topic", 0), batch.text("doc", -2), pl.Series("rel", rel, dtype=pl.Int64)]
        parts.append(pl.DataFrame(columns))
    if not parts:
        refuse(path, "no judgement", _EXPECTED["qrels"])
    lines = pl.concat(parts)
    table = lines.unique(["topic", "doc"], keep="last", maintain_order=True)
    return Qrels(path, table, lines.unique().height - table.height, comments)


def read_runs(path: Path) -> list[Run]:
    """The runs of a file, one a tag."""
    parts: dict[str, list[pl.DataFrame]] = {}
    comments = 0
    last: _Batch | None = None
    for last in _batches(path, "run", 6):
        comments += last.comments
        for (tag,), part in _run_table(last).partition_by("tag", as_dict=True, include_key=False).items():
            parts.setdefault(tag, []).append(part)
        if len(parts) > _MOST_TAGS:
            refuse(path, f"more than {_MOST_TAGS} tags in column 6", "the tag of the run, the same in every line")
    if last is None:
        refuse(path, "no line", _EXPECTED["run"])
    _check_last_tag(last, {tag: sum(part.height for part in found) for tag, found in parts.items()})
    return [Run(path, tag, pl.concat(found, rechunk=False), comments) for tag, found in parts.items()]


def _run_table(batch: _Batch) -> pl.DataFrame:
    rank = batch.text("rank", 3).cast(pl.Int32, strict=False)
    score = pl.Series("score", batch.read("score", 4, float, "a number"), dtype=pl.Float64)
    return pl.DataFrame([batch.text("topic", 0), batch.text("doc", 2), rank, score, batch.text("tag", 5)])


def _check_last_tag(last: _Batch, lines: dict[str, int]) -> None:
    """A tag that the last line alone has and another one begins with was cut short."""
    tag = last.columns[5][-1].decode()
    if not last.whole and lines[tag] == 1 and any(other != tag and other.startswith(tag) for other in lines):
        refuse(last.path, f"line {last.numbers[-1]} ends in the tag {quoted(tag)}", WHOLE)


def _batches(path: Path, kind: Kind, width: int) -> Iterator[_Batch]:
    """The lines of a file, some at a time; empty ones and comments (`#`, as in trec_eval 10) are passed over."""
    fields: list[bytes] = []
    numbers: list[int] = []
    comments, line = 0, b""
    for number, line in _numbered(path):
        columns = line.split()
        if line.startswith(b"#"):
            comments += 1
        elif columns == _BEIR_HEADER and width == len(_BEIR_HEADER):
            continue
        elif len(columns) == width:
            fields += columns
            numbers.append(number)
        elif columns:
            expected = _EXPECTED[kind] if width != len(_BEIR_HEADER) else _EXPECTED_BEIR
            cut = "" if line.endswith(b"\n") else "; the file may have been cut short"
            refuse(path, f"line {number} has {len(columns)} columns", expected + cut)
        if len(numbers) == _BATCH:
            yield _Batch(path, numbers, [fields[i::width] for i in range(width)], comments, line.endswith(b"\n"))
            fields, numbers, comments = [], [], 0
    if numbers:
        yield _Batch(path, numbers, [fields[i::width] for i in range(width)], comments, line.endswith(b"\n"))


def _numbered(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with _opened(path) as file:
            for number, line in enumerate(file, 1):
                yield number, line.removeprefix(_BOM) if number == 1 else line
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        refuse(path, f"cannot be decompressed: {error}", WHOLE)


def _opened(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_read(text: bytes, read: Callable[[bytes], float]) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True
