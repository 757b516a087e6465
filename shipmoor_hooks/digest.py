"""SHA-256 by whichever of Python's two modules costs less: OpenSSL's is a large library to load, and faster once it is."""

from __future__ import annotations

import sys

_LARGE = 1 << 17  # bytes above which loading OpenSSL pays


def sha256(data: bytes) -> bytes:
    """The digest; by Python's own small module, by OpenSSL for what is large or where it is loaded already."""
    if len(data) < _LARGE and "hashlib" not in sys.modules:
        for name in ("_sha256", "_sha2"):  # the first up to Python 3.11
            try:
                digest: bytes = __import__(name).sha256(data).digest()
            except ImportError:
                continue
            return digest
    import hashlib

    return hashlib.sha256(data).digest()
