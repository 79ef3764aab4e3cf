import { isEqual } from '../../core/json/equal.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { compositeKey } from '../../core/json/lists.ts'
import { asArray, asObject } from '../../core/json/values.ts'
import { truncateDepth } from '../../reading/truncate-depth.ts'

/**
 * The law that a function breaks:
 * - `throws`: it throws, but it must return a result
 * - `changes-argument`: it changes an argument, or it throws for a frozen argument
 * - `not-repeatable`: a second call with the same arguments gives another result
 * - `new-reference`: nothing changed, but the result is a new object
 * - `batch-differs`: a batch gives another result than the inputs one by one
 * - `not-idempotent`: an input that comes twice in a row changes the result twice
 * - `invalid-event`: a source returns a value that is not an event
 * - `swallowed`: a source does not report an unknown message as `unknown-message`
 * - `disturbed`: an unknown message changes the source's output, or its output for other messages
 * - `state-differs`: the state of a session is not what its events lead to
 * - `not-json`: a session is saved as a value that JSON does not hold
 * - `save-differs`: a saved and loaded session gives another output than the session itself
 * - `lost`, `overwritten`: a live stream takes content of the history away, or changes it
 * - `doubled`: a joined state has content that neither the history nor the stream has, or has it more often
 * - `incomplete`: a joined state lacks content of the live messages, or the end that they give an agent or the turn
 * - `reordered`: a joined state has its content in another order
 * - `ending-differs`: main's turn still runs after the end of the input, or only one of turn and ending is
 *   interrupted
 * - `runs-on`: an agent runs after the end of the input
 * - `unreported-agent`: the end of the input has cut an agent, and no `unfinished-subagent` issue names it
 * - `doubled-call`: the call of an agent has a `tool_use` or `tool_result` block besides the agent's own
 * - `unnamed-program`: the state has content, but neither a `session.program` nor a `session.protocol`
 * - `repeats`: a sink returns output for a state that it knows
 * - `reader-throws`: the tool's own reader refuses the output of a sink
 * - `reader-differs`: the tool's own reader makes another result of the output than the function for a whole state
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
  | 'state-differs'
  | 'not-json'
  | 'save-differs'
  | 'lost'
  | 'overwritten'
  | 'doubled'
  | 'incomplete'
  | 'reordered'
  | 'ending-differs'
  | 'runs-on'
  | 'unreported-agent'
  | 'doubled-call'
  | 'unnamed-program'
  | 'repeats'
  | 'reader-throws'
  | 'reader-differs'

const REASONS: Readonly<Record<LawCode, string>> = {
  throws: 'the function throws',
  'changes-argument': 'the function changes an argument',
  'not-repeatable': 'the same arguments give another result',
  'new-reference': 'nothing changed, but the result is a new object',
  'batch-differs': 'a batch gives another result than the inputs one by one',
  'not-idempotent': 'an input that comes twice changes the result twice',
  'invalid-event': 'the source returns a value that is not an event',
  swallowed: 'the source does not report an unknown message as `unknown-message`',
  disturbed: 'an unknown message changes the output of the source',
  'state-differs': 'the state of the session is not what its events lead to',
  'not-json': 'the session is saved as a value that JSON does not hold',
  'save-differs': 'a saved and loaded session gives another output',
  lost: 'the live stream takes content of the history away',
  overwritten: 'the live stream changes content of the history',
  doubled: 'the state has content more often than the history and the live stream',
  incomplete: 'the state lacks content of the live stream',
  reordered: 'the state has its content in another order',
  'ending-differs':
    'the turn still runs after the events of `end`, or only one of turn and ending is interrupted',
  'runs-on': 'an agent runs after the events of `end`',
  'unreported-agent': '`end` has cut an agent, and no `unfinished-subagent` issue has its `toolUseId`',
  'doubled-call': 'the call of an agent has a `tool_use` or `tool_result` block too',
  'unnamed-program': 'no `session:updated` event of the source names the `program` or the `protocol`',
  repeats: 'the sink returns output for a state that it knows',
  'reader-throws': "the tool's own reader refuses the output of the sink",
  'reader-differs': "the tool's own reader makes another result of the output",
}

/** Each part of a check in words, and the words before the index of the input. */
const PLACES = {
  end: ['`end`', ' after'],
  batch: ['`read`', ', with batches cut before'],
  save: ['`saveSession` and `loadSession`', ' after'],
  load: ['`loadSession` of a wrong value', ' after'],
  carried: ['with the session of the history', ', live from'],
  saved: ['with a saved session of the history', ', live from'],
  opened: ['with a session opened from the state', ', live from'],
  buffered: ['with buffered messages', ', live from'],
  reconnected: ['with a reconnect', ', live from'],
  overlapping: ['with two overlapping streams', ', live from'],
} as const

