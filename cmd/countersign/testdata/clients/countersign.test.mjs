// Run by TestClients against a real server, beside the client as that serves it.
import assert from "node:assert/strict"
import {createServer} from "node:http"
import {after, test} from "node:test"
import {Countersign, CountersignError, NotApproved} from "./countersign.mjs"

const {COUNTERSIGN_URL: url, COUNTERSIGN_KEY: key, JUDGE_KEY: judge} = process.env
const cs = new Countersign({url, key})
const pay = {name: "pay", args: {amount: 100}}

// told returns the answer of the server to the key of somebody who decides.
async function told(path, body) {
  const answer = await fetch(`${url}/api/v1/confirms${path}`, {
    method: body ? "POST" : "GET", body, headers: {authorization: `Bearer ${judge}`, "content-type": "application/json"},
  })
  return {ok: answer.ok, text: await answer.text()}
}

// decide decides a request as soon as it is there. decision is JSON without its end.
async function decide(id, decision) {
  let found
  do found = await told(`/${id}/outcome`); while (!found.ok)
  const hash = JSON.parse(found.text).content_hash
  const answer = await told(`/${id}/decisions`, `${decision}, "content_hash": "${hash}"}`)
  assert.ok(answer.ok, answer.text)
}

const approve = `{"status": "approved"`
const edit = args => `{"decisions": [{"type": "edit", "edited_action": {"name": "pay", "args": ${args}}}]`

// fake serves answers, the last one for good, and notes what was asked.
async function fake(...answers) {
  const asked = []
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const part of request) body += part
    asked.push({line: `${request.method} ${request.url}`, headers: request.headers, body})
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (!answer) return request.socket.destroy()
    response.writeHead(answer.status ?? 200, answer.headers).end(answer.body)
  })
  await new Promise(resolve => server.listen(0, "127.0.0.1", resolve))
  after(() => { server.closeAllConnections(); server.close() })
  return {asked, at: new Countersign({url: `http://127.0.0.1:${server.address().port}`, key: "k"})}
}

test("ask returns the outcome, with its text", async () => {
  const [outcome] = await Promise.all([cs.ask({actions: [pay], reason: "Why", id: "js-1"}), decide("js-1", edit(`{"amount": 9007199254740993}`))])
  assert.equal(outcome.status, "approved")
  assert.match(outcome.raw, /"amount": ?9007199254740993/)
  assert.deepEqual(await cs.outcome("js-1"), outcome)
  assert.equal((await cs.ask({actions: [pay], reason: "Why", id: "js-1"})).decided_at, outcome.decided_at)
})

test("guard runs the function as it was approved, once", async () => {
  const ran = []
  const guarded = cs.guard("pay", async args => { ran.push(args); return "paid" }, {id: "js-2"})
  const args = {amount: 100, note: undefined}
  const [result] = await Promise.all([guarded(args), decide("js-2", approve), args.amount = 1e6])
  assert.equal(result, "paid")
  assert.deepEqual(ran, [{amount: 100}])
  await assert.rejects(guarded({amount: 100}), {name: "NotApproved", cause: "unavailable", reason: /already used this approval/})
  assert.equal(ran.length, 1)
})

test("guard runs the edited arguments", async () => {
  const guarded = cs.guard("pay", args => args, {id: "js-3"})
  const [result] = await Promise.all([guarded({amount: 100}), decide("js-3", edit(`{"amount": 50.10, "big": 1e5, "text": "1.00000000000000000001"}`))])
  assert.deepEqual(result, {amount: 50.1, big: 100000, text: "1.00000000000000000001"})
})

for (const number of ["9007199254740993", "0.10000000000000000555", "1e999"])
  test(`guard does not run ${number} rounded`, async () => {
    const id = `js-${number}`
    const run = cs.guard("pay", () => assert.fail("it ran"), {id})({amount: 100})
    await Promise.all([assert.rejects(run, {name: "NotApproved", reason: new RegExp(`cannot hold the number ${number}`)}), decide(id, edit(`{"amount": ${number}}`))])
  })

test("guard throws what became of it", async () => {
  const guarded = id => cs.guard("pay", () => assert.fail("it ran"), {id, timeout: id === "js-6" ? 1 : 60})({amount: 1})
  await Promise.all([
    assert.rejects(guarded("js-4"), {name: "NotApproved", reason: "Rejected by reviewer: Too much", cause: "agent", confirmId: "js-4"}),
    assert.rejects(guarded("js-5"), {reason: "Rejected by reviewer, without a reason."}),
    assert.rejects(guarded("js-6"), {reason: /This is not a refusal\.$/, cause: "timeout"}),
    assert.rejects(guarded("js-7"), {reason: /Reason: Not needed\.$/, cause: "cancelled"}),
    decide("js-4", `{"status": "rejected", "reason": "Too much"`),
    decide("js-5", `{"status": "rejected"`),
    (async () => { while (!(await told("/js-7/outcome")).ok); await cs.cancel("js-7", "Not needed") })(),
  ])
})

test("an error of the function is its own", async () => {
  const guarded = cs.guard("pay", () => { throw new RangeError("mine") }, {id: "js-8"})
  await Promise.all([assert.rejects(guarded(), RangeError), decide("js-8", approve)])
})

