import type { EventOf, SessionEvent } from '../../core/events/event.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { reduceSessionEvents } from '../../core/reducer/reduce.ts'
import { pendingRequests } from '../../core/selectors/requests.ts'
import { isOpenBlock, MAIN, type SessionConversationState } from '../../core/state/session.ts'
import type { ArchitectureName } from '../../programs/program.ts'
import { openReader } from '../../reading/reader.ts'
import { loadSession, saveSession } from '../../reading/save-session.ts'
import type { Ending, ReadIssue, Source } from '../../reading/source.ts'
import { requestIdsAfterOutput } from '../../wires/answer-request.ts'
import { sourceOf } from '../../wires/source-of.ts'
import { lostEvents, wrongSeq } from '../log/log-error.ts'
import { compactEvents } from '../sync/compact-events.ts'
import type { PlacedState } from '../sync/snapshot.ts'
import { type HubReply, reopeningEvents, withdrawal } from './answered-request.ts'
import { textOfError } from './hub-error.ts'
import { chunksOf, isReadable, type PipeInput, type PipeOptions, type SavedReader } from './pipe-input.ts'
import { type Delivery, type Output, Processes, type RunningReader } from './processes.ts'
import type { Sessions } from './sessions.ts'

/** The end of an input. */
export interface PipeResult {
  readonly ending: Ending
  readonly issues: readonly ReadIssue[]
  /** The words of the option `failure`, or of the error that has broken the output. */
  readonly failure?: string
}

/** The parts of a hub that pipes need. */
interface PipesOptions {
  readonly sessions: Sessions
  publish(sessionId: string, events: readonly SessionEvent[]): Promise<number>
  onIssue(sessionId: string, issue: ReadIssue): void
}

/** The outputs of programs that a hub reads now. */
export class Pipes {
  readonly #options: PipesOptions
  /** The processes of the outputs. */
  readonly processes = new Processes()

  constructor(options: PipesOptions) {
    this.#options = options
  }

  /** Returns the reader of a session's output, as `SessionHub.saveReader`. */
  async save(sessionId: string): Promise<SavedReader | undefined> {
    return this.runningReader(sessionId)?.save()
  }

  /** Returns the reader of a session's output. Undefined if no output is read here now. */
  runningReader(sessionId: string): RunningReader | undefined {
    return this.processes.running(sessionId).findLast(({ reader }) => reader !== undefined)?.reader
  }

  /** Gives a reply to the reader of the output that has asked. Most programs do not repeat an answer. */
  async read(sessionId: string, delivery: Delivery): Promise<void> {
    if (!isMessage(delivery.reply)) return
    await Promise.all(this.processes.takersOf(sessionId, delivery).map((output) => output.take?.(delivery)))
  }

