"""Verifying an archive or a chain of receipts, and computing what it binds again."""

from collections.abc import Callable, Iterator
from pathlib import Path

from multiverse import verify
from multiverse.audit import STUDIES
from multiverse.declaration import read_declaration
from multiverse.errors import Fault, InputError, MultiverseError
from multiverse.receipts.chain import ROOT, Chain
from multiverse.receipts.drift import runtime_changes
from multiverse.receipts.environment import runtime
from multiverse.receipts.git_lock import git_objects
from multiverse.receipts.snapshot import file_sha256
from multiverse.repository import find_repository, git_state
from multiverse.reruns import Rerun, Unpack, link_file, rerun_all
from multiverse.verify import Findings, FolderSource, Pins, Source, ZipSource


def find_receipts(place: str) -> Path:
    """The path of an archive or folder of receipts, or the receipts of a study by its name or folder."""
    folders = [Path(place), STUDIES / place]
    here = (Path(place), ROOT / place)
    for path in () if _is_study(Path(place)) and not _is_archive(Path(place)) else here:
        if path.exists():
            return path
    names = [read_declaration(folder).name for folder in folders if _is_study(folder)]
    for name in names:
        if (ROOT / name).is_dir():
            return ROOT / name
    found = "the study has no receipt" if names else "no such file or study"
    expected = "an archive, a folder of receipts, or a study that has some"
    raise InputError([Fault(where=place, found=found, expected=expected)])


def find_places(place: str) -> list[str]:
    """What there is to verify: the place itself, or each chain of a folder of chains such as receipts/."""
    path = str(find_receipts(place))
    found = verify.targets(path)
    return [place] if found == [path] else found


def _is_study(path: Path) -> bool:
    return (path / "study.yaml").is_file()


def _is_archive(path: Path) -> bool:
    """Whether a folder is an unpacked archive, whatever else lies in it."""
    return any((path / name).exists() for name in (verify.MANIFEST, verify.TAG_MANIFEST, "bagit.txt"))


def verify_place(
    place: str, pins: Pins, *, rerun: bool = False, progress: Callable[[str], None] = lambda step: None
) -> Findings:
    """Everything that receipts/verify.py finds; with `rerun`, also whether the frozen inputs give the same bytes again.

    Raises InputError where there is nothing at the place.
    """
    path = find_receipts(place)
    findings = Findings()
    if _is_chain(path):
        source = FolderSource(str(path), findings)
        verify.verify_receipts(source, pins, findings, git=lambda chain: _objects(chain, path, findings))
    else:
        findings = verify.verify(str(path), pins)
    if rerun and not findings.exit_code:
        _rerun(path, Path(place), findings, progress)
    return findings


def _is_chain(path: Path) -> bool:
    return path.is_dir() and any(map(verify.RECEIPT_NAME.fullmatch, (one.name for one in path.iterdir())))


def _objects(chain: verify.Chain, path: Path, findings: Findings) -> Source | None:
    """What the repository around a folder of receipts holds of them, as an archive would; None outside of one."""
    if find_repository(path) is None:
        return None
    held = Chain(study=chain.all[0].predicate["study"], folder=path, receipts=tuple(chain.sound))
    try:
        raw = git_objects(held, path)
    except InputError as error:
        told = findings.cannot if _is_shallow(path) else findings.fault
        told("X-GIT" if _is_shallow(path) else "E-GIT", str(path), " ".join(str(error).split()))
        return None
    specs = {f"data/{name}": held.kept(digest) for name, digest in held.bound.items() if name.startswith("specs/")}
    return _HeldSource({f"data/git/{name}": content for name, content in raw.items()} | specs, findings)


def _is_shallow(path: Path) -> bool:
    top = find_repository(path)
    return top is not None and git_state(top, []).shallow


class _HeldSource(Source):
    """Files that are held in memory."""

    def __init__(self, files: dict[str, bytes], findings: Findings) -> None:
        super().__init__(findings)
        self.files = files
        self.paths = sorted(files)

    def chunks(self, path: str) -> Iterator[bytes]:
        """The bytes of a file, in one piece."""
        yield self.files[path]


