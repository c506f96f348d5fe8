"""What Schemathesis needs besides a description: how sessions last, and the exceptions in exceptions.json."""

import functools
import json
import os
import re
import urllib.request
from pathlib import Path

import schemathesis
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.failures import Failure, FailureGroup

SERVICE = os.environ["JUDGE_SERVICE"]
USED = Path(os.environ["JUDGE_USED"])
EXCEPTIONS = [
    exception
    for exception in json.loads((Path(__file__).parent / "exceptions.json").read_text())
    if exception["service"] == SERVICE
]


def faults(response):
    """The errors in an answer: each of its `errors` as "field: message", else its detail."""
    try:
        body = response.json()
    except ValueError:
        return []
    errors = body.get("errors") or []
    return [f"{error['field']}: {error['message']}" for error in errors] or [body.get("detail", "")]


def exception_for(check, case, response, fault):
    operation = f"{case.operation.method.upper()} {case.operation.path}"
    for exception in EXCEPTIONS:
        if (
            exception["check"] == check
            and exception["status"] == response.status_code
            and re.fullmatch(exception["operation"], operation)
            and re.search(exception["fault"], fault)
        ):
            return exception
    return None


def is_excepted(check, case, response):
    """Whether exceptions.json covers all errors in the answer; records the exceptions used."""
    found = [exception_for(check, case, response, fault) for fault in faults(response)]
    if not found or None in found:
        return False
    with USED.open("a") as used:
        used.writelines(exception["reason"] + "\n" for exception in found)
    return True


def with_exceptions(check):
    @functools.wraps(check)
    def excepting(ctx, response, case):
        try:
            return check(ctx, response, case)
        except (Failure, FailureGroup):
            if is_excepted(check.__name__, case, response):
                return None
            raise

    return excepting


load_all_checks()
for name in {exception["check"] for exception in EXCEPTIONS}:
    CHECKS.register(with_exceptions(CHECKS.get_one(name)))


@schemathesis.hook
def before_call(context, case, kwargs):
    """A logout ends its session, so each logout gets a separate session and the others continue."""
    del context, kwargs
    if case.operation.path != "/api/logout" or not case.cookies:
        return
    # Another cookie is one that Schemathesis has made up, to be refused.
    if case.cookies.get("gallery_session") == os.environ["JUDGE_SESSION"]:
        case.cookies = {**case.cookies, "gallery_session": new_session()}


def new_session():
    request = urllib.request.Request(
        os.environ["JUDGE_LOGIN_URL"],
        data=os.environ["JUDGE_LOGIN_BODY"].encode(),
        headers={"content-type": "application/json", "x-forwarded-for": "192.0.2.1"},
    )
    with urllib.request.urlopen(request) as response:
        return re.match(r"gallery_session=([^;]+)", response.headers["set-cookie"])[1]