test("abort ends the wait, and the request stays", async () => {
  const stop = new AbortController()
  const run = cs.guard("pay", () => assert.fail("it ran"), {id: "js-9", signal: stop.signal})({amount: 1})
  while (!(await told("/js-9/outcome")).ok);
  stop.abort()
  await assert.rejects(run, {name: "AbortError"})
  assert.equal(JSON.parse((await told("/js-9/outcome")).text).status, "pending")
  await assert.rejects(cs.outcome("js-9", {signal: AbortSignal.abort()}), {name: "AbortError"})
})

test("a refusal ends it at once", async () => {
  const stranger = new Countersign({url, key: "cs_none"})
  await assert.rejects(stranger.ask({actions: [pay]}), error => error instanceof CountersignError && error.status === 401 && !error.message.includes("cs_none"))
  await assert.rejects(stranger.guard("pay", () => assert.fail("it ran"))(), error => error instanceof NotApproved && /could not be asked \(401/.test(error.reason) && error.error.status === 401)
  await assert.rejects(cs.ask({actions: [{name: "pay", args: [1]}]}), {status: 422})
})

const approved = id => ({body: JSON.stringify({confirm_id: id, content_hash: "sha256:0", status: "approved", decisions: [{type: "approve"}]})})
const wrong = {
  "500": {status: 500, body: approved("c").body}, "rubbish": {body: "<p>approved"}, "nothing": {body: ""}, "a number": {body: "1"}, "a redirect": {status: 307, headers: {location: url}},
  "another's": approved("d"), "no decision": {body: approved("c").body.replace(/"decisions.*/, `"decisions": []}`)}, "no use": approved("c"),
}
for (const [name, answer] of Object.entries(wrong))
  test(`guard does not run on ${name}`, async () => {
    const {at, asked} = await fake(answer)
    await assert.rejects(at.guard("pay", () => assert.fail("it ran"), {id: "c"})(), {name: "NotApproved", cause: "unavailable"})
    assert.equal(asked.length, name === "no use" ? 2 : 1)
  })

test("a server that is away is asked until the wait is over", async () => {
  const {at, asked} = await fake(null)
  await assert.rejects(at.ask({actions: [pay], timeout: 1}), {name: "CountersignError", status: 0})
  assert.ok(asked.length > 1 && asked.every(({body}) => body === asked[0].body), "the id is made once")
})

test("what passes is asked again", async () => {
  const {at, asked} = await fake(null, {status: 503}, {status: 429, body: "{}"}, {status: 201, body: `{"confirm_id": "c", "status": "approved"}`}, approved("c"))
  assert.equal((await at.ask({actions: [pay], id: "c"})).status, "approved")
  assert.equal(asked.at(-1).line, "GET /api/v1/confirms/c/outcome?wait=50")
  assert.equal(asked[0].headers.authorization, "Bearer k")
})

const native = (status, body) => ({body, headers: {"countersign-status": status, "countersign-confirm": "c 1"}})

test("native repeats the call until it is decided", async () => {
  const {at, asked} = await fake(native("pending", "{}"), native("approved", `[{"approve": true}]`))
  assert.deepEqual(await at.native("openai", `[ {"n":1.0}]`, {reason: "a b", session_id: undefined}), [{approve: true}])
  assert.match(asked[0].line, /^POST \/api\/v1\/native\/openai\?timeout=300&execution_id=[\w-]{36}&wait=50&reason=a\+b$/)
  assert.deepEqual([asked[1].line, asked[1].body, asked[1].headers["countersign-confirm"]], [asked[0].line, `[ {"n":1.0}]`, "c 1"])
})

test("native asks, waits and answers in the framework's shape", async () => {
  const call = {type: "tool_approval_item", rawItem: {type: "function_call", callId: "call_1", name: "pay", arguments: `{"amount": 9007199254740993}`}, agent: {name: "Trader"}, toolName: "pay"}
  const decided = async () => {
    let items
    do items = JSON.parse((await told("?session_id=js-native")).text).items; while (!items.length)
    await decide(items[0].confirm_id, `{"status": "rejected", "reason": "Too much"`)
  }
  const [answer] = await Promise.all([cs.native("openai", [call], {session_id: "js-native"}), decided()])
  assert.deepEqual(answer, [{callId: "call_1", approve: false, message: "Rejected by reviewer: Too much"}])
})

test("native does not return what was not answered or would be rounded", async () => {
  for (const answer of [{body: "[]"}, native("approved", "allow"), native("approved", "[9007199254740993]"), {status: 422}]) {
    const {at} = await fake(answer)
    await assert.rejects(at.native("openai", []), CountersignError)
  }
  const {at} = await fake(native("approved", "[9007199254740993]"))
  assert.equal(await at.native("openai", [], {raw: true}), "[9007199254740993]")
})

test("the key is not sent in plain text to another machine", () => {
  assert.throws(() => new Countersign({url: "http://192.0.2.1", key}), TypeError)
  assert.throws(() => new Countersign({url: "http://127.example.org", key}), TypeError)
  new Countersign({url: "http://192.0.2.1", key, insecure: true})
  new Countersign({url: "http://[::1]:8080", key})
})
