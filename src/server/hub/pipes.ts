import type { EventOf, SessionEvent } from '../../core/events/event.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { reduceSessionEvents } from '../../core/reducer/reduce.ts'
import { pendingRequests } from '../../core/selectors/requests.ts'
import { isOpenBlock, MAIN, type SessionConversationState } from '../../core/state/session.ts'
import type { ArchitectureName } from '../../programs/program.ts'
import { openReader } from '../../reading/reader.ts'
import { loadSession, saveSession } from '../../reading/save-session.ts'
import type { Ending, ReadIssue, Session, Source } from '../../reading/source.ts'
import { requestIdsAfterOutput } from '../../wires/answer-request.ts'
import { sourceOf } from '../../wires/source-of.ts'
import { lostEvents, wrongSeq } from '../log/log-error.ts'
import { compactEvents } from '../sync/compact-events.ts'
import type { PlacedState } from '../sync/snapshot.ts'
import { type HubReply, reopeningEvents } from './answered-request.ts'
import { textOfError } from './hub-error.ts'
import { chunksOf, isReadable, type PipeInput, type PipeOptions, type SavedReader } from './pipe-input.ts'
import { SessionListeners, type Sessions } from './sessions.ts'

/** The end of an input. */
export interface PipeResult {
  readonly ending: Ending
  readonly issues: readonly ReadIssue[]
  /** The words of the option `failure`, or of the error that has broken the output. */
  readonly failure?: string
}

/** A reply on its way to the program. */
interface Delivery {
  readonly reply: HubReply
  /** The answer in the log. */
  readonly event: EventOf<'block:upsert'>
  /** Resolves when the program has taken the reply. Rejects if it does not. */
  readonly taken: Promise<void>
}

/** The parts of a hub that pipes need. */
interface PipesOptions {
  readonly sessions: Sessions
  publish(sessionId: string, events: readonly SessionEvent[]): Promise<number>
  onIssue(sessionId: string, issue: ReadIssue): void
}

/** The reader of an output that a hub reads now. */
interface RunningReader {
  /** The state of all that it has read. It publishes a part of that later. */
  readonly state: SessionConversationState
  save(): Promise<SavedReader>
  /** Goes on from another session. The returned function takes the number of its last event in the log. */
  restart(session: Session): (seq: number) => void
}

/** An output from the call of `pipe` to its end. It has a reader once the log has answered. */
interface Output {
  reader?: RunningReader
}

/** The outputs of programs that a hub reads now. */
export class Pipes {
  readonly #options: PipesOptions
  /** The outputs of each session, the newest last. */
  readonly #outputs = new Map<string, readonly Output[]>()
  readonly #replies = new SessionListeners<Delivery>()

  constructor(options: PipesOptions) {
    this.#options = options
  }

  /** Returns the reader of a session's output, as `SessionHub.saveReader`. */
  async save(sessionId: string): Promise<SavedReader | undefined> {
    return this.runningReader(sessionId)?.save()
  }

  /** Returns the reader of a session's output. Undefined if no output is read here now. */
  runningReader(sessionId: string): RunningReader | undefined {
    return this.#outputs.get(sessionId)?.findLast(({ reader }) => reader !== undefined)?.reader
  }

  /** Returns the newest output of a session, as a token: another process has another one from its first step. */
  newestOutput(sessionId: string): object | undefined {
    return this.#outputs.get(sessionId)?.at(-1)
  }

  /** Gives the readers of a session's output a reply. Most programs do not repeat an answer. */
  async read(sessionId: string, delivery: Delivery): Promise<void> {
    if (isMessage(delivery.reply)) await this.#replies.call(sessionId, delivery)
  }

  /** Publishes an output until it ends, as `SessionHub.pipe`. */
  async pipe(
    sessionId: string,
    readable: PipeInput,
    options: ArchitectureName | PipeOptions = {},
  ): Promise<PipeResult> {
    if (!isReadable(readable))
      throw new TypeError('readable: pass the output of a program: a stream without a reader, or an iterable')
    const own: Output = {}
    this.#outputs.set(sessionId, [...(this.#outputs.get(sessionId) ?? []), own])
    try {
      const given = typeof options === 'string' ? { architecture: options } : options
      return await this.#read(sessionId, { ...given, readable, own })
    } finally {
      this.#remove(sessionId, own)
    }
  }

