"""A loopback stand-in for a model's service, as the real eval program asks it: `POST /v1/messages`, streamed or not.

Started as `python messages_service.py SCRIPT FOLDER -- COMMAND...` inside a network namespace of its own (`unshare -n -m`): it
brings the loopback up, binds FOLDER to /mnt, answers on a free port by a replay script, and runs the command with
ANTHROPIC_BASE_URL pointing there. Nothing is reachable but this process.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from shipmoor_hooks.evals.replay_script import Reply, Session, Turn, next_turn, replies_of, reply_to, steps_of

_SET_FLAGS, _IS_UP = 0x8914, 0x1


def loopback_up() -> None:
    """What `ip link set lo up` does."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh", b"lo", _IS_UP))


# ---------------------------------------------------------------- what is said


def turn_for(replies: Sequence[Reply], request: Mapping[str, Any]) -> Turn:
    """The next turn of the conversation in a request; a plain word where no command of a plugin was called in it."""
    messages = request.get("messages", [])
    called = [n for n, message in enumerate(messages) if "<command-name>" in _text(message.get("content"))]
    if not called:
        return Turn(("ok",))
    body = _text(messages[called[-1]]["content"])
    name = re.search(r"<command-name>/?([^<]*)</command-name>", body)
    given = re.search(r"<command-args>([^<]*)</command-args>", body)
    reply = reply_to(replies, f"/{name[1] if name else ''} {given[1] if given else ''}")
    if reply is None:
        return Turn(("there is no reply to this",))
    plugin = re.search(r"(/\S+)/lib/", body)
    outputs = _outputs(messages[called[-1] + 1 :])
    return next_turn(steps_of(reply, 1), Session(body, plugin[1] if plugin else ""), outputs)


def _outputs(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    blocks = [b for m in messages if isinstance(m.get("content"), list) for b in m["content"]]
    results = {b["tool_use_id"]: _text(b.get("content")) for b in blocks if b.get("type") == "tool_result"}
    return [results.get(b["id"], "") for b in blocks if b.get("type") == "tool_use"]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(b.get("text", "") for b in content or () if b.get("type") == "text")


# ---------------------------------------------------------------- how it is sent


def blocks_of(turn: Turn, number: int) -> list[dict[str, Any]]:
    """The content of the message; the input of a call is sent whole at its end."""
    texts = [{"type": "text", "text": text} for text in turn.texts]
    if turn.call is None:
        return texts
    return [
        *texts,
        {"type": "tool_use", "id": f"toolu_service{number:06}", "name": turn.call, "input": dict(turn.input)},
    ]


def events(blocks: Sequence[Mapping[str, Any]], head: Mapping[str, Any], stop: str) -> Iterator[dict[str, Any]]:
    """The messages stream of one reply, event by event."""
    yield {"type": "message_start", "message": {**head, "content": [], "stop_reason": None}}
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": stop, "stop_sequence": None},
        "usage": {"output_tokens": 5},
    }
    yield {"type": "message_stop"}


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    replies: Sequence[Reply] = ()
    lock = threading.Lock()
    count = 0

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 # the base class calls it so
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._json(200, {})

    def do_GET(self) -> None:
        self._json(404, {"type": "error", "error": {"type": "not_found_error", "message": "nothing here"}})

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.partition("?")[0]
        if path == "/v1/messages/count_tokens":
            self._json(200, {"input_tokens": 10})
        elif path == "/v1/messages":
            self._answer(request)
        else:
            self.do_GET()

    def _answer(self, request: Mapping[str, Any]) -> None:
        with Handler.lock:
            Handler.count += 1
            number = Handler.count
        turn = turn_for(self.replies, request)
        blocks = blocks_of(turn, number)
        stop = "tool_use" if turn.call else "end_turn"
        head = {
            "id": f"msg_service{number:06}", "type": "message", "role": "assistant", "model": request.get("model", ""),
            "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 5},
        }  # fmt: skip
        if not request.get("stream"):
            self._json(200, {**head, "content": blocks, "stop_reason": stop})
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in events(blocks, head, stop):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        self.close_connection = True

    def _json(self, code: int, document: object) -> None:
        body = json.dumps(document).encode()
        self.send_response(code)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def main(script: str, folder: str, command: list[str]) -> int:
    loopback_up()
    subprocess.run(["mount", "--bind", folder, "/mnt"], check=True)
    with open(script, encoding="utf-8") as stream:
        Handler.replies = replies_of(json.load(stream))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    told = {**os.environ, "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}", "ANTHROPIC_API_KEY": "dummy"}
    return subprocess.run(command, env=told, check=False, cwd="/mnt/voyage").returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[4:]))
