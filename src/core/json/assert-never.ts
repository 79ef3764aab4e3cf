import { asObject, asString } from './values.ts'

/** Ends a switch over a closed union. A new member of the union does not compile until it has a case. */
export function assertNever(value: never): never {
  throw new TypeError(`no case for ${asString(asObject(value).type) ?? typeof value}`)
}
