"""The commands that freeze, gate, amend, correct, sign, tell, archive and verify."""

import re
import sys
from pathlib import Path

import click

from multiverse import verify
from multiverse.archives import archive
from multiverse.audit import find_study
from multiverse.cli.group import FORMAT, STUDY, complete_family, main, print_json, progress_lines
from multiverse.declaration import read_declaration
from multiverse.errors import GateError, ReceiptError, printable, quoted
from multiverse.identification_record import markdown, study_record
from multiverse.receipts.chain import ROOT
from multiverse.receipts.freezing import Custody, DataStage, amend, correct, freeze
from multiverse.receipts.signing import sign
from multiverse.runs import judge
from multiverse.summary import counted
from multiverse.timeline import study_timeline
from multiverse.verification import find_places, verify_place
from multiverse.verify import Receipt

_STAGE = click.option(
    "--data-stage",
    type=click.Choice(verify.DATA_STAGES),
    default="not_stated",
    show_default=True,
    help="What was known of the outcomes at the freeze.",
)
_CUSTODY = click.option(
    "--outcome-custody",
    type=click.Choice(verify.CUSTODIES),
    default="not_stated",
    show_default=True,
    help="Who held the outcomes.",
)
_REASON = click.option("--reason", required=True, metavar="TEXT", help="Why; it stays in the receipt.")


@main.command("freeze")
@STUDY
@_STAGE
@_CUSTODY
def freeze_command(*, study: str, data_stage: DataStage, outcome_custody: Custody) -> None:
    """Freeze a study before its outcomes are looked at.

    A receipt in receipts/STUDY binds its spec files, its data, the code, the lock file, Python and every library. An
    audit then runs only while all of them are as they were. The two options are kept in the receipt, as your word.
    """
    declaration = read_declaration(find_study(study))
    receipt = freeze(declaration, data_stage=data_stage, outcome_custody=outcome_custody, progress=progress_lines())
    _print_freeze(declaration.name, receipt)


@main.command("amend")
@STUDY
@_REASON
@_STAGE
@_CUSTODY
def amend_command(*, study: str, reason: str, data_stage: DataStage, outcome_custody: Custody) -> None:
    """Freeze a changed study anew, with a reason.

    The earlier freeze and its results stay. Records under the new one carry the words "post-hoc motivated,
    prospectively frozen robustness control".
    """
    declaration = read_declaration(find_study(study))
    receipt = amend(
        declaration,
        reason=reason,
        data_stage=data_stage,
        outcome_custody=outcome_custody,
        progress=progress_lines(),
    )
    _print_freeze(declaration.name, receipt)


def _print_freeze(study: str, receipt: Receipt) -> None:
    predicate, git = receipt.predicate, receipt.predicate["git"]
    specs, data = counted(len(predicate["specs"]), "spec file"), counted(len(predicate["inputs"]), "data file")
    click.echo(f"{study}: frozen {specs}, {data}, code and libraries")
    if git is None:
        click.echo("  git: no repository, so nothing will show that results came after the freeze")
    elif not git["paths"]:
        click.echo("  git: the spec files are not committed as they are, so nothing will show that results came after")
    else:
        click.echo(f"  git: the spec files are in commit {git['commit'][:12]}; now commit the receipt, then audit")
    _print_receipt(study, receipt)


def _print_receipt(study: str, receipt: Receipt) -> None:
    click.echo(f"receipt: {ROOT / study / receipt.name}")
    click.echo(f"head: {receipt.digest}")


@main.command("gate")
@STUDY
@FORMAT
def gate_command(*, study: str, form: str) -> None:
    """Judge the gates of a study without opening its answers.

    Rows and objects are read; predictions or outcomes never are. Exit code 3: a gate said NO_GO.
    """
    found = judge(study)
    if form == "json":
        print_json({"study": found.study, "gates": found.entries, "receipt": found.receipt and str(found.receipt)})
    else:
        for entry in found.entries:
            counted = f"{entry['count']} {entry['unit']} of at least {entry['at_least']}"
            click.echo(printable(f"{entry['id']}: {entry['verdict']}: {counted} in population {entry['population']}"))
        if not found.entries:
            click.echo(f"{found.study}: no gate is declared")
        click.echo(f"receipt: {found.receipt or 'none: ' + found.why_none}")
    if not found.passed:
        sys.exit(GateError.exit_code)


