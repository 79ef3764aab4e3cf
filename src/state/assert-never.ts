/** Makes a switch over a closed union complete: a new member does not compile until it has a case. */
export function assertNever(value: never): never {
  throw new TypeError(`no case for ${String(value)}`)
}
