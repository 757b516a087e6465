"""Asks the key store of the operating system, in a process that can be killed: `get SERVICE...` or `put SERVICE`.

The only importer of keyring. A key store may ask a person and wait without end, may raise anything, and may be steered by
configuration; so this runs alone, with a cleaned environment, and whatever goes wrong here is an exit code to the caller.
The backends are named here and made directly: keyring's own choice reads `keyringrc.cfg`, which can load any class from any
folder, PYTHON_KEYRING_BACKEND, and every installed plug-in, weak ones among them.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

USER = "default"
# keyring's own recommended ones (priority 1 and above).
BACKENDS = (
    "keyring.backends.macOS.Keyring",
    "keyring.backends.Windows.WinVaultKeyring",
    "keyring.backends.SecretService.Keyring",
    "keyring.backends.kwallet.DBusKeyring",
    "keyring.backends.libsecret.Keyring",
)
NONE = 3  # exit code: no backend works here


def main(arguments: list[str]) -> int:
    """`BACKEND|- get SERVICE...` or `BACKEND|- put SERVICE`, the secret on stdin; prints one JSON object."""
    wanted, action, *services = arguments
    store, name = backend([wanted] if wanted in BACKENDS else BACKENDS)
    if store is None:
        return NONE
    if action == "put":
        store.set_password(services[0], USER, sys.stdin.read())
    # Read back also what was just written: some stores take everything and keep nothing.
    found = {service: store.get_password(service, USER) for service in services}
    sys.stdout.write(json.dumps({"backend": name, "found": found}))
    return 0


def backend(names: Any) -> tuple[Any, str]:
    """The recommended backend of the highest priority that works here, and its name; None when there is none."""
    best: tuple[float, Any, str] = (0.0, None, "")
    for name in names:
        module, _, kind = name.rpartition(".")
        try:
            one = getattr(importlib.import_module(module), kind)
            priority = one.priority  # raises RuntimeError where it cannot work, or whatever its library raises
        except (ImportError, AttributeError, RuntimeError, OSError):
            continue
        if priority >= 1 and priority > best[0]:
            best = (priority, one, name)
    return (best[1]() if best[1] is not None else None), best[2]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
