import type { EventOf, SessionEvent } from '../../core/events/event.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { reduceSessionEvents } from '../../core/reducer/reduce.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import type { ArchitectureName } from '../../programs/program.ts'
import { openReader } from '../../reading/reader.ts'
import { loadSession, saveSession } from '../../reading/save-session.ts'
import type { Ending, ReadIssue, Session, Source } from '../../reading/source.ts'
import { sourceOf } from '../../wires/source-of.ts'
import { lostEvents, wrongSeq } from '../log/log-error.ts'
import { compactEvents } from '../sync/compact-events.ts'
import type { PlacedState } from '../sync/snapshot.ts'
import { type HubReply, reopeningEvents } from './answered-request.ts'
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
  type SavedReader,
} from './pipe-input.ts'
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

/** An output from the call of `pipe` to its end. */
interface Output {
  /** Resolves when the log has answered. An output that the log or its options refuse has no reader. */
  readonly begun: Promise<void>
  reader?: RunningReader
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
  /** Why the program has failed, if it has. */
  readonly words: Promise<string | undefined>
}

/** The outputs of programs that a hub reads now. */
export class Pipes {
  readonly #options: PipesOptions
  /** The outputs of each session, the newest last. */
  readonly #outputs = new Map<string, readonly Output[]>()
  /** The outputs that were refused before their first piece was read. The next call with the same one reads it. */
  readonly #refused = new WeakMap<object, PipeOutput>()
  readonly #replies = new SessionListeners<Delivery>()

  constructor(options: PipesOptions) {
    this.#options = options
  }

  /** Returns the reader of a session's output, as `SessionHub.saveReader`. */
  async save(sessionId: string): Promise<SavedReader | undefined> {
    return (await this.runningReader(sessionId))?.save()
  }

  /** Returns the reader of a session's output. Undefined if no output is read here now. */
  async runningReader(sessionId: string): Promise<RunningReader | undefined> {
    await Promise.all(this.#outputsOf(sessionId).map(({ begun }) => begun))
    return this.#outputsOf(sessionId).findLast(({ reader }) => reader !== undefined)?.reader
  }

  /** Returns the newest output of a session, as a token: another process has another one from its first step. */
  newestOutput(sessionId: string): object | undefined {
    return this.#outputsOf(sessionId).at(-1)
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
    const output = this.#outputOf(readable)
    const given = typeof options === 'string' ? { architecture: options } : options
    const opening = this.#open(sessionId, given)
    const own: Output = {
      begun: opening.then(
        ({ running }) => {
          own.reader = running
        },
        () => {},
      ),
    }
    this.#outputs.set(sessionId, [...this.#outputsOf(sessionId), own])
    // The output may go on for hours. Until then, a rejection must not crash the program.
    const words = Promise.resolve(given.failure).catch(textOfError)
    try {
      const opened = await opening.catch((error: unknown) => {
        this.#refused.set(readable, output)
        throw error
      })
      await own.begun
      return await this.#read(sessionId, { ...opened, own, output, words })
    } finally {
      this.#remove(sessionId, own)
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

  #outputsOf(sessionId: string): readonly Output[] {
    return this.#outputs.get(sessionId) ?? []
  }

  #remove(sessionId: string, output: Output): void {
    const others = this.#outputsOf(sessionId).filter((each) => each !== output)
    if (others.length > 0) this.#outputs.set(sessionId, others)
    else this.#outputs.delete(sessionId)
  }

  /** Opens a reader from the state that the log has. */
  async #open(sessionId: string, { architecture, saved }: PipeOptions): Promise<OpenedReader> {
    const { sessions } = this.#options
    const kept = sessions.get(sessionId)
    // An earlier output that still runs has its requests.
    const hasLeftovers = !saved && this.#outputsOf(sessionId).length === 0
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
    const publish = async (events: readonly SessionEvent[]): Promise<void> => {
      const { session: sent } = reader
      const all = events.length === 0 ? events : [...removals, ...events]
      if (events.length > 0) removals = []
      read = { session: sent, seq: await sessions.get(sessionId).append(compactEvents(all)) }
    }
    const running: RunningReader = {
      async save() {
        const { epoch } = await sessions.get(sessionId).current()
        return { epoch, seq: read.seq, session: saveSession(read.session) }
      },
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
    return { reader, publish, running }
  }

  async #read(
    sessionId: string,
    { reader, publish, own, output, words }: OpenedReader & OpenedOutput,
  ): Promise<PipeResult> {
    const { sessions, onIssue } = this.#options
    let isSilent = true
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
    let hasEnded = false
    const readReply = async (delivery: Delivery): Promise<void> => {
      if (waiting.delete(delivery)) await publish(reader.push(delivery.reply).events)
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
        const next = await output.next()
        if (next.done) {
          error = next.value
          break
        }
        isRefused = true
        // Its listener may be done later than the program: the output shows that the program has read the reply.
        for (const delivery of waiting) await readReply(delivery)
        const { events, issues } = reader.push(next.value)
        isSilent &&= events.length === 0
        await publish(events)
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
      if (isRefused) await output.return()
      else {
        error ??= await words
        await sessions.get(sessionId).append((state) => {
          const hasOthers = this.#outputsOf(sessionId).length > 0
          const events = endingEvents(state, { events: ended.events, error, isSilent, hasOthers })
          isCut = events.some(isCutOfMain)
          return events
        })
      }
      report(ended.issues)
    }
    const ending = isCut ? 'interrupted' : ended.ending
    return { ending, issues: reader.issues, ...omitUndefined({ failure: error }) }
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
