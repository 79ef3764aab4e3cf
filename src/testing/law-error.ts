import { truncateDepth } from '../formats/translation/truncate-depth.ts'
import { isEqual } from '../json/equal.ts'

/**
 * Which law does not hold:
 * - `throws`: it throws where it has to answer
 * - `changes-argument`: it has changed what it was given, or throws when that is frozen
 * - `not-repeatable`: the same arguments, later, gave something else
 * - `new-reference`: nothing has changed, and yet it is another object
 * - `batch-differs`: a batch does not lead to what one by one leads to
 * - `not-idempotent`: an input that came twice in a row did more than once
 * - `invalid-event`: a source gave what is no event
 * - `swallowed`: a source was given what it cannot know, and no `unknown-message` says so
 * - `disturbed`: what a source cannot know has changed what it makes of the rest
 */
export type LawCode =
  | 'throws'
  | 'changes-argument'
  | 'not-repeatable'
  | 'new-reference'
  | 'batch-differs'
  | 'not-idempotent'
  | 'invalid-event'
  | 'swallowed'
  | 'disturbed'

const REASONS: Readonly<Record<LawCode, string>> = {
  throws: 'it throws',
  'changes-argument': 'it changes an argument',
  'not-repeatable': 'the same arguments give something else',
  'new-reference': 'nothing has changed, and yet it is another object',
  'batch-differs': 'a batch does not lead to what one by one leads to',
  'not-idempotent': 'an input that came twice did more than once',
  'invalid-event': 'this is no event',
  swallowed: 'what cannot be known is not reported as `unknown-message`',
  disturbed: 'what cannot be known has changed what the rest gives',
}

const PLACES = { stranger: 'JSON that no program writes, before', end: 'the end after' }

interface Facts {
  readonly actual?: unknown
  readonly expected?: unknown
  readonly cause?: unknown
  /** It was noticed with a message that the check itself put in, or at the end that was asked for here. */
  readonly place?: 'stranger' | 'end'
}

/** A law that does not hold. Test runners show the difference between `actual` and `expected`. */
export class LawError extends Error {
  readonly code: LawCode
  /** The input that it was noticed at, counted from 0; of an end the last one before it, -1 if there is none. */
  readonly index: number
  readonly actual: unknown
  readonly expected: unknown

  constructor(code: LawCode, index: number, { actual, expected, cause, place }: Facts = {}) {
    const at = place ? `${PLACES[place]} input ${index}` : `input ${index}`
    super(`${REASONS[code]} (${at})`, cause === undefined ? {} : { cause })
    this.name = 'LawError'
    this.code = code
    this.index = index
    // Test runners walk them, and end with the whole run where one is nested too deep.
    this.actual = truncateDepth(actual).message
    this.expected = truncateDepth(expected).message
  }
}

/** What a function answers; an error of it is a law that does not hold. */
export function answerOf<Answer>(ask: () => Answer, code: LawCode, index: number, facts: Facts = {}): Answer {
  try {
    return ask()
  } catch (cause) {
    throw new LawError(code, index, { ...facts, cause })
  }
}

/** Throws unless both are the same data. */
export function expectEqual(
  actual: unknown,
  expected: unknown,
  code: LawCode,
  index: number,
  facts: Facts = {},
): void {
  if (!isEqual(actual, expected)) throw new LawError(code, index, { ...facts, actual, expected })
}
