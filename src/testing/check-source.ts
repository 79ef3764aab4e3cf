import type { SessionEvent } from '../events/event.ts'
import { parseSessionEvent } from '../events/guard.ts'
import type { Source, SourceEnd, Translated } from '../formats/source.ts'
import { isObject } from '../json/values.ts'
import type { ReducerIssue } from '../reducer/issue.ts'
import { foldSessionEvents } from '../reducer/reduce.ts'
import { createInitialConversationState, type SessionConversationState } from '../state/session.ts'
import { type Fold, type FoldStep, stepsOf } from './fold.ts'
import { answerOf, expectEqual, LawError } from './law-error.ts'
import { checkPure, cloneOf, spread } from './laws.ts'
import { STRANGERS, spoiled } from './strangers.ts'

/** What a source made of all the messages, and the state that its events lead to. */
export interface CheckedSource extends SourceEnd {
  readonly state: SessionConversationState
  readonly reducerIssues: readonly ReducerIssue[]
}

/** What a check of a source may be told of its program. */
export interface CheckSourceOptions {
  /** More messages that the source cannot know: those of a program that tells them apart by another field than `type`. */
  readonly strangers?: Iterable<unknown>
}

/**
 * Checks that a source is one: a pure fold over messages as a parser gives them, which gives events that are valid, reports any JSON
 * value that it cannot know as `unknown-message` without being disturbed, takes messages of which a part is missing or of another
 * kind, and can be asked for the end at any place. It cannot tell whether all that was said is there. Throws a `LawError`, whose
 * `index` is that of the message, and a `TypeError` for text in the place of messages or a message that `structuredClone` does not
 * take.
 */
export function checkSource<Memory>(
  source: Source<Memory>,
  messages: Iterable<unknown>,
  { strangers = [] }: CheckSourceOptions = {},
): CheckedSource {
  if (typeof messages === 'string') throw new TypeError('pass the messages of the lines, not their text')
  const inputs = [...messages]
  const fold = foldOf(source)
  const early = joinedLate(fold, inputs)
  const steps = checkPure(fold, inputs, saidOf)
  for (const { index, after } of steps) checkEvents(after.events, index)
  checkStrangers(fold, steps, [...STRANGERS, ...strangers])
  checkSpoiled(fold, steps)
  checkEnds(source, fold, steps)
  // What one session has left behind somewhere shows where the next one lacks a part.
  for (const [at, { index, said }] of joinedLate(fold, inputs).entries())
    expectEqual(said, early[at]?.said, 'not-repeatable', index)
  return checkedSource(source, steps)
}

type SourceFold<Memory> = Fold<Translated<Memory>, unknown>
type Step<Memory> = FoldStep<Translated<Memory>, unknown>

/** A source as a fold whose state is what the last message gave. */
function foldOf<Memory>(source: Source<Memory>): SourceFold<Memory> {
  return {
    initial: { memory: source.initial, events: [], issues: [] },
    reduce: ({ memory }, message) => {
      const translated = source.translate(memory, message)
      if (!isAnswer(translated)) throw new TypeError('translate has to give a memory, events and issues')
      return translated
    },
  }
}

function isAnswer(value: unknown): boolean {
  return isObject(value) && Array.isArray(value.events) && areIssues(value.issues)
}

function areIssues(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (issue) => isObject(issue) && typeof issue.code === 'string' && typeof issue.count === 'number',
    )
  )
}

/** What a source says that begins in the middle, and one that gets every second message. */
function joinedLate<Memory>(
  fold: SourceFold<Memory>,
  inputs: readonly unknown[],
): readonly { readonly index: number; readonly said: unknown }[] {
  const numbered = inputs.map((input, index) => ({ index, input }))
  const parts = [
    numbered.filter(({ index }) => index >= inputs.length / 2),
    numbered.filter(({ index }) => index % 2 === 1),
  ]
  return parts.flatMap((part) =>
    stepsOf(
      fold,
      part.map(({ input, index }) => cloneOf(input, index)),
    ).map(({ after }, at) => ({ index: part[at]?.index ?? at, said: saidOf(after) })),
  )
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

/** Each stranger stands somewhere between the messages, and the messages give what they give without it. */
function checkStrangers<Memory>(
  fold: SourceFold<Memory>,
  steps: readonly Step<Memory>[],
  strangers: readonly unknown[],
): void {
  let state = fold.initial
  for (const stranger of strangers) state = passStranger(fold, state, stranger, 0)
  for (const { index, input, after } of steps) {
    const before = passStranger(fold, state, strangers[index % strangers.length], index)
    state = answerOf(() => fold.reduce(before, input), 'disturbed', index)
    expectEqual(saidOf(state), saidOf(after), 'disturbed', index)
  }
}

function passStranger<Memory>(
  fold: SourceFold<Memory>,
  state: Translated<Memory>,
  stranger: unknown,
  index: number,
): Translated<Memory> {
  const facts = { actual: stranger, place: 'stranger' } as const
  const after = answerOf(() => fold.reduce(state, stranger), 'throws', index, facts)
  const isReported = after.issues.some(({ code }) => code === 'unknown-message')
  if (!isReported) throw new LawError('swallowed', index, facts)
  if (after.events.length > 0)
    throw new LawError('disturbed', index, { ...facts, actual: after.events, expected: [] })
  return after
}

/** A message may lack a part of what its kind has, or have another there. */
function checkSpoiled<Memory>(fold: SourceFold<Memory>, steps: readonly Step<Memory>[]): void {
  for (const { index, input, before } of spread(steps))
    for (const message of spoiled(input)) {
      const facts = { actual: message, place: 'stranger' } as const
      const { events } = answerOf(() => fold.reduce(before, message), 'throws', index, facts)
      checkEvents(events, index)
    }
}

/** The end may be asked for anywhere, and as often as one likes, and what comes after it comes as it did. */
function checkEnds<Memory>(
  source: Source<Memory>,
  fold: SourceFold<Memory>,
  steps: readonly Step<Memory>[],
): void {
  const begin = { index: -1, after: fold.initial }
  const place = 'end' as const
  for (const { index, after } of [begin, ...spread(steps)]) {
    const end = () => answerOf(() => endOf(source, after.memory), 'throws', index, { place })
    const first = end()
    checkEvents(first.events, index)
    expectEqual(end(), first, 'not-repeatable', index, { place })
    const next = steps[index + 1]
    if (!next) continue
    const again = answerOf(() => fold.reduce(after, next.input), 'changes-argument', index, { place })
    expectEqual(saidOf(again), saidOf(next.after), 'changes-argument', index, { place })
  }
}

const ENDINGS: ReadonlySet<unknown> = new Set<SourceEnd['ending']>(['finished', 'interrupted', 'open'])

function endOf<Memory>(source: Source<Memory>, memory: Memory): SourceEnd {
  const end = source.end(memory)
  if (!isAnswer(end) || !ENDINGS.has(end.ending))
    throw new TypeError('end has to give events, issues and how it ended')
  return end
}
