"""Signatures of receipts with an SSH key (ssh-keygen -Y), each in a file beside its receipt."""

import subprocess
from pathlib import Path

from multiverse.errors import Fault, InputError, NotFrozenError
from multiverse.output import write_new
from multiverse.receipts.chain import writing


def sign(study: str, *, key: Path) -> tuple[Path, ...]:
    """Sign every receipt of a study that has no signature yet; InputError where ssh-keygen will not.

    Raises NotFrozenError where the study has no receipt.
    """
    signed = []
    with writing(study) as chain:
        if not chain.receipts:
            found, expected = "not frozen: there is nothing to sign", f"`multiverse freeze {study}` first"
            raise NotFrozenError([Fault(where=study, found=found, expected=expected)])
        for receipt in chain.receipts:
            path = chain.path(receipt).with_name(f"{receipt.name}.sig")
            if not path.exists():
                write_new(path, _signature(receipt.content, key, study))
                signed.append(path)
    return tuple(signed)


def _signature(content: bytes, key: Path, study: str) -> bytes:
    command = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", f"receipt.v1@{study}"]
    try:
        done = subprocess.run(command, input=content, capture_output=True, check=False)
    except OSError as error:
        found = f"ssh-keygen cannot be run: {error.strerror}"
        raise InputError([Fault(where=str(key), found=found, expected="OpenSSH 8.1 or newer")]) from error
    if done.returncode or not done.stdout.startswith(b"-----BEGIN SSH SIGNATURE-----"):
        found = f"ssh-keygen did not sign: {done.stderr.decode(errors='replace').strip() or 'no signature came back'}"
        raise InputError([Fault(where=str(key), found=found, expected="a private SSH key, or one in the agent")])
    return done.stdout
