import type { SessionEvent } from '../../core/events/event.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { reduceSessionEvents } from '../../core/reducer/reduce.ts'
import { pendingRequests } from '../../core/selectors/requests.ts'
import type { ArchitectureName } from '../../programs/program.ts'
import { openReader, type ReaderStep } from '../../reading/reader.ts'
import { loadSession, saveSession } from '../../reading/save-session.ts'
import type { Ending, ReadIssue, Source } from '../../reading/source.ts'
import { requestIdsAfterOutput } from '../../wires/answer-request.ts'
import { architectureNamed } from '../../wires/names.ts'
import { sourceOf } from '../../wires/source-of.ts'
import { lostEvents, wrongSeq } from '../log/log-error.ts'
import { compactEvents } from '../sync/compact-events.ts'
import type { PlacedState } from '../sync/snapshot.ts'
import { type HubReply, reopeningEvents, withdrawal } from './answered-request.ts'
import { textOfError } from './hub-error.ts'
import {
  endingEvents,
  isCutOfMain,
  isReadable,
  leftoversIn,
  NO_LEFTOVERS,
  type PipeInput,
  type PipeOptions,
  PipeOutput,
  type Removals,
  type SavedReader,
} from './pipe-input.ts'
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
  onIssue(sessionId: string, issue: ReadIssue): void
}

/** A reader that goes on from what the log has. */
interface OpenedReader {
  readonly reader: ReturnType<typeof openReader>
  readonly running: RunningReader
  publish(events: readonly SessionEvent[]): Promise<void>
}

interface OpenedOutput {
  readonly own: Output
  readonly output: PipeOutput
  readonly isSaved: boolean
  /** Why the program has failed, if it has. */
  readonly words: Promise<string | undefined>
}

/** The outputs of programs that a hub reads now. */
export class Pipes {
  readonly #options: PipesOptions
  /** The processes of the outputs. */
  readonly processes = new Processes()
  /** The outputs that were refused before their first piece was read. The next call with the same one reads it. */
  readonly #refused = new WeakMap<object, PipeOutput>()

  constructor(options: PipesOptions) {
    this.#options = options
  }

  /** Returns the reader of a session's output, as `SessionHub.saveReader`. */
  async save(sessionId: string): Promise<SavedReader | undefined> {
    return (await this.runningReader(sessionId))?.save()
  }

