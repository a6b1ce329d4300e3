"""Countersign's client: asks people to approve what an agent wants to do, and waits.

It needs Python 3.9 and its standard library.

    cs = Countersign("https://cs.example.org", os.environ["COUNTERSIGN_KEY"])

    @cs.guard(reason="Invoice 17")
    def pay(amount, to): ...

    pay(100, to="ACME")  # runs as approved, or raises NotApproved
"""

import asyncio
import decimal
import functools
import http.client
import inspect
import json
import random
import re
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

__all__ = ["Countersign", "CountersignError", "NotApproved", "Outcome", "words"]

SLICE = 50  # seconds of one call: proxies cut longer ones
MIN_PAUSE, MAX_PAUSE = 0.2, 5.0  # seconds between two tries
GRACE, ANSWER_TIMEOUT, CONSUME_TIMEOUT = 5, 30, 30
MAX_ANSWER = 16 << 20  # bytes
NO_ANSWER = "this is no answer of Countersign"


class CountersignError(Exception):
    """A refusal by the server (status), or no answer (status 0)."""

    def __init__(self, message, status=0, problem=None, temporary=False):
        super().__init__(message)
        self.status, self.problem = status, problem
        self.temporary = temporary or status in (429, 502, 503, 504)


class NotApproved(Exception):
    """Raised by a guarded function that did not run. The reason is fit for a model.

    The cause is that of the outcome, or "unavailable" when Countersign could not be asked.
    """

    def __init__(self, reason, cause, confirm_id):
        super().__init__(reason)
        self.reason, self.cause, self.confirm_id = reason, cause, confirm_id


class Outcome(dict):
    """What became of a request. Its members are attributes too; raw is the answer's text."""

    raw = ""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.get(name)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args, **kwargs):
        return None  # it would send the key elsewhere


class Countersign:
    """Calls one server with one key. Threads may share it."""

    def __init__(self, url, key, *, insecure=False):
        at = urllib.parse.urlsplit(url)
        if at.scheme not in ("http", "https") or not at.hostname:
            raise ValueError("url is not like https://cs.example.org")
        if at.scheme == "http" and not insecure and not re.fullmatch(r"localhost|127\.[\d.]+|::1", at.hostname):
            raise ValueError("%s would send the key over plain HTTP: use https, or insecure=True" % url)
        if not key or not key.isascii() or not key.isprintable():
            raise ValueError("key is missing, or has characters that no key has")
        self._url, self._key = "%s://%s" % (at.scheme, at.netloc), key
        self._opener = urllib.request.build_opener(_NoRedirect)

    def ask(self, actions, *, reason=None, timeout=300, id=None, **more):
        """Posts a request and waits for its outcome. The same id and content attach to it."""
        id = id or str(uuid.uuid4())
        confirm = dict(target_type="other", **more, confirm_id=id, actions=actions, reason=reason, timeout=timeout)
        text, _ = self._call("POST", "/api/v1/confirms?wait=%d" % SLICE, _dump(confirm), wait=SLICE, until=_after(timeout))
        return _settled(text, id) or self._await(id, _after(timeout + GRACE))

    def outcome(self, confirm_id):
        """Waits for the outcome of a request."""
        return self._await(confirm_id, float("inf"))

    def _await(self, id, until):
        while True:
            began = time.monotonic()
            text, _ = self._call("GET", "%s/outcome?wait=%d" % (_path(id), SLICE), wait=SLICE, until=until)
            outcome = _settled(text, id)
            if outcome:
                return outcome
            time.sleep(max(0, began + MIN_PAUSE - time.monotonic()))  # a server that stops does not wait

    def native(self, format, body, *, raw=False, timeout=300, execution_id=None, **members):
        """Returns the decision in the framework's own shape.

        body is what the framework has in its hands. A str or bytes is sent, and with
        raw=True returned, byte for byte.
        """
        query = {"timeout": timeout, "execution_id": execution_id or str(uuid.uuid4()), "wait": SLICE}
        query.update((name, value) for name, value in members.items() if value is not None)
        path = "/api/v1/native/%s?%s" % (urllib.parse.quote(format, safe=""), urllib.parse.urlencode(query))
        body = body.encode() if isinstance(body, str) else body if isinstance(body, bytes) else _dump(body)
        headers, until = {}, _after(timeout)
        while True:
            began = time.monotonic()
            text, header = self._call("POST", path, body, headers, wait=SLICE, until=until)
            status = header.get("Countersign-Status")
            if not status:
                raise CountersignError(NO_ANSWER)
            if status != "pending":
                return text if raw else _exact(text)
            headers, until = {"Countersign-Confirm": header.get("Countersign-Confirm", "")}, _after(timeout + GRACE)
            time.sleep(max(0, began + MIN_PAUSE - time.monotonic()))

    def guard(self, name=None, **options):
        """Decorates a function that is to run only when it is approved, once.

        It runs with the approved arguments, by name, as JSON has them: edited, or as
        they were shown. Else NotApproved is raised.
        """

        def decorate(fn):
            signature = inspect.signature(fn)
            if any(p.kind in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL) for p in signature.parameters.values()):
                raise TypeError("guard needs a function whose parameters all have names")

            def approve(args, kwargs):
                bound = signature.bind(*args, **kwargs)
                bound.apply_defaults()
                shown = {}
                for parameter in signature.parameters.values():
                    value = bound.arguments[parameter.name]
                    shown.update(value if parameter.kind is parameter.VAR_KEYWORD else {parameter.name: value})
                return self._approved(name or fn.__name__, shown, options)

            @functools.wraps(fn)
            async def run_async(*args, **kwargs):
                return await fn(**await asyncio.to_thread(approve, args, kwargs))

            @functools.wraps(fn)
            def run(*args, **kwargs):
                return fn(**approve(args, kwargs))

            return run_async if inspect.iscoroutinefunction(fn) else run

        return decorate

    def _approved(self, name, args, options):
        """Asks for a call, uses the approval and returns the arguments to run with."""
        shown = json.loads(_dump(args))  # what the caller changes later does not count
        options = dict(options)
        id = options.pop("id", None) or str(uuid.uuid4())
        action = {"name": name, "args": shown, "description": options.pop("description", None)}
        try:
            outcome = self.ask([action], id=id, **options)
            if outcome.status != "approved":
                raise NotApproved(words(outcome), outcome.cause, id)
            decision = (outcome.decisions or [{}])[0]
            if decision.get("type") == "edit":
                shown = _exact(outcome.raw)["decisions"][0]["edited_action"]["args"]
            elif decision.get("type") != "approve":
                raise CountersignError(NO_ANSWER)
            self.consume(id, decision.get("args_hash"))
        except (CountersignError, LookupError, TypeError, AttributeError) as error:
            raise NotApproved("Countersign could not be asked (%s), so this does not run." % error, "unavailable", id) from error
        return shown

    def consume(self, confirm_id, args_hash, *, action=0, execution_id=None):
        """Uses an approval, so that no other execution can."""
        use = {"confirm_id": confirm_id, "execution_id": execution_id or str(uuid.uuid4()), "action": action, "args_hash": args_hash}
        text, _ = self._call("POST", "/api/v1/gate/consume", _dump(use), until=_after(CONSUME_TIMEOUT))
        used = _parse(text)
        if any(used.get(name) != use[name] for name in ("confirm_id", "execution_id")):
            raise CountersignError(NO_ANSWER)

    def cancel(self, confirm_id, reason=None):
        """Withdraws a request that is not decided."""
        self._call("POST", _path(confirm_id) + "/cancel", _dump({"reason": reason}), until=_after(CONSUME_TIMEOUT))

    def _call(self, method, path, body=None, headers=None, *, wait=0, until):
        """Makes a call again until it is answered, fails for good, or it is late."""
        longest = 2 * MIN_PAUSE
        while True:
            try:
                return self._send(method, path, body, headers or {}, wait)
            except CountersignError as error:
                pause = random.uniform(MIN_PAUSE, longest)
                if not error.temporary or time.monotonic() + pause > until:
                    raise
            time.sleep(pause)
            longest = min(2 * longest, MAX_PAUSE)

    def _send(self, method, path, body, headers, wait):
        headers = {"Authorization": "Bearer " + self._key, **headers}
        if body is not None:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self._url + path, data=body, headers=headers, method=method)
        try:
            with self._opener.open(request, timeout=wait + ANSWER_TIMEOUT) as response:
                return response.read(MAX_ANSWER).decode("utf-8", "replace"), response.headers
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error) from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise CountersignError(str(reason) or type(reason).__name__, temporary=not isinstance(reason, ssl.SSLCertVerificationError)) from error


