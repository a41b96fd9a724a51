"""What the product asks of git: the state of a work tree, what a commit holds, and the raw objects that show it.

git is not taken at its word. Settings, attributes, index flags and replaced objects can make it say that a file is what
the commit holds when it is not, so bytes are hashed to the id that git would give them, as is every object it gives.
Ancestry is read from the commits themselves. Dates are claims and are not looked at.
"""

from multiverse.repository.committed import CommittedPath, CommittedPaths, committed_paths
from multiverse.repository.objects import Held, is_ancestor, lock_objects
from multiverse.repository.state import GitState, find_repository, git_state

__all__ = [
    "CommittedPath",
    "CommittedPaths",
    "GitState",
    "Held",
    "committed_paths",
    "find_repository",
    "git_state",
    "is_ancestor",
    "lock_objects",
]
