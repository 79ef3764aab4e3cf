/** The reason why a value has no identity: it is not what `path` asks for, or `too-deep`: it has more than 1,000 levels. */
export type IdentityErrorCode =
  | 'not-a-text'
  | 'not-a-tool'
  | 'not-a-state'
  | 'not-a-number'
  | 'not-a-program'
  | 'not-a-list'
  | 'not-a-turn'
  | 'not-a-message'
  | 'not-a-map'
  | 'not-bytes'
  | 'too-deep'

/** A value cannot be hashed. `path` names the argument, and the place in it. */
export class IdentityError extends TypeError {
  readonly code: IdentityErrorCode
  readonly path: readonly (string | number)[]

  constructor(
    code: IdentityErrorCode,
    path: readonly (string | number)[],
    expected: string = code.slice('not-'.length).replace('-', ' '),
  ) {
    super(`${path.join('.')}: pass ${expected}`)
    this.name = 'IdentityError'
    this.code = code
    this.path = path
  }
}
