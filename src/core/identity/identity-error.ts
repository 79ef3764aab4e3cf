/** What belongs in the place of a value that has no identity. */
const EXPECTED = {
  'not-a-text': 'a text',
  'not-a-tool': 'an object with a name',
  'not-a-state': 'the state of a session',
  'not-a-number': 'a number',
  'not-a-program': 'facts about first messages',
  'not-a-list': 'a list of turns',
  'not-a-turn': 'a turn',
  'not-a-map': 'a map from upload keys to bytes',
  'not-bytes': 'a Uint8Array',
}

/** The reason why a value has no identity: it is not what `path` asks for. */
export type IdentityErrorCode = keyof typeof EXPECTED

/** A value cannot be hashed. `path` names the argument, and the place in it. */
export class IdentityError extends TypeError {
  readonly code: IdentityErrorCode
  readonly path: readonly (string | number)[]

  constructor(code: IdentityErrorCode, path: readonly (string | number)[]) {
    super(`${path.join('.')}: pass ${EXPECTED[code]}`)
    this.name = 'IdentityError'
    this.code = code
    this.path = path
  }
}
