/** One problem in a foreign value. A part that reads foreign values names its own codes. */
export interface ValueIssue<Code extends string = string> {
  readonly code: Code
  /** Leads from the value to the part with the problem. */
  readonly path: readonly (string | number)[]
  /** Describes the value that belongs there. */
  readonly expected: string
}
