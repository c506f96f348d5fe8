"""What Schemathesis needs besides a description: how sessions last, and the exceptions of exceptions.ts."""

import functools
import json
import os
import re
import urllib.request
from pathlib import Path

import schemathesis
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.failures import Failure, FailureGroup

USED = Path(os.environ["CONFORMANCE_USED"])
EXCEPTIONS = json.loads(Path(os.environ["CONFORMANCE_EXCEPTIONS"]).read_text())
# What the service makes for a bucket, and a session.
STORED_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def faults(response, failure):
    """What an answer says is wrong: each of its `errors` as "field: message", or its detail; else what the check says."""
    try:
        body = response.json()
    except ValueError:
        # Not JSON, such as a feed: it names no fault of its own.
        return messages(failure)
    errors = body.get("errors") or []
    detail = [f"{body['detail']} [{body.get('code')}]"] if "detail" in body else []
    return [f"{error['field']}: {error['message']} [{error['code']}]" for error in errors] or detail or messages(failure)


def messages(failure):
    if isinstance(failure, FailureGroup):
        return [failed.message for failed in failure.exceptions]
    return [failure.message]


def exception_for(check, case, response, fault):
    operation = f"{case.operation.method.upper()} {case.operation.path}"
    for exception in EXCEPTIONS:
        if (
            check in exception["checks"]
            and exception["status"] == response.status_code
            and re.fullmatch(exception["operation"], operation)
            and re.search(exception["fault"], fault)
        ):
            return exception
    return None


def is_excepted(check, case, response, failure):
    """Whether exceptions.ts has everything that the answer says is wrong, and notes what was used."""
    found = [exception_for(check, case, response, fault) for fault in faults(response, failure)]
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
        except (Failure, FailureGroup) as failure:
            if is_excepted(check.__name__, case, response, failure):
                return None
            raise

    return excepting


load_all_checks()
for name in {check for exception in EXCEPTIONS for check in exception["checks"]}:
    CHECKS.register(with_exceptions(CHECKS.get_one(name)))


@schemathesis.hook
def before_call(context, case, kwargs):
    """A logout ends its session, so each logout gets a separate session and the others continue."""
    del context, kwargs
    if case.operation.path != "/api/logout" or not case.cookies:
        return
    # Another cookie is one that Schemathesis has made up, to be refused.
    if case.cookies.get("gallery_session") == os.environ["CONFORMANCE_SESSION"]:
        case.cookies = {**case.cookies, "gallery_session": new_session()}


@schemathesis.hook("before_call")
def keep_session(context, case, kwargs):
    """Of the sessions that are listed, one is that of all requests."""
    del context, kwargs
    if case.operation.path == "/api/me/sessions/{id}" and STORED_ID.fullmatch(str(case.path_parameters.get("id"))):
        case.path_parameters = {**case.path_parameters, "id": "00000000-0000-4000-8000-000000000000"}


@schemathesis.hook("before_call")
def keep_bucket(context, case, kwargs):
    """The gallery works on the active bucket: a made-up one would leave nothing of it to check."""
    del context, kwargs
    if case.operation.path != "/api/settings/buckets" or not isinstance(case.body, dict):
        return
    if case.body.get("setActive") is True:
        case.body = {**case.body, "setActive": False}
    if case.body.get("action") == "set-active" and STORED_ID.fullmatch(str(case.body.get("id"))):
        case.body = {**case.body, "id": "default"}


def new_session():
    request = urllib.request.Request(
        os.environ["CONFORMANCE_LOGIN_URL"],
        data=os.environ["CONFORMANCE_LOGIN_BODY"].encode(),
        headers={"content-type": "application/json", "x-forwarded-for": "192.0.2.1"},
    )
    with urllib.request.urlopen(request) as response:
        return re.match(r"gallery_session=([^;]+)", response.headers["set-cookie"])[1]
