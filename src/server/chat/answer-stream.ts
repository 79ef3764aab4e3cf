import { type PendingRequest, pendingRequests } from '../../core/selectors/requests.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import type { Sink } from '../../core/state/sink.ts'
import type { SessionUIMessage } from '../../sinks/ai-sdk/messages/ui-message.ts'
import type { SessionUIChunk, UIMessageUpdate } from '../../sinks/ai-sdk/stream/ui-chunk.ts'
import { type UIMessageMemory, uiMessageSink } from '../../sinks/ai-sdk/stream/ui-message-sink.ts'
import type { AISDKVersion } from '../../sinks/ai-sdk/version.ts'
import { textOfError } from '../hub/hub-error.ts'
import { until } from '../signals.ts'

/** A chunk of the response to a page. The hook shows the words of `error` as its own error. */
export type AnswerChunk = SessionUIChunk | { readonly type: 'error'; readonly errorText: string }

/** The chunks of one answer, as the states of its session come. */
export class AnswerStream {
  readonly #states: AsyncIterator<SessionConversationState>
  readonly #sink: Sink<UIMessageMemory, UIMessageUpdate>
  readonly #version: AISDKVersion
  /** The requests that the page had before, and that wait since. */
  #known: ReadonlySet<string>

  /** The states follow the given one. */
  constructor(
    states: AsyncIterator<SessionConversationState>,
    { version, before }: { readonly version: AISDKVersion; readonly before: SessionConversationState },
  ) {
    this.#states = states
    this.#sink = uiMessageSink({ version })
    this.#version = version
    this.#known = new Set(this.#permissions(before).map(keyOf))
  }

  /** Returns the id of the answer that the model writes. */
  openId(state: SessionConversationState): string | undefined {
    return this.#sink.translate(this.#sink.initial, state).memory.openId
  }

  /** Whether the answer that is open in the state streams from its start, so that the page needs no other messages. */
  streamsFromStart(state: SessionConversationState): boolean {
    return this.openId(state) !== undefined && !this.#mainWaits(state)
  }

  /** Returns the requests that a page shows at their calls. The parts of version 5 have no approvals. */
  #permissions(state: SessionConversationState): readonly PendingRequest[] {
    if (this.#version === 5) return []
    return pendingRequests(state).filter(
      ({ block: { kind, toolUseId } }) => kind === 'permission' && toolUseId !== undefined,
    )
  }

