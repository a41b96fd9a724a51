"""Tiny studies of both kinds, to change one thing in, and what an audit finds wrong with them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any, Literal, TypeAlias

import polars as pl

from multiverse.audit import audit
from multiverse.errors import InputError

Dtype: TypeAlias = pl.DataType | type[pl.DataType]
Content: TypeAlias = str | bytes | pl.DataFrame | Sequence[Mapping[str, Any]]  # a CSV, Parquet or JSON Lines file

TABLES: Mapping[str, Mapping[str, str]] = {
    "hypotheses": {
        "rows": "row_id,cluster_id,stratum\nr1,c1,s1\nr2,c2,s2\n",
        "objects": "row_id,group_id,object_id,adopted,lag\nr1,g1,o1,true,1\nr1,g2,o2,false,\nr2,g1,o1,true,3\n",
        "predictions": "row_id,method,hypothesis_id,object_id,status\nr1,a,h1,o1,\nr1,b,,,\nr2,a,h1,o2,\nr2,b,h1,o1,\n",
    },
    "scores": {
        "rows": "row_id,cluster_id,stratum,adopted\nr1,c1,s1,true\nr2,c2,s2,false\n",
        "outcomes": "row_id,method,status,score\nr1,a,,1\nr1,b,,0.5\nr2,a,,0\nr2,b,error,\n",
    },
}
FILES: Mapping[str, str] = {
    "contracts": """\
        coordinate: contract
        predicates: {adopted: {column: adopted, equals: true}}
        factors: {A: {"0": [], "1": [adopted]}}
        """,
    "dispositions": """\
        coordinate: disposition
        options:
          - id: base
            legal_present: {answered: match, empty: 0, error: 0}
            legal_empty: {answered: 0, empty: 1, error: 0}
        """,
    "families": """\
        families: {audit: {}}
        """,
}


def write_small(
    folder: Path,
    kind: Literal["hypotheses", "scores"] = "hypotheses",
    *,
    study: str = "",
    files: Mapping[str, str] | None = None,
    **tables: Content | None,
) -> Path:
    """The small study of a kind: lines added to study.yaml, other files by their stems, and tables replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, content in {**TABLES[kind], **tables}.items():
        paths.append(f"{name}: {name}{ending(content)}")
        if content is not None:
            write_table(folder / f"{name}{ending(content)}", content)
    substrate = f"study: small\nsubstrate: {{kind: {kind}, {', '.join(paths)}}}\n"
    (folder / "study.yaml").write_text(study if "substrate:" in study else substrate + study, encoding="utf-8")
    for stem, text in {**FILES, **(files or {})}.items():
        (folder / f"{stem}.yaml").write_text(dedent(text), encoding="utf-8")
    return folder


def ending(content: Content | None) -> str:
    """The ending of the file that a table is written to."""
    return ".parquet" if isinstance(content, pl.DataFrame) else ".csv" if isinstance(content, str | bytes) else ".jsonl"


def write_table(path: Path, content: Content) -> None:
    """Text and bytes as they are, a frame as Parquet, records as JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, pl.DataFrame):
        content.write_parquet(path)
    elif isinstance(content, str | bytes):
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    else:
        path.write_text("".join(json.dumps(record) + "\n" for record in content), encoding="utf-8")


def audit_faults(folder: Path, family: str = "audit") -> list[str]:
    """What an audit finds wrong with a study, the folder cut off its places."""
    try:
        audit(folder, family=family)
    except InputError as error:
        return [str(fault).replace(f"{folder}/", "") for fault in error.faults]
    return []
