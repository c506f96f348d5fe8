"""Reads XML documents as JSON Lines, each with its body in base64, and writes how each breaks sitemap.xsd."""

import base64
import json
import pathlib
import sys

from lxml import etree

SCHEMA = etree.XMLSchema(etree.parse(pathlib.Path(__file__).with_name("sitemap.xsd")))


def fault(body):
    try:
        SCHEMA.assertValid(etree.fromstring(base64.b64decode(body), etree.XMLParser(huge_tree=True)))
    except etree.Error as error:
        return str(error)
    return None


for line in sys.stdin:
    document = json.loads(line)
    print(json.dumps({"name": document["name"], "fault": fault(document["body"])}))