def _rerun(path: Path, place: Path, findings: Findings, progress: Callable[[str], None]) -> None:
    aside = Findings()  # what is read again was checked before
    source = FolderSource(str(path), aside) if path.is_dir() else ZipSource(str(path), aside)
    is_archive = verify.MANIFEST in source.paths
    prefix = "data/receipts/" if is_archive else ""
    files = [(p, source.content(p) or b"") for p in source.paths if p.startswith(prefix) and _is_receipt(p)]
    receipts = verify.read_chain(files, aside)
    chain = Chain(study=str(receipts[0].predicate["study"]), folder=path, receipts=tuple(receipts))
    unpack = _from_archive(source) if is_archive else _from_study(chain, place)
    try:
        reruns = list(rerun_all(chain, unpack, progress))
    except MultiverseError as error:
        findings.fault("E-RERUN", str(path), " ".join(str(error).split()))
        return
    for one in reruns:
        _note(one, findings)
    if all(one.missing for one in reruns) and not findings.unchecked:
        found = "of no complete run is all at hand" if reruns else "there is no complete run to compute again"
        findings.cannot("X-RERUN", str(path), found)


def _is_receipt(path: str) -> bool:
    return bool(verify.RECEIPT_NAME.fullmatch(path.rpartition("/")[2]))


def _from_archive(source: Source) -> Unpack:
    def unpack(name: str, target: Path) -> bool:
        if f"data/{name}" not in source.paths:
            return False
        with target.open("wb") as file:
            file.writelines(source.chunks(f"data/{name}"))
        return True

    return unpack


def _from_study(chain: Chain, place: Path) -> Unpack:
    """Spec files from the copies beside the receipts; data from where the study declares it, if it is unchanged."""
    bound, study = chain.bound, _study_folder(chain.study, place)
    sources = {one["path"]: one["source"] for receipt in chain.receipts for one in receipt.predicate.get("inputs", ())}

    def unpack(name: str, target: Path) -> bool:
        if name not in sources:
            target.write_bytes(chain.kept(bound[name]))
            return True
        path = (study or Path()) / sources[name]
        return study is not None and path.is_file() and file_sha256(path) == bound[name] and link_file(path, target)

    return unpack


def _study_folder(study: str, place: Path) -> Path | None:
    """The folder of a study: the place that was named, or the one under specs/ that declares its name."""
    folders = [place, *sorted(STUDIES.glob("*"))]
    return next((one for one in folders if _declares(one, study)), None)


def _declares(folder: Path, study: str) -> bool:
    try:
        return _is_study(folder) and read_declaration(folder).name == study
    except InputError:
        return False  # another study, which is at fault


def _differences(found: Rerun) -> Iterator[str]:
    if found.differing:
        yield f"{len(found.differing)} of {found.compared} files differ: {', '.join(found.differing)}"
    if found.claims:
        yield f"what receipts state is not what the frozen specs give: {', '.join(found.claims)}"


def _note(found: Rerun, findings: Findings) -> None:
    """What was found; of a run under an amended freeze, data may be gone and code may be another's."""
    missing = f"{', '.join(found.missing)} not at hand"
    differing = list(_differences(found))
    here = [" ".join(str(fault).split()) for fault in runtime_changes(found.freeze, runtime())]
    if found.missing and not found.superseded:
        findings.cannot("X-RERUN", found.run.name, f"cannot be computed again: {missing}")
    elif found.missing:
        text = f"{found.run.name}, under a freeze that was amended: not computed again: {missing}"
        findings.claimed.append(text)
    elif differing:
        text = f"computed again, {'; '.join(differing)}"
        told = findings.warn if found.superseded and here and not found.claims else findings.fault
        code = "W-RERUN" if told == findings.warn else "E-RERUN"
        told(code, found.run.name, "; ".join([text, *here]))
    else:
        findings.shown.append(
            f"grade R: {found.run.name}, family {found.run.predicate['family']}: computed again here, "
            f"all {found.compared} files came out byte for byte"
        )
