"""The process that matches: V8 by mini-racer, fed by `regex_engine` through pipes (design, section 8).

V8 ends its whole process where a pattern eats all memory, and cannot be stopped while it compiles one; therefore it lives
here and not beside the caller. A request is what `regex_request` writes. Lines come back: `.` whenever a deadline passed and
work goes on, then the answers as a JSON array, one a match: a number, or an object that says why there is none.

Where backtracking takes too long, V8's other engine, which never backtracks, is asked. Its "no match" is an answer: it is
right by the rules of the language, and the program, whose engine gives up on such a pattern, reports the same. Its "match"
is none, because there the program's verdict and the language's differ. A pattern that was late three times is not tried again.
"""

from __future__ import annotations

import contextlib
import resource
import signal
import sys
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
  let patterns, texts, first, step, matches, ready, answers, at;
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
  const tried = (number, text, linear) => {
    const [pattern, flags, count] = patterns[number];
    const re = (!linear && ready[number]) || compiled(pattern, linear + flagsOf(flags, count));
    if (!linear) ready[number] = re;
    re.lastIndex = 0;
    return count ? counted(re, text) : +re.test(text);
  };
  const answer = (match, linear = "") => {
    const number = Math.floor(match / step);
    try {
      return tried(number, texts[match - number * step - first], linear);
    } catch (e) {
      if (e === LATE) return {late: true};
      const why = String(e && e.message).split(": ").pop();
      return e instanceof SyntaxError && !/too large|too many|overflow/i.test(why) ? {threw: why} : {limit: why};
    }
  };
  globalThis.load = (head, data) => {
    let end = 0;
    const text = own => typeof own === "string" ? own : data.slice(end, end += own);
    ({patterns, texts, first, step, matches} = JSON.parse(head));
    texts = texts.map(text);
    ready = [];
    answers = [];
    at = 0;
    return matches.length;
  };
  globalThis.run = (end) => {
    for (; at < end; at++) answers[at] = answer(matches[at]);
    if (at < matches.length) return "";
    const all = JSON.stringify(answers);
    texts = answers = null;
    return all;
  };
  globalThis.where = () => at;
  globalThis.late = () => {
    const number = Math.floor(matches[at] / step);
    const [pattern, flags, count] = patterns[number], key = flagsOf(flags, count) + "/" + pattern;
    slow.set(key, (slow.get(key) || 0) + 1);
    ready[number] = undefined;
    answers[at++] = {late: true};
  };
  // The engine without backtracking, which not every pattern can take. Only its "no" is believed: see the docstring.
  globalThis.none = () => {
    if (answer(matches[at - 1], "l") === 0) answers[at - 1] = 0;
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
        self._load = cast(JSFunction, self._racer.eval("load"))
        self._deadline = deadline

    def answers(self, head: str, texts: str, out: BinaryIO) -> str:
        """The answers to one request as JSON; a `.` goes to `out` for every deadline that passed."""
        end = cast(int, self._load(head, texts))
        first, alone = 0, False
        while True:
            try:
                found = self._racer.eval(f"run({first + 1 if alone else end})", timeout_sec=self._deadline)
            except JSTimeoutException:
                at = cast(int, self._racer.eval("where()"))
                alone = at > first  # what was being tried had not the whole time for itself, and is tried again
                if not alone:
                    self._racer.eval("late()")
                    with contextlib.suppress(JSTimeoutException):
                        self._racer.eval("none()", timeout_sec=self._deadline)
                    at += 1
                first = at
                _send(out, ".")
                continue
            if found:
                return cast(str, found)
            first, alone = first + 1, False


def _send(out: BinaryIO, line: str) -> None:
    out.write(line.encode("utf-8") + b"\n")
    out.flush()


def serve(source: BinaryIO, out: BinaryIO, deadline: float) -> None:
    """Answer requests until there are no more; a memory limit ends the process, which its parent takes as no answer."""
    matcher = Matcher(deadline)
    _send(out, "ready")
    for size in source:
        head = source.readline().decode("ascii")
        texts = source.read(int(size)).decode("utf-8")
        try:
            _send(out, matcher.answers(head, texts, out))
        except (JSOOMException, JSEvalException):
            return


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
