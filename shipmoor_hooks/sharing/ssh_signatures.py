"""Signatures by SSH keys, made and checked by ssh-keygen itself, as git does for commits (ssh-keygen(1), -Y).

Unlike a seal, a signature can be checked on another machine: by whoever has the public key in a file of allowed signers.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import subprocess
from collections.abc import Mapping, Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.git import Git, last_line

NAMESPACE = "shipmoor-hooks"
BEGINNING = b"-----BEGIN SSH SIGNATURE-----"
_SECONDS = 120  # a key on a token waits for a touch
_GOOD = re.compile(r'^Good "shipmoor-hooks" signature for (.+) with \S+ key (SHA256:[A-Za-z0-9+/]+)$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Signer:
    """Who signed, by the name that the file of allowed signers gives the key, and the key's fingerprint."""

    principal: str
    fingerprint: str

    def __str__(self) -> str:
        return f"{self.principal} ({self.fingerprint})"


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A key to sign with: its file (public or private), the program that signs, the id that stands in a signature's name."""

    file: str
    program: str
    id: str


def configured_key(git: Git) -> str:
    """The key that git signs with by SSH, as it is configured; "" for none."""
    if git.try_text("config", "gpg.format") != "ssh":
        return ""
    return git.try_text("config", "--type=path", "user.signingkey") or git.try_text("config", "user.signingkey") or ""


def signing_key(git: Git, file: str) -> SigningKey:
    """The key in a file. Raises EnvironmentFault when ssh-keygen cannot read it."""
    program = git.try_text("config", "--type=path", "gpg.ssh.program") or "ssh-keygen"
    done = _run(["ssh-keygen", "-l", "-f", file], b"", git.environ)
    told = re.search(rb"SHA256:([A-Za-z0-9+/]+)", done.stdout)
    if done.returncode or told is None:
        raise EnvironmentFault(f"{file} is no key that ssh-keygen can read: {_complaint(done)}", "name it with --sign")
    try:
        digest = base64.b64decode(told.group(1) + b"=" * (-len(told.group(1)) % 4))
    except binascii.Error as broken:
        raise EnvironmentFault(f"ssh-keygen gives a fingerprint of {file} that cannot be read") from broken
    return SigningKey(file, program, digest.hex()[:16])


def sign(data: bytes, key: SigningKey, environ: Mapping[str, str]) -> bytes:
    """The signature of these bytes. Raises EnvironmentFault."""
    done = _run([key.program, "-Y", "sign", "-q", "-n", NAMESPACE, "-f", key.file], data, environ)
    if done.returncode or not done.stdout.startswith(BEGINNING):
        raise EnvironmentFault(
            f"{key.file} did not sign: {_complaint(done)}", "unlock the key (ssh-add), or publish with --no-sign"
        )
    return done.stdout


def signer_of(data: bytes, signatures: Sequence[bytes], allowed: bytes, environ: Mapping[str, str]) -> Signer | None:
    """Who of the allowed signers signed these bytes; None when none of the signatures is a good one of theirs."""
    import tempfile  # where no run was published, none is checked

    with tempfile.TemporaryDirectory(prefix="shipmoor-hooks-") as folder:
        signers, file = os.path.join(folder, "allowed_signers"), os.path.join(folder, "signature")
        with open(signers, "wb") as stream:
            stream.write(allowed)
        for signature in signatures:
            with open(file, "wb") as stream:
                stream.write(signature)
            asked = ["ssh-keygen", "-Y", "find-principals", "-q", "-s", file, "-f", signers]
            names = _run(asked, b"", environ).stdout.decode("utf-8", "replace").splitlines()
            for name in names[:8]:
                words = ["ssh-keygen", "-Y", "verify", "-s", file, "-n", NAMESPACE, "-f", signers, "-I", name]
                done = _run(words, data, environ)
                told = _GOOD.search(done.stdout.decode("utf-8", "replace"))
                if done.returncode == 0 and told is not None:
                    return Signer(told.group(1), told.group(2))
    return None


def _run(words: Sequence[str], data: bytes, environ: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            list(words), input=data, env=dict(environ), capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as failed:
        raise EnvironmentFault(f"{words[0]} cannot be asked: {failed}", "install OpenSSH 8.1 or newer") from failed


def _complaint(done: subprocess.CompletedProcess[bytes]) -> str:
    return last_line(done.stderr.decode("utf-8", "replace")) or f"it ended with {done.returncode}"
