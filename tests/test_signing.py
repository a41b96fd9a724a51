"""Signatures of receipts by SSH keys, made and checked by the real ssh-keygen."""

import shutil
import subprocess
from pathlib import Path

import pytest

from frozen import chain, frozen, names, verified
from multiverse import verify
from multiverse.archives import archive
from multiverse.errors import InputError, NotFrozenError
from multiverse.receipts.signing import sign
from multiverse.runs import run

RECEIPTS = Path("receipts/small")
needs_keygen = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def new_key(name: str) -> Path:
    """A key pair, whose public half alone is allowed to sign as `name`."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", name], check=True)
    Path(f"{name}.allowed").write_text(f"{name} {Path(f'{name}.pub').read_text()}")
    return Path(name)


def signed_by(name: str, path: Path = RECEIPTS) -> tuple[int, list[str]]:
    """What a reader finds who takes this one's signature alone."""
    found = verify.verify(str(path), verify.Pins(allowed_signers=f"{name}.allowed", signer=name))
    return found.exit_code, [str(one) for one in found.faults]


@needs_keygen
def test_every_receipt_without_a_signature_gets_one() -> None:
    frozen()
    key = new_key("ann")
    assert sign("small", key=key) == (RECEIPTS / "0001-freeze.json.sig",)
    run("small", family="audit")
    assert signed_by("ann") == (1, ["E-SIG 0002-run.json: has no signature file"])
    assert sign("small", key=key) == (RECEIPTS / "0002-run.json.sig",)
    assert sign("small", key=key) == ()
    assert (signed_by("ann"), names()) == ((0, []), ["0001-freeze.json", "0002-run.json"])


@needs_keygen
def test_signatures_are_of_one_signer_one_study_and_one_receipt() -> None:
    frozen()
    run("small", family="audit")
    sign("small", key=new_key("ann"))
    new_key("bob")
    faults = [f"E-SIG {name}: signature does not verify for bob" for name in names()]
    assert signed_by("bob") == (1, faults)
    shutil.copy(RECEIPTS / "0001-freeze.json.sig", RECEIPTS / "0002-run.json.sig")
    assert signed_by("ann") == (1, ["E-SIG 0002-run.json: signature does not verify for ann"])


@needs_keygen
def test_signatures_go_into_the_archive() -> None:
    frozen()
    sign("small", key=new_key("ann"))
    archive("small", Path("small.zip"))
    assert (signed_by("ann", Path("small.zip")), verified(Path("small.zip"))) == ((0, []), (0, []))


@needs_keygen
def test_a_key_that_is_none_is_refused() -> None:
    frozen()
    Path("key").write_text("not a key")
    with pytest.raises(InputError) as caught:
        sign("small", key=Path("key"))
    first, last = str(caught.value).splitlines()[0], str(caught.value).splitlines()[-1]
    assert first.startswith("key: ssh-keygen did not sign: ")
    assert last == "  expected a private SSH key, or one in the agent"
    assert not (RECEIPTS / "0001-freeze.json.sig").exists()


def test_without_ssh_keygen_nothing_is_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen()
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError) as caught:
        sign("small", key=Path("key"))
    assert str(caught.value) == (
        "key: ssh-keygen cannot be run: No such file or directory\n  expected OpenSSH 8.1 or newer"
    )
    assert chain().following == 2


def test_there_is_nothing_to_sign_before_a_freeze() -> None:
    with pytest.raises(NotFrozenError) as caught:
        sign("small", key=Path("key"))
    assert (
        str(caught.value) == "small: not frozen: there is nothing to sign\n  expected `multiverse freeze small` first"
    )
    assert list(Path("receipts").iterdir()) == []
