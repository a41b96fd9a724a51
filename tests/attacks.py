"""A good archive of a real study, and the tools of a forger: change files, and seal again what stands above them."""

import atexit
import contextlib
import copy
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from frozen import FAMILIES, FOLDER, GO, STUDY, TABLES, amended, frozen, write_explained
from multiverse.archives import archive
from multiverse.receipts.freezing import correct, freeze
from multiverse.runs import judge, run
from repositories import commit, new_repository

VERIFIER = Path(__file__).resolve().parent.parent / "receipts" / "verify.py"
MANIFEST, TAG_MANIFEST = "MANIFEST.json", "tagmanifest-sha256.txt"
MADE = (MANIFEST, TAG_MANIFEST, "manifest-sha256.txt", "bag-info.txt")  # from the other files
FREEZE, GATE, RUN, CORRECTION = (
    f"data/receipts/{name}.json" for name in ("0001-freeze", "0002-gate", "0003-run", "0004-correction")
)
RECORD, REPORT = "data/results/audit/record.json", "data/results/audit/report.txt"

NEST = "nested"  # stands for lists in lists, deeper than a writer of JSON goes
Json: TypeAlias = Any  # a parsed document
Files = dict[str, bytes]
Change = Callable[[Json], object]  # in place


class Good(NamedTuple):
    """A study that was frozen, gated, audited, corrected and archived, in its repository."""

    repository: Path
    zip: Path
    files: Files  # of the archive, by path
    archive: str  # what --expect-archive wants
    head: str  # what --expect-head wants


