"""Audits and gates under a freeze: checked against what was frozen, and bound to it by a receipt."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from multiverse.audit import Audit, evaluate, find_study
from multiverse.declaration import Declaration, read_declaration
from multiverse.errors import Fault, GateError, InputError, MultiverseError, NotFrozenError
from multiverse.gates import GateVerdict, judge_gates, pass_gates
from multiverse.output import check_output
from multiverse.receipts.chain import Chain, append, chain_above, check_apart, read_chain, writing
from multiverse.receipts.drift import data_changes, file_changes, is_complete, reference_changes, runtime_changes
from multiverse.receipts.snapshot import (
    Snapshot,
    answer_tables,
    bound_to_commit,
    check_unmoved,
    data_files,
    reference_tables,
    snapshot,
)
from multiverse.receipts.statements import Finished, generation, judged, ran, results_folder
from multiverse.record import record_bytes
from multiverse.repository import find_repository, is_ancestor
from multiverse.reruns import bound_outputs, written_outputs
from multiverse.standing import Standing, frozen_standing, gate_entry
from multiverse.strict_yaml import Mapping as MappingNode
from multiverse.strict_yaml import Scalar, read_yaml
from multiverse.summary import report_text
from multiverse.verify import Receipt, sha256

RESULTS = Path("results")
Mode = Literal["frozen", "exploratory", "reproduce"]
Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """An audit that was written, and the receipt that binds it."""

    audit: Audit
    out: Path
    receipt: Path | None  # none before the first freeze
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """What the gates of a study said, and the receipt of it."""

    study: str
    verdicts: tuple[GateVerdict, ...]
    receipt: Path | None  # none where nothing is frozen or no gate declared

    @property
    def passed(self) -> bool:
        """Whether every gate says GO."""
        return all(verdict.verdict == "GO" for verdict in self.verdicts)

    @property
    def entries(self) -> list[Json]:
        """The verdicts as the record has them."""
        return [gate_entry(verdict) for verdict in self.verdicts]

    @property
    def why_none(self) -> str:
        """Why there is no receipt, where there is none."""
        return "the study is not frozen" if self.verdicts else "no gate is declared"


def run(
    study: str | Path,
    *,
    family: str,
    out: Path | None = None,
    mode: Mode = "frozen",
    jobs: int = 1,
    progress: Callable[[str], None] = lambda step: None,
) -> Run:
    """Audit one family of a study under its freeze, and add a receipt of all that was written.

    Exploratory, it runs without a freeze and beside whatever has changed since, and everything it writes says so. To
    reproduce, other code and libraries than those frozen will do, where the record is an earlier run's, byte for byte.
    Raises NotFrozenError where nothing was frozen or something has changed, with what and how; GateError, after a
    receipt, where a gate says NO_GO; InputError where the declaration or the data is at fault.
    """
    folder = find_study(study)
    declaration = _declared(folder, exploratory=mode == "exploratory")
    declaration.family(family)
    if out is not None:
        check_apart(out)
    asked = _Asked(declaration, family, mode, jobs, progress)
    place = RESULTS / folder.resolve().name
    if not read_chain(declaration.name).freezes:
        if mode != "exploratory":
            raise NotFrozenError([_unfrozen(declaration)])
        return _run_unfrozen(asked, out or place / family)
    with writing(declaration.name) as chain:
        apart = "exploratory/" if asked.exploratory else generation(chain.freezes[-1])
        return _run_under(chain, asked, out or place / f"{apart}{family}")


class _Asked(NamedTuple):
    """What was asked for."""

    declaration: Declaration
    family: str
    mode: Mode
    jobs: int
    progress: Callable[[str], None]

    @property
    def exploratory(self) -> bool:
        """Whether a freeze does not matter."""
        return self.mode == "exploratory"

    def evaluate(self, standing: Standing) -> Audit:
        """The audit itself."""
        return evaluate(self.declaration, family=self.family, standing=standing, jobs=self.jobs, progress=self.progress)


def _run_unfrozen(asked: _Asked, out: Path) -> Run:
    check_output(out)
    found = asked.evaluate(Standing(gates=pass_gates(asked.declaration)))
    found.write(out, report_text(found))
    return Run(audit=found, out=out, receipt=None, notes=())


def _run_under(chain: Chain, asked: _Asked, out: Path) -> Run:
    """An audit under the last freeze: compare, judge the gates, open the answers, evaluate, write, bind."""
    declaration, freeze = asked.declaration, chain.freezes[-1]
    check_output(out)
    asked.progress("comparing with the freeze")
    now, changed = _compared(chain, freeze, declaration, exploratory=asked.exploratory)
    if asked.mode == "reproduce":
        return _reproduced(chain, asked, out, now, changed)
    _refuse(chain, freeze, changed, exploratory=asked.exploratory)
    verdicts = _pass_gates(chain, asked, now)
    now, more = _with_answers(chain, freeze, declaration, now, exploratory=asked.exploratory)
    _refuse(chain, freeze, more, exploratory=asked.exploratory)
    git, notes = (now.git, ()) if asked.exploratory else _locked(chain, freeze, declaration)
    found = asked.evaluate(_standing(freeze, verdicts, exploratory=asked.exploratory))
    check_unmoved(now.inputs)
    finished = Finished(
        family=asked.family,
        specs=[spec.id for spec in found.family.specs],
        out=str(out),
        written={one.path: one.sha256 for one in found.write(out, report_text(found))},
        gates=[gate_entry(verdict) for verdict in verdicts],
        exploratory=asked.exploratory,
        changed=[_one_line(fault) for fault in [*changed, *more]],
    )
    _check_reproduced(chain, freeze, finished)
    receipt = append(chain, "run", *ran(chain, now, freeze, finished, git), {})
    return Run(audit=found, out=out, receipt=chain.path(receipt), notes=notes)


def _reproduced(chain: Chain, asked: _Asked, out: Path, now: Snapshot, changed: list[Fault]) -> Run:
    """An earlier run computed again, by whatever code and libraries; no receipt, as nothing new is reported."""
    freeze, moved = chain.freezes[-1], list(runtime_changes(chain.freezes[-1], now.runtime))
    if changed != moved:
        _refuse(chain, freeze, changed, exploratory=False)
    verdicts = pass_gates(asked.declaration)
    earlier = _last_run(chain, freeze, asked.family)
    whole, more = _with_answers(chain, freeze, asked.declaration, now, exploratory=False)
    _refuse(chain, freeze, more, exploratory=False)
    found = asked.evaluate(_standing(freeze, verdicts, exploratory=False))
    check_unmoved(whole.inputs)
    if sha256(record_bytes(found.record)) not in bound_outputs(earlier).values():
        text = f"the record comes out otherwise than {earlier.name} binds it"
        fault = Fault(where=f"family {asked.family}", found=text, expected="it byte for byte")
        _refuse(chain, freeze, [*moved, fault], exploratory=False)
    if len(written_outputs(earlier)) < len(bound_outputs(earlier)) or out != Path(earlier.predicate["out"]):
        found.write(out, report_text(found))  # else that run's own files are there, and stay
    note = f"the record is that of {earlier.name}, byte for byte"
    told = [f"{note}, though not by what was frozen: {'; '.join(map(_one_line, moved))}"] if moved else [note]
    return Run(audit=found, out=out, receipt=chain.path(earlier), notes=tuple(told))


def _last_run(chain: Chain, freeze: Receipt, family: str) -> Receipt:
    """The last complete run of a family under a freeze; NotFrozenError where there is none."""
    runs = [run for run in chain.of_kind("run") if is_complete(run, freeze) and run.predicate["family"] == family]
    if not runs:
        found = f"no run of family {family} under {freeze.name} to reproduce"
        raise NotFrozenError([Fault(where=chain.study, found=found, expected="an audit without --reproduce first")])
    return runs[-1]


def judge(study: str | Path) -> Judgement:
    """Judge the gates of a study from rows and objects alone, and add a receipt of what they say.

    A study that is not frozen is judged too, without a receipt. Raises NotFrozenError where anything but the answers
    has changed since the freeze.
    """
    declaration = _declared(find_study(study), exploratory=False)
    if not declaration.gates or not read_chain(declaration.name).freezes:
        return Judgement(study=declaration.name, verdicts=judge_gates(declaration), receipt=None)
    with writing(declaration.name) as chain:
        freeze = chain.freezes[-1]
        now, changed = _compared(chain, freeze, declaration, exploratory=False)
        _refuse(chain, freeze, changed, exploratory=False)
        verdicts = judge_gates(declaration)
        receipt = _gate_receipt(chain, freeze, now, verdicts)
        return Judgement(study=declaration.name, verdicts=verdicts, receipt=chain.path(receipt))


def _declared(folder: Path, *, exploratory: bool) -> Declaration:
    """The declaration; where it is at fault, and was frozen before it was, NotFrozenError says what has changed."""
    try:
        return read_declaration(folder)
    except InputError as error:
        contents = {path: path.read_bytes() for path in folder.glob("*.yaml") if path.is_file()}
        chain = read_chain(_named(folder, contents))
        if chain.freezes and not exploratory:
            changed = list(file_changes(chain, chain.freezes[-1], folder, contents))
            _refuse(chain, chain.freezes[-1], [*error.faults, *changed] if changed else [], exploratory=False)
        raise


def _named(folder: Path, contents: Mapping[Path, bytes]) -> str:
    """The name of a study whose declaration is at fault: as far as study.yaml can be read, else its folder's."""
    node = read_yaml(contents.get(folder / "study.yaml", b""), "study.yaml").node
    entries = {str(key.value): value for key, value in node.entries} if isinstance(node, MappingNode) else {}
    name = entries.get("study")
    text = str(name.value) if isinstance(name, Scalar) else ""
    return text if text and Path(text).name == text else folder.resolve().name


