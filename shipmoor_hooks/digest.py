"""SHA-256 by whichever of Python's two modules costs less: OpenSSL's is a large library to load, and faster once it is."""

from __future__ import annotations

try:
    from _sha256 import sha256 as _small  # type: ignore[import-not-found]
except ImportError:
    try:
        from _sha2 import sha256 as _small  # type: ignore[import-not-found]  # from Python 3.12
    except ImportError:
        from hashlib import sha256 as _small

_LARGE = 3 << 17  # bytes above which loading OpenSSL pays: it takes as long as 1.4 MB take here


def sha256(data: bytes) -> bytes:
    """The digest; by Python's own small module, by OpenSSL for what is large."""
    if len(data) < _LARGE:
        digest: bytes = _small(data).digest()
        return digest
    import hashlib

    return hashlib.sha256(data).digest()
