/** The reason why a value has no identity: it is no text, or no tool with a name. */
export type IdentityErrorCode = 'not-a-text' | 'not-a-tool'

/** A value cannot be hashed. `path` names the argument, and the place in it. */
export class IdentityError extends TypeError {
  readonly code: IdentityErrorCode
  readonly path: readonly (string | number)[]

  constructor(code: IdentityErrorCode, path: readonly (string | number)[]) {
    super(`${path.join('.')}: pass ${code === 'not-a-text' ? 'a text' : 'an object with a name'}`)
    this.name = 'IdentityError'
    this.code = code
    this.path = path
  }
}
