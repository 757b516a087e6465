"""The one place that turns exceptions into exit codes (design, section 7; STYLE rule 4).

One line on the screen says what happened and what to do; the traceback of a bug goes to a log file whose path is shown.
SHIPMOOR_HOOKS_DEBUG=1 shows the traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping

from shipmoor_hooks.errors import EXIT_ENVIRONMENT, EXIT_INTERRUPTED, ShipmoorError
from shipmoor_hooks.output import flush, say
from shipmoor_hooks.visible import visible

DEBUG = "SHIPMOOR_HOOKS_DEBUG"


def guarded(action: Callable[[], int], environ: Mapping[str, str]) -> int:
    """The action's exit code, or that of the error which it raised. Whoever cannot read the output changes no code."""
    try:
        code = action()
    except ShipmoorError as error:
        code = _told(error, environ)
    except KeyboardInterrupt:
        say(sys.stderr, "shipmoor-hooks: interrupted")
        code = EXIT_INTERRUPTED
    except (OSError, RecursionError, MemoryError) as error:
        _debug(environ)
        say(sys.stderr, f"shipmoor-hooks: {visible(str(error) or type(error).__name__)}")
        code = EXIT_ENVIRONMENT
    except Exception as error:
        code = _bug(error, environ)
    flush(sys.stdout)
    flush(sys.stderr)
    return code


def _told(error: ShipmoorError, environ: Mapping[str, str]) -> int:
    _debug(environ)
    lines = [visible(line) for line in error.message.split("\n")]
    say(sys.stderr, "\n".join([f"shipmoor-hooks: {lines[0]}", *lines[1:]]))
    if error.next_step:
        say(sys.stderr, f"  next: {visible(error.next_step)}")
    return error.exit_code


def _bug(error: Exception, environ: Mapping[str, str]) -> int:
    _debug(environ)
    where = _log(error, environ)
    say(sys.stderr, f"shipmoor-hooks: this is a bug of ours ({type(error).__name__}: {visible(str(error))[:200]})")
    say(sys.stderr, f"  next: report it with {where}" if where else f"  next: run it again with {DEBUG}=1")
    return EXIT_ENVIRONMENT


def _debug(environ: Mapping[str, str]) -> None:
    if environ.get(DEBUG) == "1":
        import traceback  # loaded for a bug: it is an eighth of what loading the gate takes

        say(sys.stderr, "\n".join(visible(line) for line in traceback.format_exc().splitlines()))


def _log(error: Exception, environ: Mapping[str, str]) -> str:
    """Write the traceback where platformdirs says; "" when that cannot be."""
    import traceback

    from shipmoor_hooks import state

    try:
        path = os.path.join(state.log_root(environ), "errors.log")
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write("".join(traceback.format_exception(error)) + "\n")
    except (OSError, ShipmoorError):
        return ""
    return path
