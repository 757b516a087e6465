"""The entry that git's hooks and the hook hosts call: `shipmoor-hooks-hook STAGE [ARGUMENTS]` (design, section 7).

`python -I -m shipmoor_hooks.hook --shim PATH STAGE ...` is the same, called by our shim at PATH: a hook that stood
there before ours is run first. The stage is looked at before anything is imported: slow hooks get skipped.
"""

from __future__ import annotations

import os
import sys

from shipmoor_hooks import PROBE

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

STAGES = ("pre-push", "post-commit", "commit-msg", "pre-receive", "agent")


def program() -> NoReturn:
    """The whole process: it ends without taking everything apart, which costs a fifth of a start of Python."""
    code = main()
    from shipmoor_hooks.output import flush

    flush(sys.stdout)
    flush(sys.stderr)
    os._exit(code)


def main() -> int:
    """Run one stage with the words of `sys.argv`; the exit code."""
    arguments = sys.argv[1:]
    shim = ""
    if arguments[:1] == ["--shim"] and len(arguments) > 1:
        shim, arguments = arguments[1], arguments[2:]
    stage = arguments.pop(0) if arguments else ""
    if stage not in STAGES or (stage != "pre-push" and len(arguments) != (stage == "commit-msg")):
        say("usage: shipmoor-hooks-hook pre-push [REMOTE URL] | post-commit | commit-msg FILE | pre-receive | agent")
        return 2
    if stage == "agent":
        return agent()
    if stage == "pre-push":
        return pre_push(shim, arguments)
    if stage == "pre-receive":
        return pre_receive(shim)
    earlier = beside(shim, stage, arguments, b"")
    return at_commit(arguments) or earlier


def pre_push(shim: str, arguments: list[str]) -> int:
    """git calls with two arguments and one line a ref on stdin, a host without both: it speaks by PRE_COMMIT_*."""
    told = sys.stdin is not None and not sys.stdin.isatty()
    stdin = sys.stdin.buffer.read() if told else b""
    if os.environ.get(PROBE):
        return answer_probe(os.environ[PROBE], stdin)
    earlier = beside(shim, "pre-push", arguments, stdin)
    if told and not stdin and len(arguments) > 1:
        return earlier  # git calls with an empty list when nothing is left to push
    said: dict[str, Mapping[str, str]] = {}
    code = quickly(arguments, stdin, said) if stdin else host_quickly(said)
    if code is not None:
        return code or earlier
    load_site()
    from shipmoor_hooks.error_handler import guarded

    return guarded(lambda: judge(arguments, stdin, said), os.environ) or earlier


def pre_receive(shim: str) -> int:
    """git calls it in the repository that is pushed to, with one line a ref on stdin; what is refused was never there."""
    stdin = sys.stdin.buffer.read() if sys.stdin is not None and not sys.stdin.isatty() else b""
    earlier = beside(shim, "pre-receive", [], stdin)
    load_site()
    import time

    from shipmoor_hooks.error_handler import guarded

    def action() -> int:
        from shipmoor_hooks import receive

        return receive.run_pre_receive(stdin, os.getcwd(), os.environ, time.time(), sys.stdout, sys.stderr)

    return guarded(action, os.environ) or earlier


def agent() -> int:
    """A coding agent calls it with a JSON object on stdin; 1 is told to the person, 2 refuses and is told to the agent."""
    stdin = sys.stdin.buffer.read(1 << 24) if sys.stdin is not None and not sys.stdin.isatty() else b""
    import time

    from shipmoor_hooks.error_handler import guarded

    load_site()

    def action() -> int:
        from shipmoor_hooks import agent_hook

        return agent_hook.run(stdin, os.getcwd(), os.environ, time.time(), sys.stderr)

    # What we cannot read is our trouble and must not hold an agent up: only a refusal of ours is a 2.
    code = guarded(action, os.environ)
    return code if code in (0, 2) else 1


def quickly(arguments: list[str], stdin: bytes, said: dict[str, Mapping[str, str]]) -> int | None:
    """The gate's answer about a push that is plain enough to be judged by the quick path; None, and `said` is filled, else."""
    import time

    from shipmoor_hooks import output
    from shipmoor_hooks.quick import quick_gate

    told = quick_gate.answer(quick_gate.Asked(arguments, stdin, os.getcwd(), os.environ, time.time(), said))
    if told is None:
        return None
    output.say(sys.stdout, told.out)
    output.flush(sys.stdout)
    if told.err:
        output.say(sys.stderr, told.err)
    return told.code


