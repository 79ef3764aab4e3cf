/**
 * The reason why a hub takes no answer, or no event.
 * - `no-such-session`: the log has no such session
 * - `no-such-request`: no conversation of the session has a request with that id
 * - `not-pending`: the request was answered or withdrawn
 * - `no-answer-taken`: the program takes no answer, or nobody listens. The message says why
 * - `not-delivered`: a listener of the program has failed, so the program did not take the answer or the prompt. `cause`
 *   is its error
 * - `wrong-answer`: the answer is none of the options, or has another number of questions
 * - `malformed-event`: a field of a published event has a wrong value. The message names the event and the field
 */
export type HubErrorCode =
  | 'no-such-session'
  | 'no-such-request'
  | 'not-pending'
  | 'no-answer-taken'
  | 'not-delivered'
  | 'wrong-answer'
  | 'malformed-event'

/**
 * A hub takes no answer, or no event. A request that was open is open. Nothing else has changed, but for `not-delivered`:
 * another listener may have taken it. A person reads the message of an answer or a prompt, so it has no ids.
 */
export class HubError extends Error {
  readonly code: HubErrorCode

  constructor(code: HubErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'HubError'
    this.code = code
  }
}

const CODES: Readonly<Record<HubErrorCode, true>> = {
  'no-such-session': true,
  'no-such-request': true,
  'not-pending': true,
  'no-answer-taken': true,
  'not-delivered': true,
  'wrong-answer': true,
  'malformed-event': true,
}

export function isHubErrorCode(value: unknown): value is HubErrorCode {
  return typeof value === 'string' && Object.hasOwn(CODES, value)
}

/** The log has no event of the session. */
export function noSuchSession(): HubError {
  return new HubError('no-such-session', 'There is no such session.')
}

/** The words for a session whose log is damaged. The `LogError` of `state` names the place, which no page should learn. */
export const DAMAGED = 'The log of this session is damaged.'

/** No conversation of the session has the request. */
export function noSuchRequest(): HubError {
  return new HubError('no-such-request', 'The session has no such request.')
}

/** No listener takes what a person sends. */
export function nobodyTakes(what: 'answers' | 'prompts'): HubError {
  const words = `No program takes ${what} now: it has ended, or its server sends it none.`
  return new HubError('no-answer-taken', words)
}

/** A listener has failed. */
export function notDelivered(what: 'answer' | 'prompt', cause: unknown): HubError {
  const words = `The ${what} did not reach the program: ${textOfError(cause)}`
  return new HubError('not-delivered', words, { cause })
}

/** Returns the words of any value that is thrown. `fetch` says what happened in the cause alone. */
export function textOfError(error: unknown): string {
  const words = ownWords(error)
  const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined
  const reason = typeof cause === 'string' ? cause : (wordsIn(cause) ?? '')
  return words.includes(reason) ? words : `${words}: ${reason}`
}

/** `String` throws for an object without a prototype. */
function ownWords(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error)
  return wordsIn(error) ?? Object.prototype.toString.call(error)
}

function wordsIn(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  // Node's error for a refused connection may have no message.
  for (const words of [
    'message' in error && error.message,
    'code' in error && error.code,
    'name' in error && error.name,
  ])
    if (typeof words === 'string' && words !== '') return words
  return undefined
}