/** The part of a check that found an error. */
export type LawPlace = keyof typeof PLACES

/** A fault that a check found, at the first input that shows it. */
export interface LawFault {
  readonly code: LawCode
  /** The part in words: of the source for `checkSource`, and of the state for `checkJoin`, such as `content of block m1:0 of main`. */
  readonly part: string
  /** As in `LawError`. */
  readonly index: number
  /** How often the check found it. `checkJoin` counts joins. */
  readonly count: number
  readonly actual?: unknown
  readonly expected?: unknown
}

/** The facts that a check has about an error. */
export interface LawErrorFacts {
  readonly actual?: unknown
  readonly expected?: unknown
  readonly cause?: unknown
  /** The check found the error with a call of another function than `read`, or in a way to join. */
  readonly place?: LawPlace
  /** The check found the error with a message of its own, before the input. */
  readonly inserted?: { readonly message: unknown }
  /** All faults of a check that goes on after the first one. */
  readonly faults?: readonly LawFault[]
  /** The number of faults that `faults` leaves out. */
  readonly moreFaults?: number
}

/** A broken law. Test runners show the difference between `actual` and `expected`. */
export class LawError extends Error {
  readonly code: LawCode
  /**
   * The index of the input, counted from 0. A check of `end` or `save` has the index of the last input before it, or
   * -1. `checkJoin` has the cut.
   */
  readonly index: number
  readonly actual: unknown
  readonly expected: unknown
  /** Absent for a check of `read`. */
  readonly place: LawPlace | undefined
  /** The message of the check's own that shows the error, before the input. */
  readonly inserted: { readonly message: unknown } | undefined
  /** All faults that `checkSource` and `checkJoin` found, at most 20. Empty for another check. */
  readonly faults: readonly LawFault[]

  constructor(code: LawCode, index: number, facts: LawErrorFacts = {}) {
    const { actual, expected, cause } = facts
    super(textOf(code, index, facts), cause === undefined ? {} : { cause })
    this.name = 'LawError'
    this.code = code
    this.index = index
    // A test runner prints both values, and a value that is nested too deep ends the whole run.
    this.actual = truncateDepth(actual).message
    this.expected = truncateDepth(expected).message
    this.place = facts.place
    this.inserted = facts.inserted
    this.faults = facts.faults ?? []
  }
}

function textOf(code: LawCode, index: number, facts: LawErrorFacts): string {
  const { cause, place, inserted } = facts
  const thrown = code === 'throws' && cause !== undefined ? ` ${errorText(cause)}` : ''
  const law = `${REASONS[code]}${code === 'invalid-event' ? `: ${eventText(facts.expected)}` : ''}`
  if (!inserted)
    return `${law}${thrown} (${place ? `${PLACES[place].join('')} ` : ''}input ${index})${faultsText(facts)}`
  const reason = code === 'throws' ? `read throws${thrown}` : law
  const where = `for the inserted message ${shortJson(inserted.message)} (before input ${index})`
  return `${reason} ${where}${faultsText(facts)}`
}

