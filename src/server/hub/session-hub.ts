import type { SessionEvent } from '../../core/events/event.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { createInitialConversationState, type SessionConversationState } from '../../core/state/session.ts'
import type { ArchitectureName } from '../../programs/program.ts'
import type { CombinedTranscript } from '../../reading/input/combined.ts'
import type { ReadIssue } from '../../reading/source.ts'
import type { TranscriptArguments } from '../../wires/transcript.ts'
import { createMemoryLog } from '../log/memory-log.ts'
import type { SessionLog } from '../log/session-log.ts'
import { compactEvents } from '../sync/compact-events.ts'
import { answeredRequest, type HubReply, type PersonAnswer, reopeningEvents } from './answered-request.ts'
import { type HubError, nobodyTakes, noSuchSession, notDelivered } from './hub-error.ts'
import { type HubSession, isOutdated } from './hub-session.ts'
import type { PipeInput, PipeOptions, SavedReader } from './pipe-input.ts'
import { type PipeResult, Pipes } from './pipes.ts'
import { type RequestOptions, requestHandler, requireAnswer } from './request-handler.ts'
import { SessionList } from './session-list.ts'
import type { HubSessionSummary } from './session-summary.ts'
import { type Listener, SessionListeners, Sessions } from './sessions.ts'
import { type AnswerOnItsWay, watchAnswers } from './shared-answers.ts'
import { type FollowedUpdate, issuesOf, validInput } from './valid-event.ts'

/** The options of a hub. */
export interface HubOptions extends RequestOptions {
  /** Keeps the events, so that they survive a restart of the server. By default the hub keeps the last ones in memory. */
  readonly log?: SessionLog
  /**
   * Gets each problem as it comes: of an output that `pipe` reads, and of a published event that the state does not take
   * as it is, such as a delta for no block. A published event of an agent that nothing started is `unplaced-message`. It
   * gets one `other-session` of an output: a server may send the events of all its sessions.
   * An answer or a prompt that a listener does not take is `not-delivered`: a page may not wait for that.
   * The failure of `onIssue` itself has no other place to go, and changes nothing.
   */
  readonly onIssue?:
    | ((sessionId: string, issue: ReadIssue | DeliveryIssue) => void)
    | ((sessionId: string, issue: ReadIssue | DeliveryIssue) => Promise<void>)
}

/** An answer or a prompt did not reach the program. The request of the answer is open again, or withdrawn with its process. */
interface DeliveryIssue {
  readonly code: 'not-delivered'
  readonly message: string
}

