// Countersign's client: asks people to approve what an agent wants to do, and waits.
// It needs fetch and nothing else: Node 20, Deno, Bun or a browser.
//
//   const cs = new Countersign({url: "https://cs.example.org", key: process.env.COUNTERSIGN_KEY})
//   const pay = cs.guard("pay", async ({amount, to}) => bank.pay(amount, to), {reason: "Invoice 17"})
//   await pay({amount: 100, to: "ACME"}) // runs as approved, or throws NotApproved

const slice = 50 // seconds of one call: proxies cut longer ones
const minPause = 200, maxPause = 5000 // milliseconds between two tries
const grace = 5000, answerTimeout = 30_000, consumeTimeout = 30_000

/** Reports a refusal by the server (status), or that no answer came (status 0). */
export class CountersignError extends Error {
  constructor(message, {status = 0, problem, cause} = {}) {
    super(message, {cause})
    this.name = "CountersignError"
    this.status = status
    this.problem = problem
    this.temporary = [429, 502, 503, 504].includes(status)
  }
}

/** Thrown by a guarded function that did not run. The reason is fit to hand to a model. */
export class NotApproved extends Error {
  constructor(reason, cause, confirmId, error) {
    super(reason)
    this.name = "NotApproved"
    this.reason = reason
    this.cause = cause
    this.confirmId = confirmId
    this.error = error
  }
}

export class Countersign {
  #url
  #headers
  #fetch

  constructor({url, key, fetch = globalThis.fetch, insecure = false}) {
    const {protocol, hostname, origin} = new URL(url)
    if (protocol !== "https:" && !insecure && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname))
      throw new TypeError(`${url} would send the key over plain HTTP: use https, or insecure: true`)
    if (!key) throw new TypeError("key is missing")
    this.#url = origin
    this.#headers = new Headers({authorization: `Bearer ${key}`})
    this.#fetch = (...args) => fetch(...args)
  }

  /** Posts a request and waits for its outcome. The same id and content attach to it. */
  async ask({actions, reason, timeout = 300, id = crypto.randomUUID(), ...more}, {signal} = {}) {
    const body = JSON.stringify({target_type: "other", ...more, confirm_id: id, actions, reason, timeout})
    const answer = await this.#call("POST", `/api/v1/confirms?wait=${slice}`, {body, wait: slice, until: after(timeout * 1000), signal})
    return settled(answer, id) ?? this.#await(id, after(timeout * 1000 + grace), signal)
  }

  /** Waits for the outcome of a request. */
  async outcome(confirmId, {signal} = {}) {
    return this.#await(confirmId, Infinity, signal)
  }

  async #await(id, until, signal) {
    for (;;) {
      const began = performance.now()
      const answer = await this.#call("GET", `${confirmPath(id)}/outcome?wait=${slice}`, {wait: slice, until, signal})
      const outcome = settled(answer, id)
      if (outcome) return outcome
      await sleep(began + minPause - performance.now(), signal) // a server that stops does not wait
    }
  }

  /**
   * Hands the server what a framework has in its hands and returns the decision in the
   * framework's own shape. A string is sent, and with raw: true returned, byte for byte.
   */
  async native(format, body, {signal, raw = false, timeout = 300, execution_id = crypto.randomUUID(), ...members} = {}) {
    const query = new URLSearchParams({timeout, execution_id, wait: slice})
    for (const [name, value] of Object.entries(members)) if (value != null) query.set(name, value)
    if (typeof body !== "string") body = JSON.stringify(body)
    const headers = {}
    for (let until = after(timeout * 1000); ; until = after(timeout * 1000 + grace)) {
      const began = performance.now()
      const {text, header} = await this.#call("POST", `/api/v1/native/${encodeURIComponent(format)}?${query}`, {body, headers, wait: slice, until, signal})
      const status = header.get("countersign-status")
      if (!status) throw new CountersignError("this is no answer of Countersign")
      if (status !== "pending") return raw ? text : exact(text)
      headers["countersign-confirm"] = header.get("countersign-confirm") ?? ""
      await sleep(began + minPause - performance.now(), signal)
    }
  }

  /**
   * Returns a function that asks, and runs fn only when it is approved, once, with the
   * approved arguments: one JSON object, edited or as it was shown.
   */
  guard(name, fn, {signal, description, ...options} = {}) {
    return async (args = {}) => {
      const shown = JSON.stringify(args) // what the caller changes later does not count
      const id = options.id ?? crypto.randomUUID()
      let approved
      try {
        const outcome = await this.ask({...options, id, actions: [{name, args: JSON.parse(shown), description}]}, {signal})
        if (outcome.status !== "approved") throw new NotApproved(words(outcome), outcome.cause, id)
        const decision = outcome.decisions?.[0]
        if (decision?.type === "approve") approved = JSON.parse(shown)
        else if (decision?.type === "edit") approved = exact(outcome.raw).decisions[0].edited_action.args
        else throw new CountersignError("this is no answer of Countersign")
        await this.consume(id, {argsHash: decision.args_hash}, {signal})
        signal?.throwIfAborted()
      } catch (error) {
        if (error instanceof NotApproved || signal?.aborted) throw error
        throw new NotApproved(`Countersign could not be asked (${error.message}), so this does not run.`, "unavailable", id, error)
      }
      return fn(approved)
    }
  }

  /** Uses an approval, so that no other execution can. */
  async consume(confirmId, {argsHash, action = 0, executionId = crypto.randomUUID()}, {signal} = {}) {
    const body = JSON.stringify({confirm_id: confirmId, execution_id: executionId, action, args_hash: argsHash})
    const {text} = await this.#call("POST", "/api/v1/gate/consume", {body, until: after(consumeTimeout), signal})
    const used = parse(text)
    if (used.confirm_id !== confirmId || used.execution_id !== executionId) throw new CountersignError("this is no answer of Countersign")
  }

  /** Withdraws a request that is not decided. */
  async cancel(confirmId, reason, {signal} = {}) {
    await this.#call("POST", `${confirmPath(confirmId)}/cancel`, {body: JSON.stringify({reason}), until: after(consumeTimeout), signal})
  }

  /** Makes a call again until it is answered, fails for good, or it is late. */
  async #call(method, path, {until, signal, ...request}) {
    for (let longest = 2 * minPause; ; longest = Math.min(2 * longest, maxPause)) {
      signal?.throwIfAborted()
      try {
        return await this.#send(method, path, request, signal)
      } catch (error) {
        signal?.throwIfAborted()
        const pause = minPause + Math.random() * (longest - minPause)
        if (!error.temporary || performance.now() + pause > until) throw error
        await sleep(pause, signal)
      }
    }
  }

  async #send(method, path, {body, headers: more = {}, wait = 0}, signal) {
    const headers = new Headers(this.#headers)
    for (const [name, value] of Object.entries({...(body && {"content-type": "application/json"}), ...more})) headers.set(name, value)
    const late = AbortSignal.timeout(wait * 1000 + answerTimeout)
    let response, text
    try {
      // A redirect would send the key elsewhere.
      response = await this.#fetch(this.#url + path, {method, headers, body, redirect: "manual", signal: signal ? AbortSignal.any([signal, late]) : late})
      text = await response.text()
    } catch (cause) {
      const error = new CountersignError(cause.cause?.message || cause.cause?.code || cause.message, {cause})
      error.temporary = true
      throw error
    }
    if (response.ok) return {text, header: response.headers}
    let problem
    try { problem = JSON.parse(text) } catch { /* then the status alone must do */ }
    throw new CountersignError([`${response.status} ${response.statusText}`.trim(), problem?.detail].filter(Boolean).join(": "), {status: response.status, problem})
  }
}

