"""Run by TestClients against a real server, with the client as that serves it."""

import asyncio
import http.server
import json
import os
import threading
import unittest
import urllib.error
import urllib.request

from countersign import Countersign, CountersignError, NotApproved

URL, JUDGE = os.environ["COUNTERSIGN_URL"], os.environ["JUDGE_KEY"]
cs = Countersign(URL, os.environ["COUNTERSIGN_KEY"])
PAY = {"name": "pay", "args": {"amount": 100}}


def told(path, body=None):
    """Returns the answer to the key of somebody who decides, None if it is refused."""
    headers = {"Authorization": "Bearer " + JUDGE, "Content-Type": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request("%s/api/v1/confirms%s" % (URL, path), body, headers)) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            if body:
                raise AssertionError(error.read()) from None
            return None


def await_posted(id):
    found = None
    while not found:
        found = told("/%s/outcome" % id)
    return json.loads(found)


def decide(id, decision):
    """Decides a request as soon as it is there. decision is JSON without its end."""
    told("/%s/decisions" % id, ('%s, "content_hash": "%s"}' % (decision, await_posted(id)["content_hash"])).encode())


APPROVE = '{"status": "approved"'


def edit(args):
    return '{"decisions": [{"type": "edit", "edited_action": {"name": "pay", "args": %s}}]' % args


def meanwhile(do, *args):
    thread = threading.Thread(target=do, args=args)
    thread.start()
    return thread


class Fake:
    """Serves answers (status, headers, body), the last one for good. None hangs up."""

    def __init__(self, test, *answers):
        self.asked, answers = asked, left = [], list(answers)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                asked.append((self.command + " " + self.path, dict(self.headers), body))
                answer = left.pop(0) if len(left) > 1 else left[0]
                if answer is None:
                    return
                status, headers, text = answer
                self.send_response(status)
                for name, value in {**headers, "Content-Length": len(text)}.items():
                    self.send_header(name, str(value))
                self.end_headers()
                self.wfile.write(text.encode())

            do_GET = do_POST

            def log_message(self, *args):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        meanwhile(server.serve_forever, 0.01)
        test.addCleanup(server.server_close)
        test.addCleanup(server.shutdown)
        self.at = Countersign("http://127.0.0.1:%d" % server.server_port, "k")


def approved(id="c"):
    return 200, {}, json.dumps({"confirm_id": id, "content_hash": "sha256:0", "status": "approved", "decisions": [{"type": "approve"}]})


def native(status, body):
    return 200, {"Countersign-Status": status, "Countersign-Confirm": "c 1"}, body


class Real(unittest.TestCase):
    def test_ask(self):
        meanwhile(decide, "py-1", edit('{"amount": 9007199254740993}'))
        outcome = cs.ask([PAY], reason="Why", id="py-1")
        self.assertEqual(("approved", 9007199254740993), (outcome.status, outcome["decisions"][0]["edited_action"]["args"]["amount"]))
        self.assertIn('"approved"', outcome.raw)
        self.assertEqual(outcome, cs.outcome("py-1"))

    def test_guard_runs_once(self):
        ran = []

        @cs.guard(reason="Why", id="py-2")
        def pay(amount, to="ACME", *, options=(), **more):
            ran.append((amount, to, options, more))
            return "paid"

        meanwhile(decide, "py-2", APPROVE)
        self.assertEqual("paid", pay(100, note="n"))
        self.assertEqual([(100, "ACME", [], {"note": "n"})], ran)
        with self.assertRaises(NotApproved) as caught:
            pay(100, note="n")
        self.assertIn("already used this approval", caught.exception.reason)
        self.assertEqual(("unavailable", 1), (caught.exception.cause, len(ran)))

    def test_guard_runs_the_edited_arguments(self):
        meanwhile(decide, "py-3", edit('{"amount": 9007199254740993, "price": 50.10}'))
        self.assertEqual((9007199254740993, 50.1), cs.guard("pay", id="py-3")(lambda amount, price=0: (amount, price))(1))

    def test_guard_does_not_round(self):
        for number in "0.10000000000000000555", "1e999":
            meanwhile(decide, "py-" + number, edit('{"amount": %s}' % number))
            with self.assertRaisesRegex(NotApproved, "cannot hold the number " + number):
                cs.guard("pay", id="py-" + number)(lambda amount: self.fail("it ran"))(1)

    def test_guard_says_what_became_of_it(self):
        guarded = cs.guard("pay", id="py-4")(lambda: self.fail("it ran"))
        meanwhile(decide, "py-4", '{"status": "rejected", "reason": "Too much"')
        with self.assertRaises(NotApproved) as caught:
            guarded()
        error = caught.exception
        self.assertEqual(("Rejected by reviewer: Too much", "agent", "py-4"), (error.reason, error.cause, error.confirm_id))
        meanwhile(decide, "py-5", '{"status": "rejected"')
        with self.assertRaisesRegex(NotApproved, "^Rejected by reviewer, without a reason.$"):
            cs.guard("pay", id="py-5")(lambda: self.fail("it ran"))()
        with self.assertRaisesRegex(NotApproved, "This is not a refusal.$") as caught:
            cs.guard("pay", id="py-6", timeout=1)(lambda: self.fail("it ran"))()
        self.assertEqual("timeout", caught.exception.cause)
        meanwhile(lambda: (await_posted("py-7"), cs.cancel("py-7", "Not needed")))
        with self.assertRaisesRegex(NotApproved, "Reason: Not needed.$"):
            cs.guard("pay", id="py-7")(lambda: self.fail("it ran"))()

    def test_native(self):
        def decided():
            items = None
            while not items:
                items = json.loads(told("?session_id=py-native"))["items"]
            decide(items[0]["confirm_id"], APPROVE)

        meanwhile(decided)
        item = {"type": "function_call", "call_id": "call_2", "name": "pay", "arguments": '{"amount": 9007199254740993}'}
        call = {"type": "tool_approval_item", "raw_item": item, "agent": {"name": "Trader"}, "tool_name": "pay"}
        self.assertEqual([{"callId": "call_2", "approve": True}], cs.native("openai", [call], session_id="py-native"))

    def test_guard_of_a_coroutine(self):
        @cs.guard(id="py-8")
        async def pay(amount):
            return amount

        meanwhile(decide, "py-8", APPROVE)
        self.assertEqual(5, asyncio.run(pay(5)))

    def test_an_error_of_the_function_is_its_own(self):
        meanwhile(decide, "py-9", APPROVE)
        with self.assertRaises(ZeroDivisionError):
            cs.guard("pay", id="py-9")(lambda: 1 / 0)()

    def test_a_refusal_ends_it_at_once(self):
        stranger = Countersign(URL, "cs_none")
        with self.assertRaises(CountersignError) as caught:
            stranger.ask([PAY])
        self.assertEqual(401, caught.exception.status)
        self.assertNotIn("cs_none", str(caught.exception))
        with self.assertRaisesRegex(NotApproved, r"could not be asked \(401 "):
            stranger.guard("pay")(lambda: self.fail("it ran"))()
        with self.assertRaises(CountersignError) as caught:
            cs.ask([{"name": "pay", "args": [1]}])
        self.assertEqual(422, caught.exception.status)