@cache
def good() -> Good:
    """The good archive: C1 holds the spec files, the freeze names C1, C2 holds the receipt, the run names C2."""
    folder = Path(tempfile.mkdtemp(prefix="attacks-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with contextlib.chdir(new_repository(folder / "repository")):
        declaration = write_explained(study=STUDY + GO)
        commit(Path())
        freeze(declaration, data_stage="before_analysis", outcome_custody="operator")
        commit(Path())
        judge(FOLDER)
        run(FOLDER, family="audit")
        Path("fix.md").write_text("The second row is of cluster c2.\n", encoding="utf-8")
        correct("small", number=3, addendum=Path("fix.md"), reason="a slip", original="results/audit/report.txt")
        made = archive(FOLDER, folder / "good.zip")
    with zipfile.ZipFile(made.path) as held:
        files = {name: held.read(name) for name in held.namelist()}
    return Good(folder / "repository", made.path, files, made.archive, made.head)


class Amended(NamedTuple):
    """The archive of a study that was amended, and a file of its first run, which the archive withholds."""

    files: Files
    withheld: bytes  # results/audit/report.txt


_WHERE = "{family_nonempty: {factor: A, from: 0, to: 1}}"
_GATES = (("enough", 1), ("many", 2), ("many", 1))  # the first two are frozen, the last one takes their place


@cache
def amended_archive() -> Amended:
    """Frozen, audited, then amended: other rows, a gate lowered and another dropped, a family left out."""
    folder = Path(tempfile.mkdtemp(prefix="attacks-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    gates = [f"{{id: {name}, where: {_WHERE}, count: rows, at_least: {count}}}" for name, count in _GATES]
    before, after = (f"gates: [{', '.join(held)}]\n" for held in (gates[:2], gates[2:]))
    rows = str(TABLES["rows"]).replace("c2", "c3")
    with contextlib.chdir(folder):
        frozen(study=STUDY + before)
        run(FOLDER, family="audit")
        judge(FOLDER)
        families = FAMILIES.replace(", base: {contract: [A0]}", "")
        amended("a  gate\nthat can pass", study=STUDY + after, files={"families": families}, tables={"rows": rows})
        run(FOLDER, family="audit")
        judge(FOLDER)
        made = archive(FOLDER, folder / "amended.zip")
        withheld = Path("results/small/audit/report.txt").read_bytes()
    with zipfile.ZipFile(made.path) as held:
        return Amended({name: held.read(name) for name in held.namelist()}, withheld)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def canonical(value: object) -> bytes:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.replace(f'"{NEST}"', "[" * 3_000 + "]" * 3_000).encode("utf-8", "surrogatepass")


# ------------------------------------------------------------------------------------------------------------- writing


def write_folder(files: Mapping[str, bytes], folder: Path) -> Path:
    """The files of an archive, unpacked."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def zip_entry(name: str, mode: int = 0o100644) -> zipfile.ZipInfo:
    """An entry in the one form that an archive has."""
    entry = zipfile.ZipInfo(name)
    entry.create_system, entry.external_attr = 3, mode << 16
    return entry


def zip_bytes(files: Iterable[tuple[zipfile.ZipInfo | str, bytes]]) -> bytes:
    """A stored zip of entries in the order given, by the standard library's writer."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as target:
        for entry, content in files:
            target.writestr(zip_entry(entry) if isinstance(entry, str) else entry, content)
    return written.getvalue()


def write_zip(files: Mapping[str, bytes], path: Path) -> Path:
    """The files of an archive, as the one zip."""
    path.write_bytes(zip_bytes(sorted(files.items())))
    return path


# ------------------------------------------------------------------------------------------------------------- sealing


def listed(files: Mapping[str, bytes]) -> list[Json]:
    return [{"path": path, "sha256": sha256(files[path]), "size": len(files[path])} for path in sorted(files)]


def bag(manifest: Mapping[str, Json], manifest_bytes: bytes) -> Files:
    """MANIFEST.json, and the files that BagIt derives from it, as far as it can be read."""
    files = manifest.get("files")
    sound = [one for one in files if isinstance(one, dict)] if isinstance(files, list) else []
    rows = {str(one.get("path")): str(one.get("sha256")) for one in sound} | {MANIFEST: sha256(manifest_bytes)}
    tags = [f"{rows[path]}  {path}\n" for path in sorted(rows) if not path.startswith("data/")]
    return {MANIFEST: manifest_bytes, TAG_MANIFEST: "".join(tags).encode("utf-8", "surrogatepass")}


def sealed(files: Mapping[str, bytes], *, late: Change = lambda manifest: None, head: str | None = None) -> Files:
    """The files with manifests made anew, as a forger does who leaves the receipts alone.

    `late` changes MANIFEST.json after all else in it is right; `head` is the digest of the last receipt.
    """
    rest = {path: content for path, content in files.items() if path not in MADE}
    payload = {path: content for path, content in rest.items() if path.startswith("data/")}
    size = sum(map(len, payload.values()))
    rest["bag-info.txt"] = f"Bag-Software-Agent: multiverse\nPayload-Oxum: {size}.{len(payload)}\n".encode()
    rows = "".join(f"{sha256(payload[path])}  {path}\n" for path in sorted(payload))
    rest["manifest-sha256.txt"] = rows.encode()
    manifest = json.loads(good().files[MANIFEST]) | {"files": listed(rest)}
    receipts = sorted(path for path in rest if path.startswith("data/receipts/") and path.endswith(".json"))
    manifest["chain"] |= {"head": sha256(rest[receipts[-1]]), "length": len(receipts)} if receipts else {}
    manifest["chain"] |= {"head": head} if head else {}
    with contextlib.suppress(ValueError, KeyError, TypeError, IndexError, RecursionError):
        manifest["chain"]["id"] = json.loads(rest[receipts[0]])["predicate"]["chain"]["id"]
    late(manifest)
    return rest | bag(manifest, canonical(manifest))


class Draft:
    """An archive taken apart, to be changed and put together again."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.before = {path: sha256(content) for path, content in files.items()}
        self.statements = {path: json.loads(files[path]) for path in sorted(files) if is_receipt(path)}
        self.files = {path: content for path, content in files.items() if not is_receipt(path) and path not in MADE}

    def predicate(self, path: str) -> Json:
        """What a receipt states."""
        return self.statements[path]["predicate"]

    def build(
        self,
        *,
        rebind: bool = True,
        link: bool = True,
        git: bool = True,
        late: Mapping[str, Change] | None = None,
    ) -> Files:
        """The archive sealed again: subjects to what files hold, receipts linked, git objects made, manifests.

        `late` changes a receipt or MANIFEST.json after all else in it is right.
        """
        late = late or {}
        files, renamed, last = dict(self.files), dict[str, str](), None
        statements = copy.deepcopy(self.statements)
        locks = _Locks(files) if git else None
        for path, statement in statements.items():
            if rebind:
                _rebind(statement, files)
            if link:
                _link(statement, last, renamed)
            if locks is not None:
                locks.bind(statement, files)
            late.get(path, lambda one: None)(statement)
            files[path] = canonical(statement)
            last = sha256(files[path])
            renamed[self.before.get(path, last)] = last
        renamed |= {self.before[path]: sha256(files[path]) for path in files if path in self.before}
        files["evidence_ledger.md"] = _renamed(files["evidence_ledger.md"], renamed)
        return sealed(files, late=late.get(MANIFEST, lambda manifest: None))


def is_receipt(path: str) -> bool:
    return path.startswith("data/receipts/") and path.endswith(".json")


def forged(change: Callable[[Draft], object], **how: Json) -> Files:
    """The good archive with a change, sealed again."""
    draft = Draft(good().files)
    change(draft)
    return draft.build(**how)


def _rebind(statement: Json, files: Mapping[str, bytes]) -> None:
    for subject in statement["subject"]:
        content = files.get("data/" + str(subject["name"]))
        if content is not None:
            subject["digest"] = {"sha256": sha256(content)}


def _link(statement: Json, last: str | None, renamed: Mapping[str, str]) -> None:
    predicate = statement["predicate"]
    predicate["chain"]["prev"] = last
    for holder, key in ((predicate, "freeze"), (predicate, "corrects"), (predicate.get("admissibility", {}), "parent")):
        if holder.get(key):
            holder[key] = renamed.get(holder[key], holder[key])


def _renamed(text: bytes, digests: Mapping[str, str]) -> bytes:
    for old, new in digests.items():
        text = text.replace(old.encode(), new.encode())
    return text


# ----------------------------------------------------------------------------------------------------------------- git


def git_id(kind: str, content: bytes) -> str:
    return hashlib.sha1(f"{kind} {len(content)}\0".encode() + content).hexdigest()


def git_tree(files: Mapping[str, bytes], objects: Files, modes: Mapping[str, str] | None = None) -> str:
    """The id of the tree that holds files at their paths; its objects are added, by their names in an archive."""
    below: dict[str, dict[str, bytes]] = {}
    entries = {}
    for path, content in files.items():
        name, _, rest = path.partition("/")
        if rest:
            below.setdefault(name, {})[rest] = content
        else:
            entries[name] = ((modes or {}).get(name, "100644"), git_id("blob", content))
    for name, held in below.items():
        inner = {path.partition("/")[2]: mode for path, mode in (modes or {}).items() if path.startswith(name + "/")}
        plain = (modes or {}).get(name)
        entries[name] = (plain or "40000", git_tree(held, objects, inner))
    order = sorted(entries, key=lambda name: name + "/" * (entries[name][0] == "40000"))
    raw = b"".join(f"{entries[name][0]} {name}\0".encode() + bytes.fromhex(entries[name][1]) for name in order)
    identity = git_id("tree", raw)
    objects[f"data/git/{identity}.tree"] = raw
    return identity


def git_commit(tree: str, parents: Iterable[str], objects: Files, *, time: int = 1_767_323_045) -> str:
    """The id of a commit, which is added."""
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
    lines += [f"{who} A <a@example.org> {time} +0000" for who in ("author", "committer")]
    raw = "\n".join([*lines, "", "x\n"]).encode()
    identity = git_id("commit", raw)
    objects[f"data/git/{identity}.commit"] = raw
    return identity


class _Locks:
    """Commits made anew for what receipts bind to one, each the child of the one before."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.parents: list[str] = []
        for path in [path for path in files if path.startswith("data/git/")]:
            del files[path]

    def bind(self, statement: Json, files: Files) -> None:
        git = statement["predicate"].get("git")
        if not git or not git["paths"]:
            return
        held = {one["path"]: files.get("data/" + one["name"], b"") for one in git["paths"]}
        git["tree"] = git_tree(held, files)
        git["commit"] = git_commit(git["tree"], self.parents, files)
        self.parents = [git["commit"]]


# ---------------------------------------------------------------------------------------------------------- signatures


def new_key(folder: Path, name: str) -> Path:
    """A real SSH key."""
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", f"{name}@x", "-f", str(folder / name)]
    subprocess.run(command, check=True)
    return folder / name


def signature(content: bytes, key: Path, namespace: str = "receipt.v1@small") -> bytes:
    command = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", namespace]
    return subprocess.run(command, input=content, capture_output=True, check=True).stdout


def signed(files: Mapping[str, bytes], key: Path, namespace: str = "receipt.v1@small") -> Files:
    """The archive with a signature beside every receipt."""
    signatures = {f"{path}.sig": signature(files[path], key, namespace) for path in files if is_receipt(path)}
    return sealed({**files, **signatures})


# -------------------------------------------------------------------------------------------------------- interpreters


@cache
def interpreters() -> dict[str, str | None]:
    """The Pythons that the verifier is run under, by version: where they are, or None."""
    found: dict[str, str | None] = {"here": sys.executable}
    for version in ("3.8", "3.13"):
        pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
        candidates = [shutil.which(f"python{version}"), *map(str, pyenv)]
        found[version] = next((one for one in candidates if one and _runs(one, version)), None)
    return found


def _runs(python: str, version: str) -> bool:
    """A shim may be on the path and run nothing."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == version


class Said(NamedTuple):
    """What the verifier did as a program."""

    code: int
    lines: list[str]
    error: str


def run_verifier(*arguments: str | Path, python: str = sys.executable, cwd: Path | None = None, **more: Json) -> Said:
    """Run receipts/verify.py as a stranger does; it must not hang."""
    command = [python, "-I", str(VERIFIER), *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, cwd=cwd, env=dict(os.environ), **more
    )
    return Said(done.returncode, done.stdout.splitlines(), done.stderr)