def _unfrozen(declaration: Declaration) -> Fault:
    above = chain_above(declaration.name)
    if above is not None:
        expected = "the command to be run from the folder that holds them"
        return Fault(where=declaration.name, found=f"has no receipts here, and some in {above}", expected=expected)
    expected = f"`multiverse freeze {declaration.folder}` first, or --exploratory, which marks all that it writes"
    return Fault(where=declaration.name, found="not frozen", expected=expected)


def _compared(
    chain: Chain, freeze: Receipt, declaration: Declaration, *, exploratory: bool
) -> tuple[Snapshot, list[Fault]]:
    """The study without its answers as it stands, and what in it has changed since the freeze."""
    try:
        now = snapshot(declaration, reference_tables(declaration))
    except InputError as error:  # at the freeze all of it was there
        if not exploratory:
            _refuse(chain, freeze, error.faults, exploratory=False)
        raise
    return now, reference_changes(chain, freeze, declaration, now)


def _with_answers(
    chain: Chain, freeze: Receipt, declaration: Declaration, now: Snapshot, *, exploratory: bool
) -> tuple[Snapshot, list[Fault]]:
    tables = answer_tables(declaration)
    try:
        answers = data_files(declaration, tables)
    except InputError as error:
        binding = [freeze, *(run for run in chain.of_kind("run") if is_complete(run, freeze))]
        bound = any(one["table"] in tables for receipt in binding for one in receipt.predicate["inputs"])
        if bound and not exploratory:
            _refuse(chain, freeze, error.faults, exploratory=False)
        raise
    whole = replace(now, inputs=(*now.inputs, *answers))
    return whole, list(data_changes(chain, freeze, whole, tables))


