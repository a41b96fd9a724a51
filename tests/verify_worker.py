"""Runs the verifier on many changed archives in one process: python verify_worker.py VERIFIER JOBS, for any Python.

JOBS is a JSON file: `folder` and `zip` of a good archive, and `tasks`. A task is a list of edits: of the folder,
where an edit is [path, hex or null], or of the zip, where it is [start, end, hex]. The answers go to stdout: for each
task, the exit code and the first line, or null and what was raised.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from types import ModuleType


def load(path: str) -> ModuleType:
    """The verifier as a module, without writing any bytecode."""
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("verify", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["verify"] = module
    spec.loader.exec_module(module)
    return module


def verdict(verify: ModuleType, path: str) -> list[int | str | None]:
    """What the verifier says of a path: its whole output is made, so that a crash in it is seen."""
    try:
        findings = verify.verify(path)
        lines = list(verify.lines(findings, path))
        "\n".join(lines).encode("ascii")
    except Exception as error:  # noqa: BLE001 -- a crash of any kind is what is looked for
        return [None, repr(error)]
    return [findings.exit_code, lines[0]]


def write(path: str, content: bytes | None) -> None:
    """Write a file, or remove it where there is no content."""
    if content is None:
        if os.path.exists(path):
            os.remove(path)
        return
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        os.makedirs(folder)
    with open(path, "wb") as file:
        file.write(content)


def read(path: str) -> bytes | None:
    """The bytes of a file, or None where there is none."""
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read()


def folder_task(verify: ModuleType, folder: str, edits: list[tuple[str, str | None]]) -> list[int | str | None]:
    """The verdict on the folder with files changed, which are put back."""
    kept: dict[str, bytes | None] = {}
    for path, new in edits:
        place = os.path.join(folder, path)
        kept.setdefault(place, read(place))
        write(place, None if new is None else bytes.fromhex(new))
    made = [place for place, content in kept.items() if content is None]
    found = verdict(verify, folder)
    for place, content in kept.items():
        write(place, content)
    for place in made:
        parent = os.path.dirname(place)
        while not os.listdir(parent):
            os.rmdir(parent)
            parent = os.path.dirname(parent)
    return found


def zip_task(verify: ModuleType, path: str, good: bytes, edits: list[tuple[int, int, str]]) -> list[int | str | None]:
    """The verdict on the zip with bytes changed."""
    content = good
    for start, end, new in edits:
        content = content[:start] + bytes.fromhex(new) + content[end:]
    write(path, content)
    return verdict(verify, path)


def main(verifier: str, jobs: str) -> None:
    """Do every task and print the answers."""
    verify = load(verifier)
    with open(jobs) as file:
        job = json.load(file)
    good = read(job["zip"]) or b""
    found = []
    for edits in job["tasks"]:
        if edits and len(edits[0]) == 3:
            found.append(zip_task(verify, job["zip"] + ".changed", good, edits))
        else:
            found.append(folder_task(verify, job["folder"], edits))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
