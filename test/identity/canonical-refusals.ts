import { CanonicalizationError, canonicalize } from '../../src/identity/canonical.ts'

/** What the value is refused with. */
export function errorOf(
  value: unknown,
  options?: Parameters<typeof canonicalize>[1],
): CanonicalizationError | undefined {
  try {
    canonicalize(value, options)
  } catch (error) {
    if (error instanceof CanonicalizationError) return error
    throw error
  }
  return undefined
}

/** Why, and where in the value. */
export function refusalOf(
  value: unknown,
  options?: Parameters<typeof canonicalize>[1],
): Pick<CanonicalizationError, 'code' | 'path'> | undefined {
  const error = errorOf(value, options)
  return error && { code: error.code, path: error.path }
}
