"""Reads exchanges as JSON Lines and writes httplint's notes of level BAD and WARN as JSON Lines."""

import base64
import json
import sys

from httplint import HttpRequestLinter, HttpResponseLinter, levels


def pairs(headers):
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]


def flat(notes):
    for note in notes:
        yield note
        yield from flat(note.subnotes)


def lint(exchange):
    request = HttpRequestLinter()
    request.process_request_topline(exchange["method"].encode(), exchange["uri"].encode(), b"1.1")
    request.process_headers(pairs(exchange["requestHeaders"]))
    request.finish_content(True)
    response = HttpResponseLinter(start_time=exchange["time"])
    response.request = request
    response.base_uri = exchange["uri"]
    response.is_head_response = exchange["method"] == "HEAD"
    response.process_response_topline(b"1.1", str(exchange["status"]).encode(), exchange["phrase"].encode())
    response.process_headers(pairs(exchange["responseHeaders"]))
    response.feed_content(base64.b64decode(exchange["body"]))
    response.finish_content(True)
    return response.notes


for line in sys.stdin:
    exchange = json.loads(line)
    for note in flat(lint(exchange)):
        if note.level in (levels.BAD, levels.WARN):
            print(
                json.dumps(
                    {
                        "exchange": exchange["name"],
                        "level": note.level.name,
                        "note": type(note).__name__,
                        "subject": note.subject,
                        "summary": str(note.summary),
                    }
                )
            )
