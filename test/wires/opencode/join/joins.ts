import { expect } from 'vitest'
import { asObject } from '../../../../src/core/json/values.ts'
import type { ConversationBlock, SessionConversationState } from '../../../../src/entries/index.ts'
import type { Session } from '../../../../src/reading/source.ts'
import { opencodeSource } from '../../../../src/wires/opencode/source.ts'
import { messagesIn } from '../../recordings.ts'
import { recordings } from '../recordings.ts'
import { sharedState, toExports } from '../stored.ts'
import { eventsOf, sessions } from './sessions.ts'

export const nothing: Session = opencodeSource.open()

/** Reads one message. */
export function follow(session: Session, message: unknown): Session {
  return opencodeSource.read(session, [message]).session
}

export const followAll = (start: Session, messages: readonly unknown[]): Session =>
  messages.reduce<Session>(follow, start)

/** A way to go on after the history. */
type Continuation = (history: Session) => Session

const ended = (session: Session): Session => opencodeSource.end(session).session
const resumed = ({ state }: Session): Session => opencodeSource.open(state)

/** The ways to go on: with the session that reading left or with a resumed one, before or after the end of the input. */
const continuations: Readonly<Record<string, Continuation>> = {
  'carried session': (history) => history,
  'resumed session': resumed,
  'carried session after the end': ended,
  'resumed session after the end': (history) => resumed(ended(history)),
}

export const waysToGoOn: readonly string[] = Object.keys(continuations)

/** One session: the events of its bus, and its exports. */
export interface JoinedSession {
  readonly name: string
  readonly isMade: boolean
  readonly bus: readonly unknown[]
  readonly exports: readonly unknown[]
}

const made = Object.keys(sessions).map((name): JoinedSession => {
  const bus = eventsOf(name)
  return { name: `made: ${name}`, isMade: true, bus, exports: toExports(bus) }
})
const recorded = recordings.map(({ name, events, disk }): JoinedSession => {
  const texts = [disk.main, ...disk.subagents.map(({ transcript }) => transcript)]
  return {
    name,
    isMade: false,
    bus: messagesIn(events),
    exports: texts.map((text): unknown => JSON.parse(text)),
  }
})

export const joinedSessions: readonly JoinedSession[] = [...recorded, ...made]

/** Returns the state at the end of the input, as far as live and stored sessions share it. */
export function finish(joined: Session): object {
  const { session, ending } = opencodeSource.end(joined)
  return { ...sharedState(withoutUnsharedFacts(session.state)), ending }
}

/**
 * Only the bus has the errors of a turn without a message; they have the ids of their events. A state does not hold the time of a user
 * message that has no part yet, and not every message is reported again.
 */
function withoutUnsharedFacts(state: SessionConversationState): SessionConversationState {
  const shared = (blocks: readonly ConversationBlock[]) =>
    blocks
      .filter(({ type, id }) => type !== 'error' || id.endsWith(':error'))
      .map((block) => (isUsers(block) ? { ...block, timestamp: '' } : block))
  const subagents = state.subagents.map((agent) => ({ ...agent, blocks: shared(agent.blocks) }))
  return { ...state, blocks: shared(state.blocks), subagents }
}

const isUsers = ({ type }: ConversationBlock) => type === 'user_message' || type === 'system'

/** The place of a join in the bus: the history ends before `cut`, and the live stream repeats the last events. */
export interface JoinPlace {
  readonly cut: number
  readonly repeated: number
  readonly way: string
}

/** The live stream from the join's place on. */
const liveFrom = ({ bus }: JoinedSession, { cut, repeated }: JoinPlace) =>
  bus.slice(Math.max(0, cut - repeated))
const goOn = (history: Session, { way }: JoinPlace): Session => continuations[way]?.(history) ?? history

/** Expects that the whole history has everything that the live stream brings after it. */
export function expectWholeHistory(session: JoinedSession, place: JoinPlace): void {
  const history = followAll(nothing, session.exports)
  const live = liveFrom(session, place)
  const joined = followAll(goOn(history, place), live)
  expect([place, finish(joined), turnStatus(joined, live)]).toEqual([
    place,
    finish(history),
    turnStatus(history, live),
  ])
}

/** Expects the state of the whole bus from the exports of the cut and the live stream. */
export function expectHistoryAtCut(session: JoinedSession, place: JoinPlace): void {
  const history = followAll(nothing, toExports(session.bus.slice(0, place.cut)))
  // A session without a message is in no state.
  if (history.state.session.id === undefined && place.way.startsWith('resumed')) return
  // The ids of a made session have no times, so nothing shows which turn an error belongs to if the bus begins with it.
  if (session.isMade && asObject(liveFrom(session, place)[0]).type === 'session.error') return
  expectWholeBus(session, place, history)
}

/** Expects the state of the whole bus from its beginning and, after a restart, its rest. */
export function expectReconnect(session: JoinedSession, place: JoinPlace): void {
  const before = followAll(nothing, session.bus.slice(0, place.cut))
  expectWholeBus(session, place, before)
}

function expectWholeBus(session: JoinedSession, place: JoinPlace, before: Session): void {
  const live = liveFrom(session, place)
  const joined = followAll(goOn(before, place), live)
  const whole = followAll(nothing, session.bus)
  expect([place, finish(joined), turnStatus(joined, live)]).toEqual([
    place,
    finish(whole),
    turnStatus(whole, live),
  ])
}

/** Returns the status of main's turn at the end of the input. A bus that begins with an error does not show which turn failed. */
function turnStatus(joined: Session, [first]: readonly unknown[]): string | undefined {
  return asObject(first).type === 'session.error' ? undefined : ended(joined).state.turn.status
}

/** Expects that the rest of the bus takes back no final block and no prompt that the history showed. */
export function expectNothingTakenBack(session: JoinedSession, place: JoinPlace): void {
  const history = followAll(nothing, session.exports)
  const shown = shownBlocks(history.state)
  liveFrom(session, place).reduce<Session>(
    (joined, message) => {
      const next = follow(joined, message)
      expect(shownBlocks(next.state)).toEqual(expect.arrayContaining([...shown]))
      return next
    },
    goOn(history, place),
  )
}

/** Returns the texts and outputs of final blocks. */
function shownBlocks({ blocks, subagents }: SessionConversationState): readonly unknown[] {
  return [{ blocks }, ...subagents].flatMap((thread) =>
    thread.blocks
      .filter(({ status, type }) => status !== 'pending' && type !== 'subagent' && type !== 'system')
      .map(({ id, conversationId, type, ...block }) => ({ id, conversationId, type, ...contentOf(block) })),
  )
}

const contentOf = (block: object) => ('content' in block ? { content: block.content } : {})

/** Expects the state of one stream from two streams of the same events, of which one lags behind. */
export function expectTwoStreams({ bus }: JoinedSession, { cut, lag }: { cut: number; lag: number }): void {
  const late = (at: number) => (at - lag >= cut ? bus.slice(at - lag, at - lag + 1) : [])
  const both = Array.from({ length: bus.length + lag }, (_, at) => [...bus.slice(at, at + 1), ...late(at)])
  expect(followAll(nothing, both.flat()).state).toEqual(followAll(nothing, bus).state)
}
