import type { SessionConversationState } from '../../../core/state/session.ts'
import { loadSession, saveSession } from '../../../reading/save-session.ts'
import type { Session, Source } from '../../../reading/source.ts'
import { FaultList, type LawPlace, requireResult } from '../law-error.ts'
import { evenSample } from '../laws.ts'
import { joinFaults } from './compare-join.ts'
import { type LiveRun, runLive } from './live-run.ts'

/** The two sides of one session, as messages and not as text. */
export interface JoinedSession {
  /** The stored messages of the whole session. */
  readonly history: Iterable<unknown>
  /** The messages of the live stream. */
  readonly live: Iterable<unknown>
  /** Returns the stored messages as they were when the stream had sent `cut` messages. If absent, each check has the whole history. */
  readonly historyAt?: (cut: number) => Iterable<unknown>
  /** The numbers of live messages before the join. If absent, every number, or 64 of them if there are more. */
  readonly cuts?: Iterable<number>
}

/**
 * Checks that a reader may join the live stream after it has read the history, at any message. At each cut it reads
 * the history, and then the live messages in these ways:
 * - with the session that read the history, before and after its end, and with a saved one
 * - with a session that `source.open(state)` made
 * - with messages that the reader buffered while it read the history
 * - with messages that come again after a reconnect
 * - with two streams that overlap
 *
 * The state must have everything that the history has, and everything that the live messages add: nothing lost,
 * overwritten, doubled, incomplete or reordered. The turn and the agents have the last end that the live messages
 * report. A text that the end of the history finalized may go on. Throws a `LawError` with the first fault, whose
 * `index` is the cut, and with all `faults`. Throws a `TypeError` for text instead of messages.
 */
export function checkJoin(source: Source, session: JoinedSession): void {
  if (typeof session.history === 'string' || typeof session.live === 'string')
    throw new TypeError('pass the messages of the lines, not their text')
  const live = [...session.live]
  const run = requireResult(() => runLive(source, live), 'throws', -1)
  const whole = readHistory(source, session.history)
  const faults = new FaultList()
  for (const cut of session.cuts ?? evenSample([...live.keys(), live.length])) {
    const histories = [whole, ...(session.historyAt ? [readHistory(source, session.historyAt(cut))] : [])]
    for (const history of histories) checkCut({ source, history, live, run, faults }, cut)
  }
  faults.throwIfAny()
}

/** A history as a source has read it. */
interface ReadHistory {
  readonly session: Session
  /** The session after the end of the input. */
  readonly ended: Session
}

function readHistory(source: Source, history: Iterable<unknown>): ReadHistory {
  const session = readEach(source, source.open(), history)
  return { session, ended: source.end(session).session }
}

/** Reads the messages one by one, as a live reader does. */
function readEach(source: Source, start: Session, messages: Iterable<unknown>): Session {
  let session = start
  for (const message of messages) session = source.read(session, [message]).session
  return session
}

interface Cut {
  readonly source: Source
  readonly history: ReadHistory
  readonly live: readonly unknown[]
  readonly run: LiveRun
  readonly faults: FaultList
}

/** The numbers of messages that come again. */
const REPEATED = [1, 3, 20]

function checkCut(context: Cut, cut: number): void {
  const { source, history, live } = context
  const { session, ended } = history
  const rest = live.slice(cut)
  const count = REPEATED[cut % REPEATED.length] ?? 1
  const from = Math.max(0, cut - count)
  const opened = ({ state }: Session) => source.open(state)
  const saved = () => loadSession(source, JSON.parse(JSON.stringify(saveSession(session))))
  const check = (place: LawPlace, start: () => Session, messages: readonly unknown[], first = cut) =>
    checkJoined(context, { place, start, messages, first, cut })
  check('carried', () => session, rest)
  check('carried', () => ended, rest)
  check('saved', saved, rest)
  check('opened', () => opened(session), rest)
  check('opened', () => opened(ended), rest)
  check('buffered', () => session, live.slice(from), from)
  check('buffered', () => opened(ended), live.slice(from), from)
  check('reconnected', () => session, [...rest.slice(0, count), ...rest])
  check('overlapping', () => session, overlapping(rest, count))
}

/** Returns the messages of two streams, the second of which is late by some messages. */
function overlapping(messages: readonly unknown[], delay: number): readonly unknown[] {
  return messages.flatMap((message, at) => (at < delay ? [message] : [message, messages[at - delay]]))
}

interface JoinedWay {
  readonly place: LawPlace
  readonly start: () => Session
  readonly messages: readonly unknown[]
  /** The index of the first live message. */
  readonly first: number
  readonly cut: number
}

function checkJoined(context: Cut, way: JoinedWay): void {
  const { history, run, faults } = context
  const { place, first, cut } = way
  const result = joinedStates(context, way)
  if ('cause' in result)
    return faults.add({ code: 'throws', part: 'the source', index: cut, place, ...result })
  const { before, joined } = result
  const [open, ended] = [history.session.state, history.ended.state]
  for (const fault of joinFaults({ joined, history: before, open, ended, live: run, cut: first }))
    faults.add({ ...fault, index: cut, place })
}

interface JoinedStates {
  readonly before: SessionConversationState
  readonly joined: SessionConversationState
}

function joinedStates(
  { source }: Cut,
  { start, messages }: JoinedWay,
): JoinedStates | { readonly cause: unknown } {
  try {
    const begun = start()
    return { before: begun.state, joined: readEach(source, begun, messages).state }
  } catch (cause) {
    return { cause }
  }
}