/** Returns the part of the source that an error is about, in words, and what it threw. */
function partOf({ code, place, inserted, cause, expected }: LawError): string {
  const part = place ? PLACES[place][0] : inserted ? '`read` of an inserted message' : '`read`'
  if (code === 'invalid-event') return `${part}: ${eventText(expected)}`
  return cause === undefined ? part : `${part}: ${errorText(cause)}`
}

/** Returns the fields of an event that are wrong, from the issues of `parseSessionEvent`. */
function eventText(issues: unknown): string {
  return asArray(issues)
    .map(asObject)
    .map(({ path, expected }) => `${asArray(path).join('.') || 'the event'} must be ${expected}`)
    .join(', ')
}

/** Returns a line for each fault. */
function faultsText({ faults = [], moreFaults = 0 }: LawErrorFacts): string {
  const lines = faults.map(
    ({ code, part, index, count }) =>
      `${code}: ${part}, first at input ${index}${count > 1 ? `, ${count} times` : ''}`,
  )
  return [...lines, ...(moreFaults > 0 ? [`and ${moreFaults} more`] : [])]
    .map((line) => `\n- ${line}`)
    .join('')
}

function errorText(cause: unknown): string {
  return cause instanceof Error ? `${cause.name} ${JSON.stringify(cause.message)}` : String(cause)
}

/** The longest JSON of a message in an error's text, in UTF-16 units. */
const TEXT_LENGTH = 200

function shortJson(message: unknown): string {
  const json = String(JSON.stringify(truncateDepth(message).message))
  return json.length > TEXT_LENGTH ? `${json.slice(0, TEXT_LENGTH)}…` : json
}

/** Returns the function's result. Throws a `LawError` with that code if the function throws. */
export function requireResult<Result>(
  compute: () => Result,
  code: LawCode,
  index: number,
  facts: LawErrorFacts = {},
): Result {
  try {
    return compute()
  } catch (cause) {
    throw new LawError(code, index, { ...facts, cause })
  }
}

/** Throws a `LawError` unless both values are equal by content. */
export function expectEqual(
  actual: unknown,
  expected: unknown,
  code: LawCode,
  index: number,
  facts: LawErrorFacts = {},
): void {
  if (!isEqual(actual, expected)) throw new LawError(code, index, { ...facts, actual, expected })
}

/** The most faults that an error lists. */
const MAX_FAULTS = 20

type FoundFault = Omit<LawFault, 'count'> & Omit<LawErrorFacts, 'faults' | 'moreFaults'>

/** The faults of a check, each with the first input that shows it. Most faults show at many inputs. */
export class FaultList {
  readonly #found = new Map<string, { readonly fault: FoundFault; count: number }>()

  add(fault: FoundFault): void {
    const key = compositeKey(fault.code, fault.part)
    const found = this.#found.get(key)
    if (found) found.count += 1
    else this.#found.set(key, { fault, count: 1 })
  }

  /** Whether a part has broken the law. */
  has(code: LawCode): boolean {
    return [...this.#found.values()].some(({ fault }) => fault.code === code)
  }

  /** Does a part of a check. If it throws a `LawError`, the list has the fault, the result is undefined, and the check can go on. */
  attempt<Result>(work: () => Result): Result | undefined {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof LawError)) throw error
      const { code, index, actual, expected, cause, place, inserted } = error
      const facts = omitUndefined({ actual, expected, cause, place, inserted })
      this.add({ code, part: partOf(error), index, ...facts })
      return undefined
    }
  }

  /** Throws a `LawError` of the first fault, with a list of all. */
  throwIfAny(): void {
    const [first] = this.#found.values()
    if (!first) return
    const faults = [...this.#found.values()].slice(0, MAX_FAULTS).map(({ fault, count }) => {
      const { code, part, index, actual, expected } = fault
      return { code, part, index, count, actual, expected }
    })
    const { code, index, part, ...facts } = first.fault
    throw new LawError(code, index, { ...facts, faults, moreFaults: this.#found.size - faults.length })
  }
}
