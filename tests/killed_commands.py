"""Commands to be killed: for each line on stdin a child of this process, which has imported everything already.

A line is `COMMAND OPERATIONS`: the child runs the command in the working directory and kills itself before operation
number OPERATIONS on a file, counted from 1 and without reading; 0: it runs until it ends, or is killed from outside.
Its process id goes to stdout, then how it ended.
"""

import os
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

from multiverse.archives import archive
from multiverse.declaration import read_declaration
from multiverse.receipts.environment import runtime
from multiverse.receipts.freezing import amend, correct, freeze
from multiverse.runs import run

FOLDER = Path("specs/small")
OPERATIONS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
COMMANDS: dict[str, Callable[[], object]] = {
    "freeze": lambda: freeze(read_declaration(FOLDER)),
    "amend": lambda: amend(read_declaration(FOLDER), reason="another"),
    "audit": lambda: run("small", family="audit"),
    "archive": lambda: archive("small", Path("small.zip")),
    "correct": lambda: correct("small", number=1, addendum=Path("note.md"), reason="why"),
}


def die_before(operations: int) -> None:
    """Kill this process before the given one of its operations on files."""
    done = count(1)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event not in OPERATIONS or (event == "open" and not int(str(arguments[2])) & WRITING):
            return
        if next(done) == operations:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def tell(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


def main() -> None:
    runtime()  # what it finds is kept: children need not look again
    for line in sys.stdin:
        command, operations = line.split()
        child = os.fork()
        if not child:
            if int(operations):
                die_before(int(operations))
            code = 1
            try:
                COMMANDS[command]()
                code = 0
            finally:
                os._exit(code)
        tell(child)
        _, status = os.waitpid(child, 0)
        tell(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