  /** Returns the reader of a session's output. Undefined if no output is read here now. */
  async runningReader(sessionId: string): Promise<RunningReader | undefined> {
    await Promise.all(this.processes.running(sessionId).map(({ opened }) => opened))
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
    const given = typeof options === 'string' ? { architecture: options } : options
    // A call that cannot succeed reads nothing: it rejects here.
    if (given.architecture && !architectureNamed(given.architecture)) await sourceOf(given.architecture)
    const output = this.#outputOf(readable)
    const own = this.processes.begin(sessionId)
    const opening = this.#open(sessionId, own, given)
    own.opened = opening.then(
      ({ running }) => {
        own.reader = running
      },
      () => {},
    )
    // The output may go on for hours. Until then, a rejection must not crash the program.
    const words = Promise.resolve(given.failure).catch(textOfError)
    try {
      const opened = await opening.catch((error: unknown) => {
        this.#refused.set(readable, output)
        throw error
      })
      await own.opened
      return await this.#read(sessionId, {
        ...opened,
        own,
        output,
        words,
        isSaved: given.saved !== undefined,
      })
    } finally {
      this.processes.finish(sessionId, own)
    }
  }

  /** Begins to read the output, or goes on with one that was refused. */
  #outputOf(readable: PipeInput): PipeOutput {
    const refused = this.#refused.get(readable)
    this.#refused.delete(readable)
    if (refused) return refused
    if (isReadable(readable)) return new PipeOutput(readable)
    throw new TypeError('readable: pass the output of a program: a stream without a reader, or an iterable')
  }

  /** Opens a reader from the state that the log has. */
  async #open(sessionId: string, own: Output, { architecture, saved }: PipeOptions): Promise<OpenedReader> {
    const { sessions } = this.#options
    const { processes } = this
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
    const publish = async (events: readonly SessionEvent[]): Promise<void> => {
      const { session: sent } = reader
      const all = events.length === 0 ? events : [...(await this.#unasked(sessionId, removals)), ...events]
      if (events.length > 0) removals = []
      processes.note(own, events)
      read = { session: sent, seq: await sessions.get(sessionId).append(compactEvents(all)) }
      // A session that was deleted counts its events anew. Without an event, the number is that of an earlier process.
      if (all.length > 0) own.begunAt = Math.min(own.begunAt, read.seq - 1)
    }
    const running: RunningReader = {
      async save() {
        const { epoch } = await sessions.get(sessionId).current()
        return { epoch, seq: read.seq, session: saveSession(read.session) }
      },
      get state() {
        return reader.state
      },
      take(events) {
        const { session: now } = reader
        reader.restart({ ...now, state: reduceSessionEvents(now.state, events) })
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
    return { reader, publish, running }
  }

  async #read(
    sessionId: string,
    { reader, running, publish, own, output, words, isSaved }: OpenedReader & OpenedOutput,
  ): Promise<PipeResult> {
    const { sessions, onIssue } = this.#options
    const { processes } = this
    // The process of a saved reader goes on.
    let isSilent = !isSaved
    let hasOthers = false
    const report = (issues: readonly ReadIssue[]): void => {
      for (const issue of issues) {
        // A server sends the events of all its sessions. The result counts them.
        if (issue.code !== 'other-session' || !hasOthers) onIssue(sessionId, issue)
        hasOthers ||= issue.code === 'other-session'
      }
    }
    let ended: ReturnType<typeof reader.end>
    let error: string | undefined
    let isCut = false
    let isRefused = false
    const waiting = new Set<Delivery>()
    const read = async ({ events, issues }: ReaderStep): Promise<void> => {
      isRefused = true
      isSilent &&= events.length === 0
      await publish(events)
      isRefused = false
      report(issues)
    }
    const readReply = async (delivery: Delivery): Promise<void> => {
      if (waiting.delete(delivery)) await publish(reader.push(delivery.reply).events)
    }
    own.take = async (delivery) => {
      waiting.add(delivery)
      await delivery.taken.then(
        () => readReply(delivery),
        () => {
          // The output only seemed to show that the program had read the reply.
          if (waiting.delete(delivery) || own.phase !== 'running') return
          running.take(reopeningEvents(reader.state, delivery.event))
        },
      )
    }
    try {
      for (;;) {
        const next = await output.next()
        if (next.done) {
          error = next.value
          await read(reader.pushLast())
          break
        }
        isRefused = true
        // Its listener may be done later than the program: the output shows that the program has read the reply.
        for (const delivery of waiting) await readReply(delivery)
        await read(reader.push(next.value))
      }
    } finally {
      own.phase = 'ending'
      // A reply that is taken later changes nothing any more.
      waiting.clear()
      ended = reader.end()
      // If somebody else writes the session, it has another end.
      if (isRefused) await output.return()
      else {
        const isItsTurn = processes.isOnlyWorker(sessionId, own)
        if (processes.running(sessionId).length > 0) await this.#endBesideOthers(sessionId, own, ended.events)
        error ??= await words
        if (isItsTurn && processes.isOnlyWorker(sessionId, own)) {
          let events: readonly SessionEvent[] = []
          await sessions.get(sessionId).append((state) => {
            const isUnanswered = isSilent || own.hasPrompt
            events = endingEvents(state, { events: ended.events, error, isSilent: isUnanswered })
            return events
          })
          isCut = events.some(isCutOfMain)
          for (const { reader: other } of processes.running(sessionId)) other?.take(events)
        }
      }
      report(ended.issues)
    }
    const ending = isCut ? 'interrupted' : ended.ending
    return { ending, issues: reader.issues, ...omitUndefined({ failure: error }) }
  }

  /** Leaves out the requests that another process has asked again meanwhile. */
  async #unasked(sessionId: string, removals: Removals): Promise<Removals> {
    if (removals.length === 0) return removals
    const { state } = await this.#options.sessions.get(sessionId).current()
    const pending = new Set(pendingRequests(state).map(({ block }) => block.id))
    return removals.filter(({ blockId }) => !pending.has(blockId))
  }

  /** Withdraws the requests of a process that has ended while another one runs. The turn and its agents may be those of the other. */
  async #endBesideOthers(sessionId: string, own: Output, ended: readonly SessionEvent[]): Promise<void> {
    const content = ended.filter((event) => event.type !== 'session:idle' && !('cut' in event))
    await this.#options.sessions.get(sessionId).answer(({ state }) => {
      const asked = pendingRequests(state).filter(
        ({ block }) => this.processes.askerOf(sessionId, block.id) === own,
      )
      const isOpen = requestIdsAfterOutput(state) === 'open'
      return { events: [...content, ...(isOpen ? [] : asked.map(({ block }) => withdrawal(block)))] }
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

async function loadSource(architecture: ArchitectureName | undefined): Promise<Source> {
  return architecture ? sourceOf(architecture) : (await import('../../wires/any-source.ts')).anySource
}
