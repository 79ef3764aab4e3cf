import { isEqual } from '../../core/json/equal.ts'
import type { ConversationThread, SessionConversationState } from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import type { Reading, Source, SourceEnd } from '../../reading/source.ts'
import { checkBatches, checkLoad, checkSave } from './check-saving.ts'
import { expectEqual, FaultList, LawError, requireResult } from './law-error.ts'
import { checkPure, cloneInput, evenSample } from './laws.ts'
import {
  checkEvents,
  checkShapes,
  checkState,
  endOf,
  malformedVariants,
  outputOf,
  type SourceCheck,
  type SourceFold,
  type SourceStep,
  sourceFold,
  UNKNOWN_MESSAGES,
} from './source-fold.ts'

/** The output of a source for all the messages and their end, with the state after them. */
export interface CheckedSource extends SourceEnd {
  readonly state: SessionConversationState
}

/** The options of `checkSource`. */
export interface CheckSourceOptions {
  /** More messages that the source cannot know. Needed if the program names a message's type in another field than `type`. */
  readonly unknownMessages?: Iterable<unknown>
  /** The most places at which the check ends, saves, cuts and spoils the messages, spread evenly. The default is 64. */
  readonly samples?: number
}

/**
 * Checks the laws of a source. `messages` are parsed messages, not text.
 * - It is a pure fold, and its events are valid. Times are ISO 8601, and counts whole numbers from 0.
 * - It reports any other JSON value as `unknown-message`. The value does not change the output for later messages.
 * - It does not throw for a message with a missing or wrong field.
 * - The state of the session is what its events lead to.
 * - `end` works after any message, and later messages give the same output as without it.
 * - Nothing runs after `end`, and main's turn is interrupted if the ending is.
 * - An agent that `end` has cut has an `unfinished-subagent` issue. The call of an agent has no `tool_use` or
 *   `tool_result` block.
 * - The session names its program or its protocol, if it has content.
 * - A batch gives the same as its messages one by one.
 * - `saveSession` returns plain JSON, and the session that `loadSession` returns for it goes on as the saved one.
 * - `loadSession` returns a usable session for any JSON, or throws a `SnapshotError`.
 *
 * The check cannot know whether the events carry all content. It goes on after a fault, and checks the messages
 * before the first one for which the source throws. Throws a `LawError` with the first fault, whose `index` is the
 * message's, and with all `faults`. Throws a `TypeError` for text instead of messages, for another option, or for a
 * message that `structuredClone` refuses.
 */
export function checkSource(
  source: Source,
  messages: Iterable<unknown>,
  { unknownMessages = [], samples, ...others }: CheckSourceOptions = {},
): CheckedSource {
  if (typeof messages === 'string') throw new TypeError('pass the messages of the lines, not their text')
  for (const name in others)
    throw new TypeError(`the check has no option ${name}: pass unknownMessages or samples`)
  const inputs = [...messages]
  const fold = sourceFold(source)
  const faults = new FaultList()
  // The first run of the parts comes before all others. The run of all messages reports a message for which the
  // source throws.
  const parts = new FaultList().attempt(() => runParts(fold, inputs)) ?? []
  const steps = stepsOfRun(fold, inputs, faults)
  const read = inputs.slice(0, steps.length)
  const check = { source, fold, steps, faults, ...(samples !== undefined && { samples }) }
  faults.attempt(() => checkPure(fold, read, steps, outputOf))
  for (const { index, before, after } of steps) {
    faults.attempt(() => checkEvents(after.events, index))
    faults.attempt(() => checkState(before.session, after, index))
  }
  checkUnknownMessages(check, [...UNKNOWN_MESSAGES, ...unknownMessages])
  checkMalformedMessages(check)
  checkEnds(check)
  checkEndings(check)
  // Each of these compares two runs.
  if (!faults.has('not-repeatable')) {
    checkBatches(check)
    checkSave(check)
  }
  checkLoad(check)
  if (read.length === inputs.length) checkParts(check, inputs, parts)
  faults.attempt(() => checkProgram(source, steps))
  faults.throwIfAny()
  return checkedSource(source, steps)
}

/**
 * Folds the messages one by one. The steps end before the first message for which the source throws, and `faults`
 * gets every one of them.
 */