/** Sends sessions to their readers. */
export interface SessionHub {
  /**
   * Adds events to a session, or an update of `followSession`. Returns the number of the last event once the log has
   * it. Rejects with a `LogError` (`wrong-seq`) if somebody else has written the session meanwhile, and with a
   * `HubError` (`malformed-event`) that names the first wrong field. Then it has published nothing. Events of your own
   * also need times in ISO 8601 and whole token counts; those of an update come from a program as they are.
   */
  publish(sessionId: string, input: readonly SessionEvent[] | FollowedUpdate): Promise<number>
  /**
   * Publishes the output of a program until it ends: texts, bytes or messages. It goes on from the state that the hub
   * has. The end of the output interrupts whatever still runs. Without an architecture, the hub detects it.
   */
  pipe(sessionId: string, readable: PipeInput, options?: ArchitectureName | PipeOptions): Promise<PipeResult>
  /**
   * Returns the reader of the session's output as JSON, with its place in the log, for the option `saved` of a later
   * `pipe`. Undefined if no output is read here now. The session in the log is enough but for what a state does not
   * have.
   */
  saveReader(sessionId: string): Promise<SavedReader | undefined>
  /** Whether there is such a session, as the option `exists` says. */
  exists(sessionId: string): Promise<boolean>
  /** Returns the state of all events that the log has, whoever wrote them. Undefined if it has none. */
  state(sessionId: string): Promise<SessionConversationState | undefined>
  /** Yields the state of the session, and then each newer one, until the signal aborts. A slow reader gets the newest one. */
  follow(
    sessionId: string,
    options?: { readonly signal?: AbortSignal },
  ): AsyncIterable<SessionConversationState>
  /**
   * Answers an open request: publishes the answered block, and calls the listeners of `onReply` with what the program must be sent.
   * It is also `reply`. If two answers come at once, one wins. Rejects with a `HubError` if the session takes no such answer, and with
   * `no-answer-taken` if nobody listens: the request then stays open. If a listener fails, or the process that asked has
   * ended meanwhile, it rejects with `not-delivered`: the request is open again, or withdrawn with its process. If other
   * processes share the log, the listener may be in one of them, so the answer is published anyway.
   */
  answer(sessionId: string, requestId: string, answer: PersonAnswer): Promise<{ readonly reply?: HubReply }>
  /**
   * Calls the listener with each reply that the session's program must be sent, also if another hub of the same log
   * took the answer. Every listener must take it. A listener throws, or its promise rejects, if the program does not take
   * the reply. Returns a function that ends it.
   */
  onReply(sessionId: string, listener: Listener<HubReply>): () => void
  /**
   * Sends a person's prompt to the listeners of `onPrompt`, and waits for them. Rejects with a `HubError`:
   * `no-answer-taken` if there is none, `not-delivered` if one fails.
   */
  prompt(sessionId: string, prompt: string): Promise<void>
  /**
   * Calls the listener with each prompt for the session's program. It returns, or its promise resolves, when the program
   * has taken the prompt, not when its turn ends. It fails as one of `onReply`. Returns a function that ends it.
   */
  onPrompt(sessionId: string, listener: Listener<string>): () => void
  /** Yields every session, the newest first, and then each one that changes. A session changes at most every 200 ms. */
  sessions(options?: { readonly signal?: AbortSignal }): AsyncIterable<HubSessionSummary>
  /**
   * Reads a session's file. The session starts over from it, keeps what only its stream has, and the pages get its state. A `pipe` that
   * reads the stream goes on from there. Without one, the end of the file ends the input. Without an architecture, the hub detects it.
   * Rejects with what `readTranscript` throws, and with a `TranscriptError` for a file that has no line of a session.
   */
  reload(
    sessionId: string,
    transcript: string | CombinedTranscript,
    architecture?: ArchitectureName,
  ): Promise<PipeResult>
  /**
   * Answers a request whose address ends with
   * - `<id>`: one session, a snapshot and then its events, as server-sent events
   * - `events?session=a&session=b&list=1`: several sessions and the list, in one stream
   * - `<id>/requests/<requestId>` and `<id>/prompts`: a `POST` of `{ "answer": … }` and of `{ "prompt": … }`
   */
  fetch(request: Request): Promise<Response>
  /** Removes a session from the log. Its readers keep what they have, and do not connect again. */
  delete(sessionId: string): Promise<void>
}

