import { asObject, asString } from './values.ts'

/** Makes a switch over a closed union complete: a new member does not compile until it has a case. */
export function assertNever(value: never): never {
  throw new TypeError(`no case for ${asString(asObject(value).type) ?? typeof value}`)
}