def _refuse(chain: Chain, freeze: Receipt, changed: Iterable[Fault], *, exploratory: bool) -> None:
    faults = list(changed)
    if faults and not exploratory:
        found = f"not as {freeze.name} froze it: {len(faults)} change{'s' * (len(faults) > 1)}, listed above"
        expected = (
            f"what was frozen; or `multiverse amend {chain.study} --reason ...`, which freezes a successor; "
            "or --exploratory, which marks all that is written"
        )
        raise NotFrozenError([*faults, Fault(where=chain.study, found=found, expected=expected)])


def _pass_gates(chain: Chain, asked: _Asked, now: Snapshot) -> tuple[GateVerdict, ...]:
    """The verdicts where all are GO; else a receipt of them, unless their freeze has one, and the error."""
    if asked.declaration.gates:
        asked.progress("judging the gates")
    try:
        return pass_gates(asked.declaration)
    except GateError as error:
        freeze = chain.freezes[-1]
        told = any(gate.predicate["freeze"] == freeze.digest for gate in _stopped(chain))
        if not told and not asked.exploratory:
            _gate_receipt(chain, freeze, now, error.verdicts)
        raise


def _stopped(chain: Chain) -> list[Receipt]:
    return [gate for gate in chain.of_kind("gate") if gate.predicate["verdict"] == "NO_GO"]