/** Returns the outcome in a sentence, fit to hand to a model. */
export function words({status, cause, reason, decisions, decided_by_role: role}) {
  if (!["human", "agent"].includes(cause) || status !== "rejected") return reason || `The request is ${status}.`
  reason = decisions?.map(d => d.message).find(Boolean) || reason
  return reason ? `Rejected by ${role}: ${reason}` : `Rejected by ${role}, without a reason.`
}

const after = milliseconds => performance.now() + milliseconds
const confirmPath = id => `/api/v1/confirms/${encodeURIComponent(id)}`

function sleep(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => { clearTimeout(timer); reject(signal.reason) }
    const timer = setTimeout(() => { signal?.removeEventListener("abort", stop); resolve() }, milliseconds)
    signal?.addEventListener("abort", stop, {once: true})
  })
}

function parse(text) {
  let value
  try { value = JSON.parse(text) } catch { /* undefined is no object */ }
  if (typeof value !== "object" || value === null) throw new CountersignError("this is no answer of Countersign")
  return value
}

// settled returns the outcome, or undefined while there is none. Only an outcome has a
// hash: a posted request with a status comes without.
function settled({text}, id) {
  const outcome = parse(text)
  if (outcome.confirm_id !== id) throw new CountersignError("this is no answer of Countersign")
  if (outcome.content_hash && outcome.status !== "pending") return {...outcome, raw: text}
}

// exact parses JSON and refuses numbers that JavaScript rounds: others were approved.
function exact(text) {
  for (const [number] of text.replace(/"(?:[^"\\]|\\.)*"/g, '""').matchAll(/-?\d[\d.eE+-]*/g))
    if (digits(number) !== digits(String(Number(number)))) throw new CountersignError(`JavaScript cannot hold the number ${number}`)
  return parse(text)
}

// digits writes a number in one way, so that 1.0, 1 and 10e-1 are equal.
function digits(number) {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number)
  if (!parts) return number // Infinity
  const [, sign, whole, part = "", exponent = "0"] = parts
  const all = (whole + part).replace(/^0+/, ""), short = all.replace(/0+$/, "")
  return short ? `${sign}${short}e${Number(exponent) - part.length + all.length - short.length}` : "0"
}