@main.command("correct")
@STUDY
@click.argument("number", type=click.IntRange(1))
@click.argument("addendum", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--original", metavar="NAME", help="The file of it that is corrected, such as results/cc/report.txt.")
@_REASON
def correct_command(*, study: str, number: int, addendum: Path, original: str | None, reason: str) -> None:
    """Attach FILE to receipt NUMBER, as a correction.

    The receipt, and the file of it that is corrected, stay as they are, byte for byte. `timeline` shows the numbers.
    """
    name = read_declaration(find_study(study)).name
    _print_receipt(name, correct(name, number=number, addendum=addendum, original=original, reason=reason))


@main.command("sign")
@STUDY
@click.option("--key", required=True, type=click.Path(path_type=Path), help="A private key, such as ~/.ssh/id_ed25519.")
def sign_command(*, study: str, key: Path) -> None:
    """Sign the receipts of a study with an SSH key.

    Each that has no signature yet gets one in a file beside it.
    """
    signed = sign(read_declaration(find_study(study)).name, key=key)
    for path in signed:
        click.echo(f"signature: {path}")
    if not signed:
        click.echo("every receipt has a signature already")


def _frozen_names() -> list[str]:
    return [path.name for path in ROOT.glob("*") if path.is_dir()]


@main.command("timeline")
@STUDY
@FORMAT
def timeline_command(*, study: str, form: str) -> None:
    """Tell the history of a study from its receipts alone.

    STUDY is the name of a folder of receipts/, or a study as elsewhere.
    """
    name = study if study in _frozen_names() else read_declaration(find_study(study)).name
    events = study_timeline(name)
    if form == "json":
        print_json({"study": name, "events": [event._asdict() for event in events]})
        return
    width = max(len(event.stage) for event in events)
    for event in events:
        click.echo(f"{event.seq:04d}  {event.claimed_at}  {event.stage.ljust(width)}  {event.event}")


@main.command("record")
@STUDY
@click.option("--family", required=True, shell_complete=complete_family, help="The family that was reported.")
@FORMAT
def record_command(*, study: str, family: str, form: str) -> None:
    """Print the identification record of a family.

    The seven fields of Table 3 of the paper, filled from the declaration, the receipts and what was reported; it is
    refused with one missing.
    """
    found = study_record(study, family)
    print_json(found) if form == "json" else click.echo(markdown(found), nl=False)


@main.command("archive")
@STUDY
@click.argument("out", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--without-data", is_flag=True, help="Leave the data tables out; their digests stay.")
def archive_command(*, study: str, out: Path, without_data: bool) -> None:
    """Write all of a study into one zip file, OUT.

    Specs, data, receipts, results, git objects, an evidence ledger and the verifier: the same bytes on any machine. It
    prints two pins for `verify`: publish them where you cannot change them later.
    """
    made = archive(study, out, with_data=not without_data, progress=progress_lines())
    for note in made.notes:
        click.echo(f"note: {printable(note)}", err=True)
    click.echo(f"archive: {made.path}, which verifies")
    click.echo(f"sha256 of the file: {made.sha256}")
    click.echo(f"--expect-archive {made.archive}")
    click.echo(f"--expect-head {made.head}")


def _digest(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A SHA-256 as it is published, in whatever case."""
    if value is None or re.fullmatch("[0-9a-f]{64}", value.lower()):
        return value and value.lower()
    raise click.BadParameter(f"{quoted(value)} is no SHA-256: 64 hexadecimal digits")


@main.command("verify")
@click.argument("place", metavar="ARCHIVE|STUDY")
@click.option("--rerun", is_flag=True, help="Also compute every complete run again, and compare.")
@click.option(
    "--expect-archive", callback=_digest, metavar="SHA256", help="The SHA-256 of its MANIFEST.json, as published."
)
@click.option(
    "--expect-head", callback=_digest, metavar="SHA256", help="The SHA-256 of the last receipt, as published."
)
@click.option(
    "--allowed-signers", type=click.Path(exists=True, dir_okay=False), help="Your own OpenSSH file of signers."
)
@click.option("--signer", metavar="NAME", help="Who must have signed every receipt.")
def verify_command(
    *,
    place: str,
    rerun: bool,
    expect_archive: str | None,
    expect_head: str | None,
    allowed_signers: str | None,
    signer: str | None,
) -> None:
    """Verify an archive, or the receipts of a study.

    ARCHIVE may also be the folder of an unpacked one, or a folder of receipts. This does what receipts/verify.py
    does, which needs nothing but Python. Exit codes: 0 verified, 5 does not verify, 2 could not check.
    """
    if (allowed_signers is None) != (signer is None):
        raise click.UsageError("--allowed-signers and --signer go together")
    pins = verify.Pins(expect_archive, expect_head, allowed_signers, signer)
    places, codes = find_places(place), []
    if len(places) > 1 and (expect_archive or expect_head):
        raise click.UsageError(f"{place} holds {len(places)} chains, and a pin is of one: name it")
    for one in places:
        findings = verify_place(one, pins, rerun=rerun, progress=progress_lines())
        codes.append(findings.exit_code)
        for line in verify.lines(findings, one):
            click.echo(line)
    sys.exit(ReceiptError.exit_code if 1 in codes else max(codes))
