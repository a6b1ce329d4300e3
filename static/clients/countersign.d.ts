export interface Action { name: string; args: object; tool_use_id?: string; description?: string }

export interface ReviewConfig { allowed_decisions?: ("approve" | "edit" | "reject")[]; args_schema?: object }

/** The members of a request, in the spelling of the API. */
export interface RequestOptions {
  reason?: string
  /** Seconds to wait for a decision; 300 by default. */
  timeout?: number
  /** The same id and content attach to a request. */
  id?: string
  required_role?: string
  session_id?: string
  supersedes?: string
  review_configs?: ReviewConfig[]
}

export interface Outcome {
  confirm_id: string
  status: "approved" | "rejected" | "cancelled" | "unsubstantiated"
  cause: "human" | "agent" | "timeout" | "cancelled" | "policy" | "import"
  content_hash: string
  effective_hash?: string
  /** One for each action. */
  decisions?: { type: "approve" | "edit" | "reject"; edited_action?: { name: string; args: any }; args_hash: string; message?: string }[]
  reason?: string
  user_edit_content?: string
  decided_by_role?: string
  decided_at?: string
  expires_at?: string
  log_index?: number
  /** The answer as it came: JavaScript rounds numbers over 2^53. */
  raw: string
}

export interface Waiting {
  /** Ends the wait with its reason. The request stays. */
  signal?: AbortSignal
}

export interface NativeOptions extends Waiting {
  timeout?: number
  reason?: string
  session_id?: string
  required_role?: string
  supersedes?: string
  execution_id?: string
  key?: string
  /** Return the answer as text. */
  raw?: boolean
}

export class CountersignError extends Error {
  /** Of HTTP; 0 when no answer came. */
  status: number
  problem?: { type?: string; title?: string; detail?: string; errors?: { path: string; code: string; message: string }[] }
  temporary: boolean
}

export class NotApproved extends Error {
  /** Fit to hand to a model. */
  reason: string
  /** That of the outcome, or "unavailable" when Countersign could not be asked. */
  cause: Outcome["cause"] | "unavailable"
  confirmId: string
  error?: Error
}

export class Countersign {
  constructor(options: { url: string; key: string; fetch?: typeof globalThis.fetch; insecure?: boolean })
  ask(request: RequestOptions & { actions: Action[] }, waiting?: Waiting): Promise<Outcome>
  outcome(confirmId: string, waiting?: Waiting): Promise<Outcome>
  native(format: string, body: unknown, options?: NativeOptions): Promise<any>
  guard<A extends object, R>(name: string, fn: (args: A) => R, options?: RequestOptions & Waiting & { description?: string }): (args?: A) => Promise<Awaited<R>>
  consume(confirmId: string, use: { argsHash: string; action?: number; executionId?: string }, waiting?: Waiting): Promise<void>
  cancel(confirmId: string, reason?: string, waiting?: Waiting): Promise<void>
}

/** Returns the outcome in a sentence, fit to hand to a model. */
export function words(outcome: Outcome): string
