/**
 * An index in a database cannot be used:
 * - `wrong-address`: the address is none of a Postgres database
 * - `no-driver`: the package `pg` is not installed
 * - `unreachable`: no server answers, or the connection broke
 * - `refused`: the server refuses the login, the database or a statement
 * - `wrong-encoding`: the database does not keep UTF-8
 * - `no-index`: nobody has pushed sessions into the database
 * - `wrong-schema`: the index is one of another version of agentfold
 */
export type SessionIndexErrorCode =
  | 'wrong-address'
  | 'no-driver'
  | 'unreachable'
  | 'refused'
  | 'wrong-encoding'
  | 'no-index'
  | 'wrong-schema'

/** An index in a database cannot be used. The message is one sentence, and names the database without its password. */
export class SessionIndexError extends Error {
  readonly code: SessionIndexErrorCode
  /** The host, the port and the database. */
  readonly place: string

  constructor(code: SessionIndexErrorCode, message: string, place: string, cause?: unknown) {
    super(`${place}: ${message}`, cause === undefined ? undefined : { cause })
    this.name = 'SessionIndexError'
    this.code = code
    this.place = place
  }
}