/** Returns a hub. It needs nothing but web standards, and each function works without the hub object. */
export function createSessionHub({
  log,
  onIssue,
  authorize = () => true,
  exists = () => true,
  heartbeatMs = 15_000,
  stallMs = 60_000,
}: HubOptions = {}): SessionHub {
  const kept = log ?? createMemoryLog()
  const sessions: Sessions = new Sessions(kept, {
    trim: log === undefined,
    onState: (id, state) => list.take(id, state),
  })
  const list: SessionList = new SessionList({
    log: kept,
    sessionOf: (id) => sessions.get(id),
    isShared: log !== undefined,
  })
  const replies = new SessionListeners<HubReply>()
  const prompts = new SessionListeners<string>()

  /** The events are in the log already, so a callback that fails does not make the call reject, or end the server. */
  const report = (sessionId: string, issue: ReadIssue | DeliveryIssue): void => {
    if (onIssue)
      void Promise.resolve()
        .then(() => onIssue(sessionId, issue))
        .catch(() => {})
  }

  const reportUndelivered = (sessionId: string, { message }: HubError): void =>
    report(sessionId, { code: 'not-delivered', message })

  const publish: SessionHub['publish'] = async (sessionId, input) => {
    const session = sessions.get(sessionId)
    const { events, startsOver } = validInput(input)
    let before = createInitialConversationState()
    const seq = await (startsOver
      ? session.startOver(() => events)
      : session.append((state) => {
          before = state
          return events
        }))
    if (onIssue) for (const issue of issuesOf(before, events)) report(sessionId, issue)
    return seq
  }

  const outputs = new Pipes({
    sessions,
    onIssue: report,
  })

  const state: SessionHub['state'] = async (sessionId) => {
    const placed = await sessions.get(sessionId).current()
    return placed.seq === 0 ? undefined : placed.state
  }

  async function* follow(
    sessionId: string,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<SessionConversationState, void> {
    while (!signal?.aborted) {
      let placed = await sessions.get(sessionId).current()
      yield placed.state
      try {
        const options = omitUndefined({ signal, digest: placed.digest })
        for await (const { seq } of kept.follow(sessionId, placed.seq, options)) {
          if (seq <= placed.seq) continue
          placed = await sessions.get(sessionId).current()
          yield placed.state
        }
        return
      } catch (error) {
        if (!isOutdated(error)) throw error
      }
    }
  }

  /** Sends a reply to the process that has asked. If that fails, the request is open again, or withdrawn with its process. */
  const deliver = async (sessionId: string, answered: AnswerOnItsWay): Promise<void> => {
    const isRunning = outputs.processes.isRunningOf(sessionId, answered, answered.state)
    let wasSent = false
    try {
      if (!isRunning()) throw new Error('the process that asked has ended')
      wasSent = true
      const taken = replies.call(sessionId, answered.reply)
      // The log has the answer already. A log that fails makes the pipe fail at its next output.
      const read = outputs.read(sessionId, { ...answered, taken }).catch(() => {})
      await taken
      await read
    } catch (cause) {
      const error = notDelivered('answer', cause)
      const reopened = sessions.get(sessionId).answer(({ state: now }) => ({
        events: reopeningEvents(now, answered.event, { hasEnded: !isRunning(), wasSent }),
      }))
      await reopened.finally(() => reportUndelivered(sessionId, error))
      throw error
    }
  }

  const answer: SessionHub['answer'] = async (sessionId, requestId, given) => {
    requireAnswer(given)
    if (!(await exists(sessionId))) throw noSuchSession()
    const { events, ...answered } = await sessions.get(sessionId).answer((placed) => {
      if (placed.seq === 0) throw noSuchSession()
      const { events, reply } = answeredRequest(placed.state, requestId, given)
      // The hub with the program may be another one of the log.
      if (!replies.has(sessionId) && (!log || log.hasOneProcess)) throw nobodyTakes('answers')
      return { events, reply, state: placed.state }
    })
    await deliver(sessionId, { ...answered, event: events[0] })
    return { reply: answered.reply }
  }

  const watches = new Map<string, AbortController>()

  const onReply: SessionHub['onReply'] = (sessionId, listener) => {
    const end = replies.add(sessionId, listener)
    if (log && !watches.has(sessionId)) {
      const ended = new AbortController()
      watches.set(sessionId, ended)
      // It reports its failure, and nobody waits here.
      const onReply = (answered: AnswerOnItsWay) => void deliver(sessionId, answered).catch(() => {})
      const sessionOf = (): HubSession => sessions.get(sessionId)
      void watchAnswers({ log, sessionId, sessionOf, signal: ended.signal, onReply })
    }
    return () => {
      end()
      if (replies.has(sessionId)) return
      watches.get(sessionId)?.abort()
      watches.delete(sessionId)
    }
  }

  const prompt: SessionHub['prompt'] = async (sessionId, text) => {
    if (typeof text !== 'string') throw new TypeError('prompt: pass a text')
    if (!(await exists(sessionId))) throw noSuchSession()
    // The first prompt may begin the session.
    if (!prompts.has(sessionId)) throw (await state(sessionId)) ? nobodyTakes('prompts') : noSuchSession()
    const takeBack = outputs.processes.notePrompt(sessionId)
    await prompts.call(sessionId, text).catch((cause: unknown) => {
      takeBack()
      const error = notDelivered('prompt', cause)
      reportUndelivered(sessionId, error)
      throw error
    })
  }

  const reload: SessionHub['reload'] = async (sessionId, transcript, architecture) => {
    const { reloadTranscript } = await import('../../wires/transcript.ts')
    const input: TranscriptArguments = architecture ? [architecture, transcript] : [transcript]
    const session = sessions.get(sessionId)
    const running = await outputs.runningReader(sessionId)
    // The reader of a pipe has read more than it has published. Its later events follow the start.
    const own = running && reloadTranscript(input, { streamed: running.state, goesOn: true })
    const place = own && running.restart(own.session)
    let read = own
    const seq = await session.startOver((streamed) => {
      read ??= reloadTranscript(input, { streamed, goesOn: false })
      return compactEvents(read.events)
    })
    place?.(seq)
    const { issues = [], ending = 'open' } = read ?? {}
    return { issues, ending }
  }

  return {
    publish,
    pipe: (sessionId, readable, options) => outputs.pipe(sessionId, readable, options),
    saveReader: (sessionId) => outputs.save(sessionId),
    exists: async (sessionId) => exists(sessionId),
    state,
    follow,
    answer,
    onReply,
    prompt,
    onPrompt: (sessionId, listener) => prompts.add(sessionId, listener),
    async *sessions({ signal } = {}) {
      for await (const summaries of list.changes(signal)) yield* summaries
    },
    reload,
    fetch: requestHandler({ authorize, exists, heartbeatMs, stallMs, sessions, list, answer, prompt }),
    delete: (sessionId) => sessions.get(sessionId).delete(),
  }
}
