import type { SessionConversationState } from '../../core/state/session.ts'
import type { Sink } from '../../core/state/sink.ts'
import type { SessionUIChunk, UIMessageUpdate } from '../../sinks/ai-sdk/stream/ui-chunk.ts'
import { type UIMessageMemory, uiMessageSink } from '../../sinks/ai-sdk/stream/ui-message-sink.ts'
import type { AISDKVersion } from '../../sinks/ai-sdk/version.ts'

/** The chunks of one answer, as the states of its session come. */
export class AnswerStream {
  readonly #states: AsyncIterator<SessionConversationState>
  readonly #sink: Sink<UIMessageMemory, UIMessageUpdate>
  readonly #version: AISDKVersion

  constructor(states: AsyncIterator<SessionConversationState>, version: AISDKVersion) {
    this.#states = states
    this.#sink = uiMessageSink({ version })
    this.#version = version
  }

  /** Returns the id of the answer that the model writes. */
  openId(state: SessionConversationState): string | undefined {
    return this.#sink.translate(this.#sink.initial, state).memory.openId
  }

  /** Whether the page must send an approval now. It sends none while it reads a stream. The parts of version 5 have no approvals. */
  #asks({ blocks }: SessionConversationState): boolean {
    return (
      this.#version > 5 &&
      blocks.some(
        (block) =>
          block.type === 'request' &&
          block.status === 'pending' &&
          block.kind === 'permission' &&
          block.toolUseId !== undefined,
      )
    )
  }

  /** Yields the answer that is open in the state, from its start. Without one, it ends with the next state. */
  async *from(state: SessionConversationState): AsyncGenerator<SessionUIChunk, void> {
    const { memory, out } = this.#sink.translate(this.#sink.initial, state)
    const { openId } = memory
    if (openId === undefined || this.#asks(state)) return void (await this.#states.next())
    yield* out.flatMap((update) => ownChunk(update, openId) ?? [])
    yield* this.#rest(memory, openId)
  }

  /** Yields what follows the state: the next answer after a prompt, and otherwise the rest of the open one. */
  async *after(state: SessionConversationState, isPrompt: boolean): AsyncGenerator<SessionUIChunk, void> {
    let { memory } = this.#sink.translate(this.#sink.initial, state)
    const before = memory.openId
    if (before !== undefined && !isPrompt) {
      const start = this.#sink
        .translate(this.#sink.initial, state)
        .out.find((update) => ownChunk(update, before)?.type === 'start')
      if (start?.type === 'chunk') yield start.chunk
      return yield* this.#rest(memory, before)
    }
    const known = new Set(answerIds(memory))
    let hasRun = false
    for (;;) {
      const { done, value: next } = await this.#states.next()
      if (done) return
      const step = this.#sink.translate(memory, next)
      memory = step.memory
      const id = answerIds(memory).find((each) => !known.has(each))
      if (id !== undefined) {
        yield* step.out.flatMap((update) => ownChunk(update, id) ?? [])
        if (memory.openId !== id || this.#asks(next)) return
        return yield* this.#rest(memory, id)
      }
      // A program that ends without a word has no answer.
      if (next.turn.status === 'running') hasRun = true
      else if (hasRun) return
    }
  }

  /** Ends where another message changes, or the answer begins anew: the page has to load the messages again. */
  async *#rest(start: UIMessageMemory, openId: string): AsyncGenerator<SessionUIChunk, void> {
    let memory = start
    for (;;) {
      const { done, value } = await this.#states.next()
      if (done) return
      const step = this.#sink.translate(memory, value)
      memory = step.memory
      for (const update of step.out) {
        const chunk = ownChunk(update, openId)
        if (!chunk || chunk.type === 'start') return
        yield chunk
      }
      if (memory.openId !== openId || this.#asks(value)) return
    }
  }
}

/** Returns the ids of the answers. */
function answerIds({ view }: UIMessageMemory): readonly string[] {
  return view?.main.messages.flatMap(({ id, role }) => (role === 'assistant' ? [id] : [])) ?? []
}

function ownChunk(update: UIMessageUpdate, id: string): SessionUIChunk | undefined {
  return update.type === 'chunk' && update.messageId === id ? update.chunk : undefined
}