function stepsOfRun(fold: SourceFold, inputs: readonly unknown[], faults: FaultList): readonly SourceStep[] {
  const steps: SourceStep[] = []
  let before = fold.initial
  let isRead = true
  for (const [index, original] of inputs.entries()) {
    const input = cloneInput(original, index)
    const state = before
    const after = faults.attempt(() => requireResult(() => fold.reduce(state, input), 'throws', index))
    isRead &&= after !== undefined
    if (!after) continue
    if (isRead) steps.push({ index, input, before, after })
    before = after
  }
  return steps
}

interface PartOutput {
  readonly index: number
  readonly output: unknown
}

/** Returns the outputs for the second half of the messages, and the outputs for every second message. */
function runParts(fold: SourceFold, inputs: readonly unknown[]): readonly PartOutput[] {
  const numbered = inputs.map((input, index) => ({ index, input }))
  const parts = [
    numbered.filter(({ index }) => index >= inputs.length / 2),
    numbered.filter(({ index }) => index % 2 === 1),
  ]
  return parts.flatMap((part) => {
    let state = fold.initial
    return part.map(({ input, index }) => {
      const [before, copy] = [state, cloneInput(input, index)]
      state = requireResult(() => fold.reduce(before, copy), 'throws', index)
      return { index, output: outputOf(state) }
    })
  })
}

/** A source that keeps data of a session outside its session gives other output when parts of that session come again. */
function checkParts(
  { fold, faults }: SourceCheck,
  inputs: readonly unknown[],
  first: readonly PartOutput[],
): void {
  const again = faults.attempt(() => runParts(fold, inputs)) ?? []
  for (const [at, { index, output }] of again.entries())
    faults.attempt(() => expectEqual(output, first[at]?.output, 'not-repeatable', index))
}

function checkedSource(source: Source, steps: readonly SourceStep[]): CheckedSource {
  const { session, ending, ...end } = source.end(steps.at(-1)?.after.session ?? source.open())
  const events = [...steps.flatMap(({ after }) => after.events), ...end.events]
  const issues = [...steps.flatMap(({ after }) => after.issues), ...end.issues]
  return { events, issues, ending, session, state: session.state }
}

/** Checks that a state with content names its program or its protocol: parity and identity find the rules of a format by that name. */
function checkProgram(source: Source, steps: readonly SourceStep[]): void {
  const index = steps.length - 1
  const place = 'end' as const
  const last = steps.at(-1)?.after.session ?? source.open()
  const { blocks, subagents, session } = requireResult(() => endOf(source, last), 'throws', index, { place })
    .session.state
  const isEmpty = blocks.length === 0 && subagents.length === 0
  if (!isEmpty && session.program === undefined && session.protocol === undefined)
    throw new LawError('unnamed-program', index, { actual: session, place })
}

/** Puts the unknown messages between the others. The output for the others must stay the same. */
function checkUnknownMessages(check: SourceCheck, unknownMessages: readonly unknown[]): void {
  const { fold, steps, faults } = check
  let start = fold.initial
  for (const unknown of unknownMessages)
    start = faults.attempt(() => readUnknown(fold, start, unknown, 0)) ?? start
  faults.attempt(() => {
    let state = start
    for (const { index, input, after } of steps) {
      const before = readUnknown(fold, state, unknownMessages[index % unknownMessages.length], index)
      state = requireResult(() => fold.reduce(before, input), 'disturbed', index)
      if (!isEqual(outputOf(state), outputOf(after))) requireRepeatable(check, index)
      expectEqual(outputOf(state), outputOf(after), 'disturbed', index)
    }
  })
}

/** Throws a `LawError` if the messages up to an index, alone, give another output than in the first run, as with a clock. */
function requireRepeatable({ fold, steps }: SourceCheck, last: number): void {
  let state = fold.initial
  for (const { index, input, after } of steps.slice(0, last + 1)) {
    const before = state
    state = requireResult(() => fold.reduce(before, input), 'not-repeatable', index)
    expectEqual(outputOf(state), outputOf(after), 'not-repeatable', index)
  }
}

function readUnknown(fold: SourceFold, state: Reading, unknown: unknown, index: number): Reading {
  const facts = { actual: unknown, inserted: { message: unknown } }
  const after = requireResult(() => fold.reduce(state, unknown), 'throws', index, facts)
  const isReported = after.issues.some(({ code }) => code === 'unknown-message')
  if (!isReported) throw new LawError('swallowed', index, facts)
  if (after.events.length > 0)
    throw new LawError('disturbed', index, { ...facts, actual: after.events, expected: [] })
  return after
}

