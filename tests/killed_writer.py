"""Writers to be killed: for each line on stdin a child of this process, which has imported everything already.

A line is `VERSION OPERATIONS`: the child writes VERSION, VERSION + 1, ... into the folder, and kills itself before file
operation number OPERATIONS, counted from 1; 0: it waits to be killed. Its process id goes to stdout, and how it ended.
"""

import os
import signal
import sys
from itertools import count
from pathlib import Path

import polars as pl

from multiverse.output import write_audit, write_pages

PAGES = ("figures/curve.svg", "report.md", "report.html")
OPERATIONS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir"}


def record(version: int) -> bytes:
    named = '"study": "s", "family": "f", "status": "exploratory"'
    return f'{{"schema": "multiverse.record/1", {named}, "version": {version}}}\n'.encode()


def tables(version: int) -> dict[str, pl.DataFrame]:
    """Odd versions have a table more: what stays of one is seen in the next."""
    frame = pl.DataFrame({"version": [version]})
    return {"levels": frame} | ({"margins": frame} if version % 2 else {})


def write(out: Path, version: int) -> None:
    write_audit(out, record(version), tables(version), f"{version}\n")
    write_pages(out, record(version), dict.fromkeys(PAGES, f"{version}\n".encode()))


def die_before(operations: int) -> None:
    """Kill this process before the given one of its file operations."""
    done = count(1)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event in OPERATIONS and next(done) == operations:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def tell(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


def main(out: Path) -> None:
    for line in sys.stdin:
        version, operations = map(int, line.split())
        child = os.fork()
        if not child:
            if operations:
                die_before(operations)
            for one in range(version, version + 1000):  # an end, should nobody be left to kill it
                write(out, one)
            os._exit(0)
        tell(child)
        _, status = os.waitpid(child, 0)
        tell(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
