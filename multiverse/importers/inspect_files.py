"""The files of Inspect logs: a zip of JSON files (.eval) or one JSON file, header first, then samples one by one."""

import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from multiverse.errors import quoted
from multiverse.importers.sources import parse_document, read_object, refuse, starts_with

if sys.version_info >= (3, 14):
    import zipfile

    from compression.zstd import ZstdError
else:
    from backports.zstd import ZstdError, zipfile

_DAMAGED = "a whole zip file: it may have been cut short"


class LogFile(NamedTuple):
    """One log: its header, and how many of its entries were written over by later ones."""

    path: Path
    header: dict[str, Any]
    written_over: int


def is_log(path: Path) -> bool:
    """Whether a file is an Inspect log."""
    if path.suffix == ".eval":
        return True
    return path.suffix == ".json" and starts_with(path, '"version"', '"eval"', '"run_id"')


def open_log(path: Path) -> LogFile:
    """The header of a log."""
    if not zipfile.is_zipfile(path) and path.suffix != ".eval":
        content = read_object(path)
        content.pop("samples", None)
        return LogFile(path, _checked(path, content), 0)
    with _archive(path) as archive:
        names = archive.namelist()
        if "header.json" in names:
            header = _member(path, archive, "header.json")
        elif "_journal/start.json" in names:  # a run that did not end writes no header
            header = {"status": "started", "results": None} | _member(path, archive, "_journal/start.json")
        else:
            refuse(path, "a zip file without header.json", "an Inspect log")
        return LogFile(path, _checked(path, header), len(names) - len(set(names)))


def read_samples(path: Path) -> Iterator[dict[str, Any]]:
    """Every sample of a log; of an entry written twice the last, as Inspect reads it."""
    if not zipfile.is_zipfile(path):
        yield from _objects(path, read_object(path).get("samples") or [])
        return
    with _archive(path) as archive:
        for name in dict.fromkeys(archive.namelist()):
            if name.startswith("samples/") and name.endswith(".json"):
                yield from _objects(path, [_member(path, archive, name)])


def _checked(path: Path, header: object) -> dict[str, Any]:
    if not isinstance(header, dict) or not isinstance(header.get("eval"), dict):
        refuse(path, "no key 'eval' in the header", "an Inspect log")
    version = header.get("version", 2)
    if version not in (1, 2):
        refuse(path, f"log version {version}", "version 2 of the log format (Inspect 0.3)")
    return header


def _objects(path: Path, samples: object) -> Iterator[dict[str, Any]]:
    for sample in samples if isinstance(samples, list) else [samples]:
        if not isinstance(sample, dict) or "id" not in sample:
            refuse(path, "a sample without an id", "an Inspect log")
        yield sample


def _archive(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        refuse(path, f"no zip file that can be read: {error}", _DAMAGED)


def _member(path: Path, archive: zipfile.ZipFile, name: str) -> Any:  # noqa: ANN401 (JSON is anything)
    where = f"{path} ({name})"
    try:
        content = archive.read(name)
    except NotImplementedError:
        method = archive.getinfo(name).compress_type
        refuse(where, f"zip method {method}, which is not known", "stored, deflated (8) or zstd (93)")
    except RuntimeError:
        refuse(where, "encrypted", "a log without a password")
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, ZstdError) as error:
        refuse(where, f"damaged: {quoted(str(error) or type(error).__name__)}", _DAMAGED)
    return parse_document(where, content)
