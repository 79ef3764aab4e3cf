import { pendingRequests } from '../../core/selectors/requests.ts'
import type { BlockOf } from '../../core/state/block.ts'
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
  readonly #before: SessionConversationState
  /** The requests that the page answers. */
  readonly #answered: ReadonlySet<string>
  /** The requests that the page had before, and that wait since. */
  #known: ReadonlySet<string>
  /** Whether the session has more than the answers of the page, or waits for another one of them. */
  #goesOn = false

  /** The states follow the state `before`. */
  constructor(
    states: AsyncIterator<SessionConversationState>,
    {
      version,
      before,
      answered,
    }: {
      readonly version: AISDKVersion
      readonly before: SessionConversationState
      readonly answered: readonly BlockOf<'request'>[]
    },
  ) {
    this.#states = states
    this.#sink = uiMessageSink({ version })
    this.#version = version
    this.#before = before
    this.#answered = new Set(answered.map(keyOf))
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
  #permissions(state: SessionConversationState): readonly BlockOf<'request'>[] {
    if (this.#version === 5) return []
    return pendingRequests(state).flatMap(({ block }) => (isOfCall(block) ? block : []))
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
    this.#goesOn ||= this.#hasMore(state)
    return this.#known.size < keys.length
  }

  #hasMore(state: SessionConversationState): boolean {
    if (pendingRequests(state).some(({ block }) => this.#answered.has(keyOf(block)))) return false
    if (this.#known.size > 0) return true
    const [before = [], now = []] = [this.#before, state].map((each) => factsBut(this.#answered, each))
    return before.length !== now.length || now.some((fact, at) => fact !== before[at])
  }

  /** Resolves when the session goes on, or the states end. The answers of the page do not show that the program has them. */
  async untilGoesOn(): Promise<undefined> {
    while (!this.#goesOn) {
      const { done, value } = await this.#states.next()
      if (done) return undefined
      this.#asks(value)
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
      const begun = growingIn(messagesIn(memory).get(before))
      return yield* this.#goingOn(start, { rest: this.#rest(memory, before), begun })
    }
    const known = messagesIn(memory)
    let hasRun = false
    for (;;) {
      const { done, value: next } = await this.#states.next()
      if (done) return
      const step = this.#sink.translate(memory, next)
      memory = step.memory
      const now = messagesIn(memory)
      // The prompt waits behind another answer, or is a part of it: the page has to load what happens there.
      if ([...known].some(([each, { parts }]) => hasChanged(parts, now.get(each)?.parts))) return
      const added = [...now.values()].filter((each) => !known.has(each.id))
      // The page has its own prompt, and not that of another one.
      if (added.filter(({ role }) => role === 'user').length > 1) return
      const id = added.find(({ role }) => role === 'assistant')?.id
      if (id !== undefined) {
        yield* step.out.flatMap((update) => ownChunk(update, id) ?? [])
        if (memory.openId !== id) return yield* failureOf(next)
        return this.#asks(next) ? undefined : yield* this.#rest(memory, id)
      }
      // A program that ends without a word has no answer.
      if (next.turn.status === 'running') hasRun = true
      else if (hasRun || next.turn !== state.turn) return yield* failureOf(next)
    }
  }

  /**
   * Begins when the session goes on. It ends where a part grows that has `begun` before: a reader takes no more of a part
   * without its start. Version 6 has no chunk for the answer of another page.
   */
  async *#goingOn(
    start: readonly AnswerChunk[],
    {
      rest,
      begun,
    }: { readonly rest: AsyncGenerator<AnswerChunk, void>; readonly begun: ReadonlySet<string> },
  ): AsyncGenerator<AnswerChunk, void> {
    const held = [...start]
    for await (const chunk of rest)
      if (!this.#goesOn) held.push(chunk)
      else {
        yield* held.splice(0)
        if (begun.has(grownPart(chunk) ?? '')) return
        yield chunk
        if (this.#version === 6 && this.#isAnswerOfOther(chunk)) return
      }
  }

  #isAnswerOfOther(chunk: AnswerChunk): boolean {
    return (
      chunk.type === 'data-request' &&
      isOfCall(chunk.data) &&
      chunk.data.status !== 'pending' &&
      !this.#answered.has(keyOf(chunk.data))
    )
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

/** Whether a page shows the request at its call, as an approval. */
function isOfCall({ kind, toolUseId }: BlockOf<'request'>): boolean {
  return kind === 'permission' && toolUseId !== undefined
}

function keyOf({ conversationId, id, toolUseId }: BlockOf<'request'>): string {
  return JSON.stringify([conversationId, id, toolUseId])
}

/** Returns the parts that the model writes: its texts by block, and its calls. */
function growingIn(message: SessionUIMessage | undefined): ReadonlySet<string> {
  const ids = message?.parts.map((part) => {
    if (part.type === 'dynamic-tool') return part.state === 'input-streaming' ? part.toolCallId : []
    if (!('state' in part)) return []
    return part.state === 'streaming' ? part.providerMetadata.agentfold.blockId : []
  })
  return new Set(ids?.flat())
}

function grownPart(chunk: AnswerChunk): string | undefined {
  switch (chunk.type) {
    case 'text-delta':
    case 'text-end':
    case 'reasoning-delta':
    case 'reasoning-end':
      return chunk.id
    case 'tool-input-delta':
      return chunk.toolCallId
    default:
      return undefined
  }
}

/** Returns what shows that a session has changed, but for the requests with the keys. */
function factsBut(
  answered: ReadonlySet<string>,
  { turn, blocks, subagents }: SessionConversationState,
): readonly unknown[] {
  const others = [{ blocks }, ...subagents]
    .flatMap((thread) => thread.blocks)
    .filter((block) => block.type !== 'request' || !answered.has(keyOf(block)))
  return [turn, ...subagents.map(({ status }) => status), ...others]
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
