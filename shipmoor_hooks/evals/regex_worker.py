"""The process that matches: V8 by mini-racer, fed by `regex_engine` through pipes (design, section 8).

V8 ends its whole process where a pattern eats all memory, and cannot be stopped while it compiles one; therefore it lives
here and not beside the caller. A request is a line with the sizes of the long texts in bytes, a line of JSON `{"texts":
[short ones], "patterns": [[pattern, flags, count]], "questions": [[index of pattern, index of text, ...]]}`, and the long
texts' UTF-8, one after the other; they are numbered after the short ones. Lines come back: `.` whenever a deadline passed and
work goes on, then the answers as a JSON array.

Where backtracking takes too long, V8's other engine, which never backtracks, is asked. Its "no match" is an answer: it is
right by the rules of the language, and the program, whose engine gives up on such a pattern, reports the same. Its "match"
is none, because there the program's verdict and the language's differ. A pattern that was late three times is not tried again.
"""

from __future__ import annotations

import contextlib
import resource
import signal
import sys
from collections.abc import Sequence
from typing import BinaryIO, cast

from py_mini_racer import (
    DEFAULT_V8_FLAGS,
    JSEvalException,
    JSFunction,
    JSOOMException,
    JSTimeoutException,
    MiniRacer,
    init_mini_racer,
)

MEMORY = 1 << 30  # bytes of data that the process may hold
HEAP = 512 << 20  # bytes of V8's own heap
# Machine code from the first match on (ten times faster than V8's interpreter of patterns), and the flag `l`.
FLAGS = ("--no-regexp-tier-up", "--enable-experimental-regexp-engine")

_PROGRAM = r"""
(() => {
  const LATE = {}, STRIKES = 3;
  let texts, patterns, questions, answers, at;
  const known = new Map(), slow = new Map();
  const compiled = (pattern, flags) => {
    const key = flags + "/" + pattern;
    if (slow.get(key) >= STRIKES) throw LATE;
    let re = known.get(key);
    if (re === undefined) {
      if (known.size > 500) known.clear();
      re = new RegExp(pattern, flags);
      known.set(key, re);
    }
    re.lastIndex = 0;
    return re;
  };
  const counted = (re, text) => {
    let n = 0, found;
    while ((found = re.exec(text)) !== null) {
      n++;
      if (found[0] === "") {
        const at = re.lastIndex;
        re.lastIndex = at + ((re.unicode || re.unicodeSets) && text.codePointAt(at) > 0xffff ? 2 : 1);
      }
    }
    return n;
  };
  const flagsOf = (flags, count) => {
    if (flags.includes("l")) throw new SyntaxError("Invalid flags supplied to RegExp constructor");
    return count && !flags.includes("g") ? flags + "g" : flags;
  };
  const answer = ([asked, ...which], linear = "") => {
    const [pattern, flags, count] = patterns[asked];
    try {
      return which.map(i => {
        const re = compiled(pattern, linear + flagsOf(flags, count));
        return count ? counted(re, texts[i]) : +re.test(texts[i]);
      });
    } catch (e) {
      if (e === LATE) return {late: true};
      const why = String(e && e.message).split(": ").pop();
      return e instanceof SyntaxError && !/too large|too many|overflow/i.test(why) ? {threw: why} : {limit: why};
    }
  };
  globalThis.load = (message, ...long) => {
    ({texts, patterns, questions} = JSON.parse(message));
    texts.push(...long);
    answers = [];
    at = 0;
    return questions.length;
  };
  globalThis.run = (end) => {
    for (; at < end; at++) answers[at] = answer(questions[at]);
    if (at < questions.length) return "";
    const all = JSON.stringify(answers);
    texts = patterns = questions = answers = null;
    return all;
  };
  globalThis.where = () => at;
  globalThis.late = () => {
    const [pattern, flags, count] = patterns[questions[at][0]], key = flagsOf(flags, count) + "/" + pattern;
    slow.set(key, (slow.get(key) || 0) + 1);
    answers[at++] = {late: true};
  };
  // The engine without backtracking, which not every pattern can take. Only its "no" is believed: see the docstring.
  globalThis.none = () => {
    const found = answer(questions[at - 1], "l");
    if (Array.isArray(found) && found.every(n => n === 0)) answers[at - 1] = found;
  };
})()
"""


class Matcher:
    """V8 with our program loaded. `deadline` is in seconds and holds for each question."""

    def __init__(self, deadline: float) -> None:
        init_mini_racer(flags=(*DEFAULT_V8_FLAGS, *FLAGS), ignore_duplicate_init=True)
        self._racer = MiniRacer()
        self._racer.set_hard_memory_limit(HEAP)
        self._racer.eval(_PROGRAM)
        self._load, self._run, self._where, self._late, self._none = (
            cast(JSFunction, self._racer.eval(name)) for name in ("load", "run", "where", "late", "none")
        )
        self._deadline = deadline

    def answers(self, request: str, texts: Sequence[str], out: BinaryIO) -> str:
        """The answers to one request as JSON; a `.` goes to `out` for every deadline that passed."""
        end = cast(int, self._load(request, *texts))
        one_by_one = False
        while True:
            first = cast(int, self._where())
            try:
                found = cast(str, self._run(min(first + 1, end) if one_by_one else end, timeout_sec=self._deadline))
            except JSTimeoutException:
                if self._where() == first:  # it had the whole time for itself
                    self._late()
                    with contextlib.suppress(JSTimeoutException):
                        self._none(timeout_sec=self._deadline)
                one_by_one = True
                _send(out, ".")
                continue
            if found:
                return found


def _send(out: BinaryIO, line: str) -> None:
    out.write(line.encode("ascii", "backslashreplace") + b"\n")
    out.flush()


def serve(source: BinaryIO, out: BinaryIO, deadline: float) -> None:
    """Answer requests until there are no more; a memory limit ends the process, which its parent takes as no answer."""
    matcher = Matcher(deadline)
    _send(out, "ready")
    for sizes in source:
        request = source.readline().decode("ascii")
        texts = [source.read(int(size)).decode("utf-8") for size in sizes.split()]
        try:
            _send(out, _ascii(matcher.answers(request, texts, out)))
        except (JSOOMException, JSEvalException):
            return


def _ascii(text: str) -> str:
    """JSON with everything beyond ASCII escaped, lone surrogates too."""
    return "".join(c if c < "\x7f" else "".join(f"\\u{u:04x}" for u in _units(c)) for c in text)


def _units(character: str) -> list[int]:
    data = character.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(data[i : i + 2]) for i in range(0, len(data), 2)]


def main() -> None:
    """`python -m shipmoor_hooks.evals.regex_worker SECONDS`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted and lets go of the pipe
    for what, limit in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_DATA, MEMORY)):
        hard = resource.getrlimit(what)[1]
        limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(what, (limit, hard))
    serve(sys.stdin.buffer, sys.stdout.buffer, float(sys.argv[1]))


if __name__ == "__main__":
    main()