def _gate_receipt(chain: Chain, freeze: Receipt, now: Snapshot, verdicts: Iterable[GateVerdict]) -> Receipt:
    stated = judged(chain, now, freeze, [gate_entry(verdict) for verdict in verdicts])
    return append(chain, "gate", *stated, {})


def _standing(freeze: Receipt, verdicts: tuple[GateVerdict, ...], *, exploratory: bool) -> Standing:
    if exploratory:
        return Standing(gates=verdicts)
    return frozen_standing(freeze.predicate["admissibility"], verdicts)


def _locked(chain: Chain, freeze: Receipt, declaration: Declaration) -> tuple[Json | None, tuple[str, ...]]:
    """The repository's state with the freeze receipt bound to its commit, where it holds it; or why it is not bound."""
    path, frozen = chain.path(freeze), freeze.predicate["git"]
    git = bound_to_commit(chain.folder, {path: freeze.content}, {path: f"receipts/{freeze.name}"})
    if git is None or frozen is None:
        return git, ()
    top = find_repository(chain.folder)
    if top is None or top != find_repository(declaration.folder) or not frozen["paths"]:
        return git | {"paths": []}, ()
    if git["shallow"]:
        note = (
            "the clone is shallow: that the run came after the freeze is claimed, not shown (`git fetch --unshallow`)"
        )
        return git | {"paths": []}, (note,)
    if not git["paths"]:
        note = f"{path} is not committed: the order of freeze and run is claimed, not shown (commit it before an audit)"
        return git, (note,)
    if not is_ancestor(top, frozen["commit"], git["commit"]):
        found = f"the commit {frozen['commit'][:12]} of the freeze is no ancestor of HEAD, {git['commit'][:12]}"
        expected = "a history that holds the freeze (was it rebased or amended?)"
        raise NotFrozenError([Fault(where=str(path), found=found, expected=expected)])
    return git, ()


def _one_line(fault: Fault) -> str:
    return "; ".join(line.strip() for line in str(fault).splitlines())


def _check_reproduced(chain: Chain, freeze: Receipt, finished: Finished) -> None:
    """A run under a freeze writes the bytes that earlier runs of the family wrote under it."""
    folder, bound = results_folder(chain, freeze, finished), chain.bound
    other = [path for path, digest in finished.written.items() if bound.get(f"{folder}/{path}", digest) != digest]
    if other:
        raise MultiverseError(
            f"{finished.out}: {', '.join(other)} came out otherwise than in an earlier run under {freeze.name}, "
            "although nothing frozen has changed: no receipt was written"
        )
