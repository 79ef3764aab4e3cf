import { CanonicalizationError, canonicalize } from '../../../../src/core/identity/canonical.ts'

/** Returns the error for the value. */
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

/** Returns the code and the path of the error. */
export function refusalOf(
  value: unknown,
  options?: Parameters<typeof canonicalize>[1],
): Pick<CanonicalizationError, 'code' | 'path'> | undefined {
  const error = errorOf(value, options)
  return error && { code: error.code, path: error.path }
}