class Wrong(unittest.TestCase):
    def test_guard_does_not_run(self):
        for name, (answer, calls) in {
            "500": ((500, {}, approved()[2]), 1), "rubbish": ((200, {}, "<p>approved"), 1), "nothing": ((200, {}, ""), 1),
            "a number": ((200, {}, "1"), 1), "a list": ((200, {}, "[1]"), 1), "deep": ((200, {}, "[" * 100_000), 1),
            "a redirect": ((302, {"Location": URL}, ""), 1), "another's": (approved("d"), 1),
            "no decision": ((200, {}, approved()[2].replace('[{"type": "approve"}]', "[]")), 1),
            "no arguments": ((200, {}, approved()[2].replace("approve\"}", "edit\"}")), 1), "no use": (approved(), 2),
        }.items():
            with self.subTest(name):
                fake = Fake(self, answer)
                with self.assertRaises(NotApproved) as caught:
                    fake.at.guard("pay", id="c")(lambda: self.fail("it ran"))()
                self.assertEqual(("unavailable", calls), (caught.exception.cause, len(fake.asked)))

    def test_a_server_that_is_away_is_asked_until_the_wait_is_over(self):
        fake = Fake(self, None)
        with self.assertRaises(CountersignError) as caught:
            fake.at.ask([PAY], timeout=1)
        self.assertEqual(0, caught.exception.status)
        self.assertGreater(len(fake.asked), 1)
        self.assertEqual(1, len({body for _, _, body in fake.asked}), "the id is made once")

    def test_what_passes_is_asked_again(self):
        fake = Fake(self, None, (503, {}, ""), (429, {}, "{}"), (201, {}, '{"confirm_id": "c", "status": "approved"}'), approved())
        self.assertEqual("approved", fake.at.ask([PAY], id="c").status)
        self.assertEqual("GET /api/v1/confirms/c/outcome?wait=50", fake.asked[-1][0])
        self.assertEqual("Bearer k", fake.asked[0][1]["Authorization"])

    def test_native_repeats_the_call(self):
        fake = Fake(self, native("pending", "{}"), native("approved", '[{"approve": true}]'))
        self.assertEqual([{"approve": True}], fake.at.native("openai", '[ {"n":1.0}]', reason="a b", session_id=None))
        first, second = fake.asked
        self.assertRegex(first[0], r"^POST /api/v1/native/openai\?timeout=300&execution_id=[\w-]{36}&wait=50&reason=a\+b$")
        self.assertEqual((first[0], b'[ {"n":1.0}]', "c 1"), (second[0], second[2], second[1]["Countersign-Confirm"]))

    def test_native_does_not_return_what_was_not_answered(self):
        for answer in (200, {}, "[]"), native("approved", "allow"), native("approved", "[0.10000000000000000555]"), (422, {}, ""):
            with self.subTest(answer), self.assertRaises(CountersignError):
                Fake(self, answer).at.native("openai", [])
        self.assertEqual("[1.0]", Fake(self, native("approved", "[1.0]")).at.native("openai", [], raw=True))

    def test_the_key_is_not_sent_in_plain_text(self):
        for url in "http://192.0.2.1", "http://127.example.org", "ftp://localhost":
            with self.assertRaises(ValueError):
                Countersign(url, "k")
        Countersign("http://192.0.2.1", "k", insecure=True)
        Countersign("http://[::1]:8080", "k")

    def test_guard_needs_names(self):
        with self.assertRaises(TypeError):
            cs.guard()(lambda *args: None)
