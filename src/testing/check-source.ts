import type { SessionEvent } from '../events/event.ts'
import { parseSessionEvent } from '../events/guard.ts'
import type { ReducerIssue } from '../reducer/issue.ts'
import { foldSessionEvents } from '../reducer/reduce.ts'
import type { Source, SourceEnd, Translated } from '../sources/source.ts'
import { createInitialConversationState, type SessionConversationState } from '../state/session.ts'
import { type Fold, type FoldStep, stepsOf } from './fold.ts'
import { answerOf, expectEqual, LawError } from './law-error.ts'
import { checkPure, spread } from './laws.ts'

/** What a source made of all the messages, and the state that its events lead to. */
export interface CheckedSource extends SourceEnd {
  readonly state: SessionConversationState
  readonly reducerIssues: readonly ReducerIssue[]
}

/**
 * Checks that a source is one: a pure fold over messages as a parser gives them, which gives events that are valid, reports any JSON
 * value that it cannot know as `unknown-message` without being disturbed, and can be asked for the end at any place. Throws a
 * `LawError`, whose `index` is that of the message, and a `TypeError` for text in the place of messages or a message that
 * `structuredClone` does not take.
 */
export function checkSource<Memory>(source: Source<Memory>, messages: Iterable<unknown>): CheckedSource {
  if (typeof messages === 'string') throw new TypeError('pass the messages of the lines, not their text')
  const inputs = [...messages]
  const fold = foldOf(source)
  const steps = stepsOf(fold, inputs)
  for (const { index, after } of steps) checkEvents(after.events, index)
  checkPure(fold, inputs, saidOf)
  checkStrangers(source, steps)
  checkEnds(source, steps)
  return checkedSource(source, steps)
}

type Step<Memory> = FoldStep<Translated<Memory>, unknown>

/** A source as a fold whose state is what the last message gave. */
function foldOf<Memory>(source: Source<Memory>): Fold<Translated<Memory>, unknown> {
  return {
    initial: { memory: source.initial, events: [], issues: [] },
    reduce: ({ memory }, message) => source.translate(memory, message),
  }
}

function checkedSource<Memory>(source: Source<Memory>, steps: readonly Step<Memory>[]): CheckedSource {
  const end = source.end(steps.at(-1)?.after.memory ?? source.initial)
  const events = [...steps.flatMap(({ after }) => after.events), ...end.events]
  const issues = [...steps.flatMap(({ after }) => after.issues), ...end.issues]
  const folded = foldSessionEvents(createInitialConversationState(), events)
  return { events, issues, ending: end.ending, state: folded.state, reducerIssues: folded.issues }
}

/** What a translation says; a memory is its own business. */
function saidOf<Memory>({ events, issues }: Translated<Memory>): unknown {
  return { events, issues }
}

function checkEvents(events: readonly SessionEvent[], index: number): void {
  for (const event of events) {
    const parsed = parseSessionEvent(event)
    if (!parsed.ok) throw new LawError('invalid-event', index, { actual: event, expected: parsed.issues })
  }
}

/** JSON that no program writes. */
const STRANGERS: readonly unknown[] = [
  null,
  true,
  7,
  '',
  'text',
  [],
  [null],
  {},
  { type: 7 },
  { type: 'agentfold:no-such-type' },
  { type: '__proto__' },
  JSON.parse('{"__proto__":{"type":"text"},"constructor":null}'),
  JSON.parse(`${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`),
]

/** Each stranger stands somewhere between the messages, and the messages give what they give without it. */
function checkStrangers<Memory>(source: Source<Memory>, steps: readonly Step<Memory>[]): void {
  let { initial: memory } = source
  for (const stranger of STRANGERS) memory = passStranger(source, memory, stranger, 0)
  for (const { index, input, after } of steps) {
    memory = passStranger(source, memory, STRANGERS[index % STRANGERS.length], index)
    const translated = source.translate(memory, input)
    memory = translated.memory
    expectEqual(saidOf(translated), saidOf(after), 'disturbed', index)
  }
}

function passStranger<Memory>(
  source: Source<Memory>,
  memory: Memory,
  stranger: unknown,
  index: number,
): Memory {
  const { memory: next, events, issues } = strangerAnswer(source, memory, stranger, index)
  const isReported = issues.some(({ code }) => code === 'unknown-message')
  if (!isReported) throw new LawError('swallowed', index, { actual: stranger, isStranger: true })
  if (events.length > 0)
    throw new LawError('disturbed', index, { actual: events, expected: [], isStranger: true })
  return next
}

function strangerAnswer<Memory>(
  source: Source<Memory>,
  memory: Memory,
  stranger: unknown,
  index: number,
): Translated<Memory> {
  try {
    return source.translate(memory, stranger)
  } catch (cause) {
    throw new LawError('throws', index, { actual: stranger, cause, isStranger: true })
  }
}

/** The end may be asked for anywhere, and as often as one likes. */
function checkEnds<Memory>(source: Source<Memory>, steps: readonly Step<Memory>[]): void {
  const begin = { index: 0, after: { memory: source.initial } }
  for (const { index, after } of [begin, ...spread(steps)]) {
    const first = answerOf(() => source.end(after.memory), 'throws', index)
    checkEvents(first.events, index)
    expectEqual(source.end(after.memory), first, 'not-repeatable', index)
  }
}