/** Checks that a missing or wrong field in a message neither throws nor gives an invalid event. */
function checkMalformedMessages({ fold, steps, samples, faults }: SourceCheck): void {
  for (const { index, input, before } of evenSample(steps, samples))
    for (const message of malformedVariants(input))
      faults.attempt(() => {
        const inserted = { message }
        const facts = { actual: message, inserted }
        const { events } = requireResult(() => fold.reduce(before, message), 'throws', index, facts)
        checkShapes(events, index, { inserted })
      })
}

/** Checks that `end` works after any message, gives the same each time, and does not change the output for later messages. */
function checkEnds(check: SourceCheck): void {
  const start = { index: -1, after: check.fold.initial }
  for (const step of [start, ...evenSample(check.steps, check.samples)])
    check.faults.attempt(() => checkEnd(check, step))
}

function checkEnd(
  { source, fold, steps }: SourceCheck,
  { index, after }: Pick<SourceStep, 'index' | 'after'>,
): void {
  const place = 'end' as const
  const end = () => requireResult(() => endOf(source, after.session), 'throws', index, { place })
  const next = steps[index + 1]
  // A source that gives other output without an `end`, too, changes no argument.
  if (next) {
    const alone = requireResult(() => fold.reduce(after, next.input), 'changes-argument', next.index)
    expectEqual(outputOf(alone), outputOf(next.after), 'not-repeatable', next.index)
  }
  const first = end()
  checkEvents(first.events, index)
  expectEqual(end(), first, 'not-repeatable', index, { place })
  if (!next) return
  const again = requireResult(() => fold.reduce(after, next.input), 'changes-argument', index, { place })
  expectEqual(outputOf(again), outputOf(next.after), 'changes-argument', index, { place })
}

/**
 * Checks the state after the end of the input. Nothing runs, unless the session waits for a person. The ending and
 * main's turn agree: the turn is interrupted if the ending is. The agents that the end has cut are reported.
 */
function checkEndings({ source, fold, steps, samples, faults }: SourceCheck): void {
  const start = { index: -1, after: fold.initial }
  for (const { index, after } of [start, ...evenSample(steps, samples)]) {
    const end = faults.attempt(() =>
      requireResult(() => endOf(source, after.session), 'throws', index, { place: 'end' }),
    )
    if (!end) continue
    faults.attempt(() => checkState(after.session, end, index))
    faults.attempt(() => checkEnding(end, index))
    faults.attempt(() => checkAgentEnds(end, index))
    faults.attempt(() => checkAgentCalls(end, index))
  }
}

function checkEnding({ session: { state }, ending }: SourceEnd, index: number): void {
  const { status } = state.turn
  const runsOn = status === 'running' && !waitsForPerson(state)
  if (runsOn || (status === 'interrupted') !== (ending === 'interrupted'))
    throw new LawError('ending-differs', index, { actual: status, expected: ending, place: 'end' })
}

/**
 * Checks the agents of a state after the end of the input. None of them runs, unless the session waits for a person,
 * and each one that the end has cut has an `unfinished-subagent` issue.
 */
function checkAgentEnds({ session: { state }, issues }: SourceEnd, index: number): void {
  const place = 'end' as const
  const reported = new Set(
    issues.map((issue) => (issue.code === 'unfinished-subagent' ? issue.toolUseId : undefined)),
  )
  for (const { toolUseId, status, openBlocks } of state.subagents) {
    if (!isFinal(status) && !waitsForPerson(state))
      throw new LawError('runs-on', index, { actual: toolUseId, place })
    if (openBlocks && !reported.has(toolUseId))
      throw new LawError('unreported-agent', index, { actual: toolUseId, place })
  }
}

/** Checks that the call of an agent has no block of a tool. */
function checkAgentCalls({ session: { state } }: SourceEnd, index: number): void {
  const [block] = toolBlocksOfAgents(state)
  if (block) throw new LawError('doubled-call', index, { actual: block, place: 'end' })
}

function toolBlocksOfAgents(state: SessionConversationState): ConversationThread['blocks'] {
  const agents = new Set(state.subagents.map(({ toolUseId }) => toolUseId))
  return [state, ...state.subagents].flatMap(({ blocks }) =>
    blocks.filter(
      (block) => (block.type === 'tool_use' || block.type === 'tool_result') && agents.has(block.toolUseId),
    ),
  )
}

/** Whether a request of any conversation waits for the person. */
function waitsForPerson(state: SessionConversationState): boolean {
  return [state, ...state.subagents].some(({ blocks }) =>
    blocks.some(({ type, status }) => type === 'request' && status === 'pending'),
  )
}
