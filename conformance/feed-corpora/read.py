"""Reads feeds as JSON Lines, each with its body in base64, and writes what feedparser makes of each, in plain text.

Most feeds of the corpora are one element long. What an item needs and they lack, a link and a title, is added first; the
body that was read is part of the answer, so that both parsers read the same.
"""

import base64
import calendar
import html.parser
import json
import re
import sys

import feedparser

# Their contents are no words to be read.
SKIPPED = {"script", "style", "noscript", "iframe", "svg", "figure", "video", "audio", "form"}

ENTRY = re.compile(rb"<(?:(\w+):)?(item|entry)(?:\s(?:\"[^\"]*\"|'[^']*'|[^>\"'])*)?>")


class Words(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.words = []
        self.inside = []

    def handle_starttag(self, tag, attrs):
        if tag in SKIPPED:
            self.inside.append(tag)

    def handle_endtag(self, tag):
        if self.inside and self.inside[-1] == tag:
            self.inside.pop()

    def handle_data(self, data):
        if not self.inside:
            self.words.append(data)


def plain(detail):
    if detail is None:
        return None
    if detail.get("type") not in ("text/html", "application/xhtml+xml"):
        return detail.get("value")
    reader = Words()
    reader.feed(detail.get("value") or "")
    reader.close()
    return "".join(reader.words)


def is_silent(entry):
    return not entry.get("title") and not entry.get("summary") and not any(part.value for part in entry.get("content", []))


def completed(body, entries):
    """The feed with a link and a title in each entry that lacks them."""
    missing = iter(entries)
    number = 0

    def complete(match):
        nonlocal number
        entry = next(missing, None)
        number += 1
        if entry is None:
            return match[0]
        is_atom = match[2] == b"entry"
        prefix = match[1] + b":" if match[1] and is_atom else b""
        address = b"https://feed.example/entries/%d" % number
        added = b""
        if not entry.get("link"):
            added += b'<%slink href="%s"/>' % (prefix, address) if is_atom else b"<link>%s</link>" % address
        if is_silent(entry):
            added += b"<%stitle>Title</%stitle>" % (prefix, prefix)
        return match[0] + added

    return ENTRY.sub(complete, body)


def parse(body, feed):
    return feedparser.parse(body, response_headers={"content-location": feed["address"]}, sanitize_html=False)


def seen(feed):
    body = base64.b64decode(feed["body"])
    body = completed(body, parse(body, feed).entries)
    parsed = parse(body, feed)
    return {
        "name": feed["name"],
        "body": base64.b64encode(body).decode("ascii"),
        "title": plain(parsed.feed.get("title_detail")),
        "entries": [
            {
                "id": entry.get("id"),
                "title": plain(entry.get("title_detail")),
                "texts": [plain(detail) for detail in [entry.get("summary_detail"), *entry.get("content", [])] if detail],
                "link": entry.get("link"),
                "dates": [
                    calendar.timegm(entry[name])
                    for name in ("published_parsed", "updated_parsed", "created_parsed")
                    if name in entry and entry[name] is not None
                ],
            }
            for entry in parsed.entries
        ],
    }


for line in sys.stdin:
    print(json.dumps(seen(json.loads(line))))
