"""The raw git objects that show what the receipts of a chain say of commits."""

from pathlib import Path

from multiverse.errors import Fault, InputError
from multiverse.receipts.chain import Chain
from multiverse.repository import Held, find_repository, lock_objects
from multiverse.verify import Receipt


def git_objects(chain: Chain, folder: Path) -> dict[str, bytes]:
    """The commits and trees that hold the frozen spec files and the freeze receipts, and what lies between them.

    `folder` is one of the repository. Raises InputError where an object is missing, or a freeze is no ancestor of its
    run; empty where no receipt speaks of a commit.
    """
    objects: dict[str, bytes] = {}
    top = find_repository(folder)
    freezes = {freeze.digest: freeze for freeze in chain.freezes}
    for receipt in (*chain.freezes, *chain.of_kind("run")):
        held = _held(receipt)
        if held is None:
            continue
        if top is None:
            expected = "the repository that was there at the freeze"
            raise InputError([Fault(where=str(folder), found="in no git repository", expected=expected)])
        freeze = freezes[receipt.predicate["freeze"]] if receipt.kind == "run" else receipt
        objects |= lock_objects(top, first=_held(freeze) or held, later=held)
    return objects


def _held(receipt: Receipt) -> Held | None:
    git = receipt.predicate["git"]
    return Held(git["commit"], [one["path"] for one in git["paths"]]) if git and git["paths"] else None