def host_quickly(said: dict[str, Mapping[str, str]]) -> int | None:
    """The same under a hook host, which shows one ref of the push in its environment, where there is no news."""
    if not os.environ.get("PRE_COMMIT_TO_REF"):
        return None
    import time

    from shipmoor_hooks import output
    from shipmoor_hooks.quick import quick_host

    told = quick_host.answer(os.getcwd(), os.environ, time.time(), said)
    for stream, text in zip((sys.stdout, sys.stderr), told or (), strict=False):
        if text:
            output.say(stream, text)
        output.flush(stream)
    return None if told is None else 0


def said_quickly(now: float) -> bool:
    """Can what post-commit has to say be said without looking further?"""
    from shipmoor_hooks import output
    from shipmoor_hooks.quick import quick_commit

    lines = quick_commit.lines(os.getcwd(), os.environ, now)
    for line in lines or ():
        output.say(sys.stdout, line)
    output.flush(sys.stdout)
    return lines is not None


def nothing_to_say(message: str) -> bool:
    """Can commit-msg leave the message alone without looking further?"""
    from shipmoor_hooks.quick import quick_message

    return quick_message.has_nothing_to_say(message, os.getcwd(), os.environ)


def load_site() -> None:
    """Make up for `-S`, with which our shims start Python: from here on libraries are needed."""
    if sys.flags.no_site:
        import site

        site.main()


def judge(arguments: list[str], stdin: bytes, said: Mapping[str, Mapping[str, str]]) -> int:
    """The gate's answer about this push. `said` is what remotes have answered already.

    Raises UsageFault when neither git nor a host says what is pushed.
    """
    import time

    from shipmoor_hooks import push
    from shipmoor_hooks.errors import UsageFault
    from shipmoor_hooks.gate import run_pre_push
    from shipmoor_hooks.quick.quick_host import TOLD_BEFORE

    seen = push.from_git(arguments, stdin) if stdin else push.from_host(os.environ)
    if seen is None:
        raise UsageFault(
            "the pre-push hook was not told what is pushed: its standard input is empty and no host names a revision",
            "hand the hook git's standard input and arguments, or ask by hand: shipmoor-hooks gate",
        )
    here = (os.getcwd(), os.environ, time.time())
    if seen.from_host and seen.url and told_already(os.getcwd()):
        # Judged all the same: the host may have left our own hook out. Said twice it would only be read less.
        code = run_pre_push(seen, *here, None, None)
        say(TOLD_BEFORE)
        return code
    return run_pre_push(seen, *here, sys.stdout, sys.stderr, said)


def told_already(directory: str) -> bool:
    """Whether our own hook stands where the host runs it first, with git's whole list."""
    from shipmoor_hooks import place
    from shipmoor_hooks.wiring.hook_files import stands_beside_host

    return stands_beside_host(place.find(directory, os.environ, in_hook=True))


def at_commit(arguments: list[str]) -> int:
    """post-commit, which gets no argument, or commit-msg, which gets the message's file."""
    import time

    if nothing_to_say(arguments[0]) if arguments else said_quickly(time.time()):
        return 0
    load_site()
    from shipmoor_hooks import commit_hooks
    from shipmoor_hooks.error_handler import guarded

    def action() -> int:
        here = (os.getcwd(), os.environ, time.time(), sys.stdout, sys.stderr)
        return commit_hooks.run_commit_msg(arguments[0], *here) if arguments else commit_hooks.run_post_commit(*here)

    return guarded(action, os.environ)


def beside(shim: str, stage: str, arguments: list[str], stdin: bytes) -> int:
    """The code of the hook that stood here before ours, 0 where there was none."""
    earlier = os.path.join(os.path.dirname(shim), stage + ".shipmoor-chained")
    if not shim or not os.path.lexists(earlier):
        return 0
    from shipmoor_hooks.wiring.chain import run_earlier

    return run_earlier(earlier, arguments, stdin)


def answer_probe(path: str, stdin: bytes) -> int:
    """Tell `doctor` that this hook was called, and with which refs. Always a refusal: no way around the gate."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600), "wb") as answer:
            answer.write(b"called\n" + stdin)
    except OSError as failed:
        say(f"shipmoor-hooks: {PROBE} is set, but {path} cannot be written: {failed.strerror}")
        return 1
    say(f"shipmoor-hooks: the hook runs here. {PROBE} is set, so this push is refused; unset it to push.")
    return 1


def say(text: str) -> None:
    """One line on stderr, for the ways out that stand before the error handler."""
    from shipmoor_hooks import output

    output.say(sys.stderr, text)
    output.flush(sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