  #remove(sessionId: string, output: Output): void {
    const others = this.#outputs.get(sessionId)?.filter((each) => each !== output) ?? []
    if (others.length > 0) this.#outputs.set(sessionId, others)
    else this.#outputs.delete(sessionId)
  }

  async #read(
    sessionId: string,
    {
      readable,
      own,
      architecture,
      saved,
      failure,
    }: PipeOptions & { readonly readable: PipeInput; readonly own: Output },
  ): Promise<PipeResult> {
    const { sessions, publish, onIssue } = this.#options
    // The output may go on for hours. Until then, a rejection must not crash the program.
    const words = Promise.resolve(failure).catch(textOfError)
    const kept = sessions.get(sessionId)
    // An earlier output that still runs has its requests.
    const hasLeftovers = !saved && this.#outputs.get(sessionId)?.length === 1
    // First, because the program may have asked already: it may get no answer to an earlier one.
    const begun = await kept.answer(async ({ state }) => ({
      // An output that is refused ends nothing.
      source: await loadSource(architecture),
      ...(hasLeftovers ? leftoversIn(state) : NO_LEFTOVERS),
    }))
    const { source } = begun
    let { removals } = begun
    const placed = await kept.current()
    if (saved) refuseOlder(sessionId, saved, placed)
    const session = saved
      ? loadSession(source, saved.session)
      : source.open(reduceSessionEvents(placed.state, removals))
    const reader = openReader(source, { session })
    let read = { session, seq: placed.seq }
    let isSilent = true
    let hasOthers = false
    const report = (issues: readonly ReadIssue[]): void => {
      for (const issue of issues) {
        // A server sends the events of all its sessions. The result counts them.
        if (issue.code !== 'other-session' || !hasOthers) onIssue(sessionId, issue)
        hasOthers ||= issue.code === 'other-session'
      }
    }
    const publishRead = async (events: readonly SessionEvent[]): Promise<void> => {
      const { session: sent } = reader
      const all = events.length === 0 ? events : [...removals, ...events]
      if (events.length > 0) removals = []
      read = { session: sent, seq: await publish(sessionId, compactEvents(all)) }
    }
    const save = async (): Promise<SavedReader> => {
      const { epoch } = await sessions.get(sessionId).current()
      return { epoch, seq: read.seq, session: saveSession(read.session) }
    }
    const running: RunningReader = {
      save,
      get state() {
        return reader.state
      },
      // The files may be of another wire than the stream.
      restart(started) {
        const isOwn = source.notes.includes(started.notes.declaration)
        const state = reduceSessionEvents(started.state, removals)
        reader.restart(isOwn ? { ...started, state } : source.open(state))
        const { session: next } = reader
        return (seq) => {
          if (read.seq < seq) read = { session: next, seq }
        }
      },
    }
    const output = chunksOf(readable)
    own.reader = running
    let ended: ReturnType<typeof reader.end>
    let error: string | undefined
    let isRefused = false
    const waiting = new Set<Delivery>()
    let hasEnded = false
    const readReply = async (delivery: Delivery): Promise<void> => {
      if (waiting.delete(delivery)) await publishRead(reader.push(delivery.reply).events)
    }
    const endReplies = this.#replies.add(sessionId, async (delivery) => {
      waiting.add(delivery)
      await delivery.taken.then(
        () => readReply(delivery),
        () => {
          // The output only seemed to show that the program had read the reply.
          if (waiting.delete(delivery) || hasEnded) return
          const { session, state } = reader
          const events = reopeningEvents(state, delivery.event)
          reader.restart({ ...session, state: reduceSessionEvents(state, events) })
        },
      )
    })
    try {
      for (;;) {
        const next = await output
          .next()
          .catch(
            (reason: unknown) =>
              ({ done: true, value: `the output broke off: ${textOfError(reason)}` }) as const,
          )
        if (next.done) {
          error = next.value
          break
        }
        isRefused = true
        // Its listener may be done later than the program: the output shows that the program has read the reply.
        for (const delivery of waiting) await readReply(delivery)
        const { events, issues } = reader.push(next.value)
        isSilent &&= events.length === 0
        await publishRead(events)
        isRefused = false
        report(issues)
      }
    } finally {
      hasEnded = true
      // A reply that is taken later changes nothing any more.
      waiting.clear()
      endReplies()
      this.#remove(sessionId, own)
      ended = reader.end()
      // If somebody else writes the session, it has another end.
      if (isRefused) await output.return(undefined).catch(() => {})
      else {
        error ??= await words
        const events = [...ended.events, ...withdrawals(reader.state)]
        await publish(sessionId, withFailure(events, error, isSilent, reader.state))
      }
      report(ended.issues)
    }
    return { ending: ended.ending, issues: reader.issues, ...omitUndefined({ failure: error }) }
  }
}

