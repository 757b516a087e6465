"""The error classes, each with its exit code (0 done, 1 refused, 2 usage, 3 no evidence, 4 environment; 130 interrupted).

Raise one of these with a full sentence and, where there is one, the next command. `error_handler` is the only place that
turns them into an exit code.
"""

from __future__ import annotations

EXIT_ALLOWED = 0
EXIT_REFUSED = 1
EXIT_USAGE = 2
EXIT_NO_EVIDENCE = 3
EXIT_ENVIRONMENT = 4
EXIT_INTERRUPTED = 130


class ShipmoorError(Exception):
    """A failure with one line for the user (`message`), what to do about it (`next_step`) and an exit code."""

    exit_code = EXIT_ENVIRONMENT

    def __init__(self, message: str, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step


class UsageFault(ShipmoorError):
    """The words of the call cannot be used (exit 2)."""

    exit_code = EXIT_USAGE


class PolicyFault(UsageFault):
    """The policy cannot be read: the message names file, line and key (exit 2)."""


class RepositoryFault(UsageFault):
    """There is no repository here, or it is not usable for what was asked (exit 2)."""


class EvidenceFault(ShipmoorError):
    """A report or a stored run is missing or unusable (exit 3)."""

    exit_code = EXIT_NO_EVIDENCE


class ReportFault(EvidenceFault):
    """A report file cannot be read: the message names the file and, where known, line and column (exit 3)."""


class EnvironmentFault(ShipmoorError):
    """Disk, permission, lock or key store (exit 4)."""


class GitFault(EnvironmentFault):
    """A git process failed where it should not have; `stderr` holds what it said (exit 4)."""

    def __init__(self, message: str, next_step: str = "", stderr: str = "") -> None:
        super().__init__(message, next_step)
        self.stderr = stderr
