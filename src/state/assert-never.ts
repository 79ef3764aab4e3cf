import { fields, text } from './json.ts'

/** Makes a switch over a closed union complete: a new member does not compile until it has a case. */
export function assertNever(value: never): never {
  throw new TypeError(`no case for ${text(fields(value).type) ?? typeof value}`)
}
