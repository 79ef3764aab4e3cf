/**
 * Why a session cannot be written:
 * - `unknown-agent`: it has no agent with the id in `agent`
 * - `unknown-program`: the sessions of the program in `program` cannot be written
 * - `invalid-value`: the argument or the option at `path` is of another kind
 */
export type WriteErrorCode = 'unknown-agent' | 'unknown-program' | 'invalid-value'

/** A session cannot be written. */
export class WriteError extends RangeError {
  readonly code: WriteErrorCode
  /** The option, or the argument `session` or `options`. */
  readonly path: string

  constructor(code: WriteErrorCode, path: string, message: string) {
    super(message)
    this.name = 'WriteError'
    this.code = code
    this.path = path
  }
}

/** The session has no such agent. */
export class UnknownAgentError extends WriteError {
  constructor(agent: unknown) {
    const named = typeof agent === 'string' ? ` ${JSON.stringify(agent)}` : ' with that value as its id'
    super(
      'unknown-agent',
      'agent',
      `agent: the session has no agent${named}: pass the id of its call, or its own`,
    )
    this.name = 'UnknownAgentError'
  }
}