def words(outcome):
    """Returns the outcome in a sentence, fit to hand to a model."""
    role, reason = outcome.get("decided_by_role"), outcome.get("reason")
    if outcome.get("cause") not in ("human", "agent") or outcome.get("status") != "rejected":
        return reason or "The request is %s." % outcome.get("status")
    reason = next((d["message"] for d in outcome.get("decisions") or [] if d.get("message")), reason)
    return "Rejected by %s: %s" % (role, reason) if reason else "Rejected by %s, without a reason." % role


def _refusal(error):
    problem = None
    try:
        problem = _parse(error.read(MAX_ANSWER).decode("utf-8", "replace"))
    except (CountersignError, OSError, http.client.HTTPException):
        pass  # then the status alone must do
    detail = (problem or {}).get("detail")
    return CountersignError("%d %s" % (error.code, error.reason) + (": %s" % detail if detail else ""), error.code, problem)


def _after(seconds):
    return time.monotonic() + seconds


def _path(id):
    return "/api/v1/confirms/" + urllib.parse.quote(id, safe="")


def _dump(value):
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


def _parse(text, **options):
    try:
        value = json.loads(text, **options)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, (dict, list)):
        raise CountersignError(NO_ANSWER)
    return value


def _settled(text, id):
    """Returns the outcome, or None while there is none. Only an outcome has a hash."""
    outcome = _parse(text)
    if not isinstance(outcome, dict) or outcome.get("confirm_id") != id:
        raise CountersignError(NO_ANSWER)
    if not outcome.get("content_hash") or outcome.get("status") == "pending":
        return None
    outcome = Outcome(outcome)
    outcome.raw = text
    return outcome


def _exact(text):
    """Parses JSON and refuses numbers that a float rounds: others were approved."""

    def number(literal):
        value = float(literal)
        if decimal.Decimal(literal) != decimal.Decimal(repr(value)):
            raise CountersignError("a float cannot hold the number " + literal)
        return value

    return _parse(text, parse_float=number)