  #mainWaits(state: SessionConversationState): boolean {
    return this.#permissions(state).some(({ conversationId }) => conversationId === MAIN)
  }

  /**
   * Whether the page must send an approval now: it sends none while it reads a stream. A request that waited before the
   * stream began does not end it: main goes on while an agent waits. One that opens again does.
   */
  #asks(state: SessionConversationState): boolean {
    const keys = this.#permissions(state).map(keyOf)
    const known = this.#known
    this.#known = new Set(keys.filter((key) => known.has(key)))
    return this.#known.size < keys.length
  }

  /** Resolves when the page must send an approval, or the states end. */
  async untilAsks(): Promise<undefined> {
    for (;;) {
      const { done, value } = await this.#states.next()
      if (done || this.#asks(value)) return undefined
    }
  }

  /** Yields the answer that is open in the state, from its start. Without one, it ends with the next state. */
  async *from(state: SessionConversationState): AsyncGenerator<AnswerChunk, void> {
    const { memory, out } = this.#sink.translate(this.#sink.initial, state)
    const { openId } = memory
    if (openId === undefined || this.#mainWaits(state)) return void (await this.#states.next())
    yield* out.flatMap((update) => ownChunk(update, openId) ?? [])
    yield* this.#rest(memory, openId)
  }

  /** Yields what follows the state: the next answer after a prompt, and otherwise the rest of the open one. */
  async *after(state: SessionConversationState, isPrompt: boolean): AsyncGenerator<AnswerChunk, void> {
    let { memory } = this.#sink.translate(this.#sink.initial, state)
    const before = memory.openId
    if (before !== undefined && !isPrompt) {
      const start = this.#sink
        .translate(this.#sink.initial, state)
        .out.flatMap((update) => ownChunk(update, before) ?? [])
        .filter(({ type }) => type === 'start')
      return yield* this.#goingOn(start, this.#rest(memory, before))
    }
    const known = messagesIn(memory)
    let hasRun = false
    for (;;) {
      const { done, value: next } = await this.#states.next()
      if (done) return
      const step = this.#sink.translate(memory, next)
      memory = step.memory
      const now = messagesIn(memory)
      const id = [...now].find(([each, { role }]) => role === 'assistant' && !known.has(each))?.[0]
      if (id !== undefined) {
        yield* step.out.flatMap((update) => ownChunk(update, id) ?? [])
        if (memory.openId !== id) return yield* failureOf(next)
        return this.#asks(next) ? undefined : yield* this.#rest(memory, id)
      }
      // A program that ends without a word has no answer.
      if (next.turn.status === 'running') hasRun = true
      else if (hasRun || next.turn !== state.turn) return yield* failureOf(next)
      // The prompt waits behind another answer, or is a part of it: the page has to load what happens there.
      if ([...known].some(([each, { parts }]) => hasChanged(parts, now.get(each)?.parts))) return
    }
  }

  /**
   * Begins when the program goes on. The answer of the page alone does not show that the program has taken it. It may
   * wait for another answer of the page, which sends that when this stream has begun.
   */
  async *#goingOn(
    start: readonly AnswerChunk[],
    rest: AsyncGenerator<AnswerChunk, void>,
  ): AsyncGenerator<AnswerChunk, void> {
    const held = [...start]
    for await (const chunk of rest)
      if (isAnswer(chunk) && this.#known.size === 0) held.push(chunk)
      else {
        yield* held.splice(0)
        yield chunk
      }
  }

  /** Ends where another message changes, or the answer begins anew: the page has to load the messages again. */
  async *#rest(start: UIMessageMemory, openId: string): AsyncGenerator<AnswerChunk, void> {
    let memory = start
    for (;;) {
      const { done, value } = await this.#states.next()
      if (done) return
      const asks = this.#asks(value)
      const step = this.#sink.translate(memory, value)
      memory = step.memory
      for (const update of step.out) {
        const chunk = ownChunk(update, openId)
        if (!chunk || chunk.type === 'start') return
        yield chunk
      }
      if (memory.openId !== openId) return yield* failureOf(value)
      if (asks) return
    }
  }
}

interface Sending {
  /** Resolves when the program has taken what the page has sent. */
  readonly sending: Promise<void>
  /** Whether a request waits again that the page has answered. */
  readonly isOpenAgain: () => Promise<boolean>
}

/** Yields the chunks. If what the page has sent does not reach the program, they end with the reason. */
export async function* untilFailure(
  chunks: AsyncGenerator<AnswerChunk, void>,
  { sending, isOpenAgain }: Sending,
): AsyncGenerator<AnswerChunk, void> {
  const failed = new AbortController()
  const sent = sending.catch((error: unknown) => failed.abort(error))
  yield* until(failed.signal, chunks)
  // The request is open again before its sender hears the reason.
  if (!failed.signal.aborted && (await isOpenAgain())) await sent
  if (failed.signal.aborted) yield { type: 'error', errorText: textOfError(failed.signal.reason) }
}

function keyOf({ conversationId, block: { id, toolUseId } }: PendingRequest): string {
  return JSON.stringify([conversationId, id, toolUseId])
}

function isAnswer(chunk: AnswerChunk): boolean {
  return (
    chunk.type === 'tool-approval-response' ||
    (chunk.type === 'data-request' && chunk.data.status !== 'pending')
  )
}

function* failureOf({ turn }: SessionConversationState): Generator<AnswerChunk, void> {
  if (turn.status === 'failed') yield { type: 'error', errorText: turn.error ?? 'The turn has failed.' }
}

/** The empty answer of a turn that failed without a word vanishes with the next turn. */
function hasChanged(before: SessionUIMessage['parts'], now: SessionUIMessage['parts'] | undefined): boolean {
  return now ? now !== before : before.some((part) => part.type !== 'text' || part.text !== '')
}

function messagesIn({ view }: UIMessageMemory): ReadonlyMap<string, SessionUIMessage> {
  return new Map(view?.main.messages.map((message) => [message.id, message]))
}

function ownChunk(update: UIMessageUpdate, id: string): SessionUIChunk | undefined {
  return update.type === 'chunk' && update.messageId === id ? update.chunk : undefined
}