/** Whether the reply is a message that the program reads, and not a call of its server. */
function isMessage(reply: HubReply): boolean {
  return !('type' in reply && ['http', 'call', 'answer'].includes(String(reply.type)))
}

/** A reader that is older than the log would publish texts again that the log has. */
function refuseOlder(sessionId: string, saved: SavedReader, { epoch, seq }: PlacedState): void {
  if (saved.epoch !== epoch) throw lostEvents(sessionId, seq, saved.seq)
  if (saved.seq !== seq) throw wrongSeq(sessionId, saved.seq, seq)
}

const NO_LEFTOVERS: Record<'events' | 'removals', readonly SessionEvent[]> = { events: [], removals: [] }

/**
 * Returns the events for the requests of an earlier output, whose program takes no answer any more. `events` end what a
 * killed server has left, and keep the ids that the next process counts again. `removals` come with the first events of
 * the output: a program that lives on may ask again.
 */
function leftoversIn(before: SessionConversationState): typeof NO_LEFTOVERS {
  const ids = requestIdsAfterOutput(before)
  if (ids === 'open') return NO_LEFTOVERS
  const ends = withdrawals(before)
  const state = reduceSessionEvents(before, ends)
  const open = [state, ...state.subagents].flatMap((thread) =>
    thread.blocks.flatMap((block) => (block.type === 'request' && isOpenBlock(block, thread) ? block : [])),
  )
  if (ids === 'taken') {
    // Without its data, no later request is taken for its repetition.
    const upserts = open.map(({ data: _, ...block }) => ({ type: 'block:upsert', block }) as const)
    return { events: [...ends, ...upserts], removals: [] }
  }
  const removals = open.map(
    ({ conversationId, id: blockId }) => ({ type: 'block:removed', conversationId, blockId }) as const,
  )
  return { events: ends, removals }
}

/**
 * Returns the events that end what still waits: a program whose output has ended takes no answer. A source that goes
 * on from a state may not know whether the state is that of a file, which may wait.
 */
function withdrawals(state: SessionConversationState): readonly SessionEvent[] {
  const waiting = pendingRequests(state).map(({ conversationId }) => conversationId)
  if (waiting.length === 0) return []
  const agents = state.subagents
    .filter(({ status }) => status === 'running')
    .map(({ toolUseId }) => ({ type: 'subagent:completed', toolUseId, status: 'error', cut: true }) as const)
  const others = waiting.filter((id) => id !== MAIN && !agents.some(({ toolUseId }) => toolUseId === id))
  return [
    ...agents,
    ...others.map((conversationId) => ({ type: 'session:idle', conversationId }) as const),
    { type: 'session:idle', outcome: 'interrupted', cut: true },
  ]
}

/** Returns the end of an output with the reason why its program has failed, if it has, unless the turn ended by itself. */
function withFailure(
  events: readonly SessionEvent[],
  error: string | undefined,
  isSilent: boolean,
  { turn }: SessionConversationState,
): readonly SessionEvent[] {
  const hasEnded = turn.status === 'finished' || turn.status === 'failed'
  if (error === undefined || (hasEnded && !isSilent)) return events
  const failed = { outcome: 'failed', error } as const
  // A cut keeps the open blocks: the next output of the program may go on with them.
  if (events.some(isCutOfMain))
    return events.map((event) => (isCutOfMain(event) ? { ...event, ...failed } : event))
  return [...events, { type: 'session:idle', ...failed }]
}

function isCutOfMain(event: SessionEvent): event is EventOf<'session:idle'> {
  return event.type === 'session:idle' && event.cut === true && event.conversationId === undefined
}

async function loadSource(architecture: ArchitectureName | undefined): Promise<Source> {
  return architecture ? sourceOf(architecture) : (await import('../../wires/any-source.ts')).anySource
}