  /** Publishes an output until it ends, as `SessionHub.pipe`. */
  async pipe(
    sessionId: string,
    readable: PipeInput,
    options: ArchitectureName | PipeOptions = {},
  ): Promise<PipeResult> {
    if (!isReadable(readable))
      throw new TypeError('readable: pass the output of a program: a stream without a reader, or an iterable')
    const own = this.processes.begin(sessionId)
    try {
      const given = typeof options === 'string' ? { architecture: options } : options
      return await this.#read(sessionId, { ...given, readable, own })
    } finally {
      this.processes.finish(sessionId, own)
    }
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
    const { processes } = this
    // The output may go on for hours. Until then, a rejection must not crash the program.
    const words = Promise.resolve(failure).catch(textOfError)
    const kept = sessions.get(sessionId)
    // An earlier output that still runs has its requests.
    const hasLeftovers = !saved && processes.running(sessionId).length === 1
    // First, because the program may have asked already: it may get no answer to an earlier one.
    const begun = await kept.answer(async ({ state, seq }) => {
      // An output that is refused ends nothing.
      const loaded = await loadSource(architecture)
      own.begunAt = seq
      return { source: loaded, ...(hasLeftovers ? leftoversIn(state) : NO_LEFTOVERS) }
    })
    const { source } = begun
    let { removals } = begun
    const placed = await kept.current()
    if (saved) refuseOlder(sessionId, saved, placed)
    const session = saved
      ? loadSession(source, saved.session)
      : source.open(reduceSessionEvents(placed.state, removals))
    // The same process goes on.
    if (saved) for (const { block } of pendingRequests(session.state)) own.asked.add(block.id)
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
      const all = events.length === 0 ? events : [...(await this.#unasked(sessionId, removals)), ...events]
      if (events.length > 0) removals = []
      processes.noteAsked(own, events)
      read = { session: sent, seq: await publish(sessionId, compactEvents(all)) }
      // A session that was deleted counts its events anew.
      own.begunAt = Math.min(own.begunAt, read.seq - 1)
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
    const readReply = async (delivery: Delivery): Promise<void> => {
      if (waiting.delete(delivery)) await publishRead(reader.push(delivery.reply).events)
    }
    own.take = async (delivery) => {
      waiting.add(delivery)
      await delivery.taken.then(
        () => readReply(delivery),
        () => {
          // The output only seemed to show that the program had read the reply.
          if (waiting.delete(delivery) || own.phase !== 'running') return
          const { session, state } = reader
          const events = reopeningEvents(state, delivery.event)
          reader.restart({ ...session, state: reduceSessionEvents(state, events) })
        },
      )
    }
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
      own.phase = 'ending'
      // A reply that is taken later changes nothing any more.
      waiting.clear()
      ended = reader.end()
      // If somebody else writes the session, it has another end.
      if (isRefused) await output.return(undefined).catch(() => {})
      else {
        // The turn and its agents may be those of the process that still runs.
        const isLast = processes.running(sessionId).length === 0
        if (!isLast) await this.#withdrawAsked(sessionId, own)
        error ??= await words
        if (isLast && processes.has(sessionId, own)) {
          const { state } = processes.isShared(sessionId) ? await kept.current() : reader
          const events = [...ended.events, ...withdrawals(reduceSessionEvents(state, ended.events))]
          await publish(sessionId, withFailure(events, error, isSilent, reader.state))
        }
      }
      report(ended.issues)
    }
    return { ending: ended.ending, issues: reader.issues, ...omitUndefined({ failure: error }) }
  }

  /** Leaves out the requests that another process has asked again meanwhile. */
  async #unasked(sessionId: string, removals: Removals): Promise<Removals> {
    if (removals.length === 0) return removals
    const { state } = await this.#options.sessions.get(sessionId).current()
    const pending = new Set(pendingRequests(state).map(({ block }) => block.id))
    return removals.filter(({ blockId }) => !pending.has(blockId))
  }

  /** Withdraws the requests of a process that has ended while another one runs. */
  async #withdrawAsked(sessionId: string, own: Output): Promise<void> {
    await this.#options.sessions.get(sessionId).answer(({ state }) => {
      const asked = pendingRequests(state).filter(
        ({ block }) => this.processes.askerOf(sessionId, block.id) === own,
      )
      const isOpen = requestIdsAfterOutput(state) === 'open'
      return { events: isOpen ? [] : asked.map(({ block }) => withdrawal(block)) }
    })
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

type Removals = readonly EventOf<'block:removed'>[]

interface Leftovers {
  readonly events: readonly SessionEvent[]
  readonly removals: Removals
}

const NO_LEFTOVERS: Leftovers = { events: [], removals: [] }

/**
 * Returns the events for the requests of an earlier output, whose program takes no answer any more. `events` end what a
 * killed server has left, and keep the ids that the next process counts again. `removals` come with the first events of
 * the output: a program that lives on may ask again.
 */
function leftoversIn(before: SessionConversationState): Leftovers {
  const ids = requestIdsAfterOutput(before)
  if (ids === 'open') return NO_LEFTOVERS
  const ends = withdrawals(before)
  const state = reduceSessionEvents(before, ends)
  const open = [state, ...state.subagents].flatMap((thread) =>
    thread.blocks.flatMap((block) => (block.type === 'request' && isOpenBlock(block, thread) ? block : [])),
  )
  if (ids === 'taken') return { events: [...ends, ...open.map(withdrawal)], removals: [] }
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
