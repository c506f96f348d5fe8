"""Reads feeds as JSON Lines, each with its body in base64, and writes what feedparser makes of each."""

import base64
import json
import sys

import feedparser


def seen(feed):
    parsed = feedparser.parse(base64.b64decode(feed["body"]), response_headers={"content-type": feed["type"]})
    return {
        "name": feed["name"],
        "version": parsed.version,
        "fault": str(parsed.bozo_exception) if parsed.bozo else None,
        "self": next((link.href for link in parsed.feed.get("links", []) if link.rel == "self"), None),
        "entries": [
            {
                "id": entry.get("id"),
                "title": entry.get("title"),
                "link": entry.get("link"),
                "picture": next((media["url"] for media in entry.get("media_content", [])), None),
                "tags": [tag.term for tag in entry.get("tags", [])],
                "dated": "published_parsed" in entry and entry.published_parsed is not None,
            }
            for entry in parsed.entries
        ],
    }


for line in sys.stdin:
    print(json.dumps(seen(json.loads(line))))
