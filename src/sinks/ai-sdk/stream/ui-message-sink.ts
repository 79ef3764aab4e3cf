import { findSubagent } from '../../../core/selectors/find.ts'
import type { ConversationBlock } from '../../../core/state/block.ts'
import { MAIN, type SessionConversationState } from '../../../core/state/session.ts'
import type { Sink } from '../../../core/state/sink.ts'
import type { TurnStatus } from '../../../core/state/turn.ts'
import type { SessionUIMessage } from '../messages/ui-message.ts'
import { type AISDKVersion, messageFor, updatesFor } from '../version.ts'
import { type SessionView, viewSession } from '../view/session-view.ts'
import { changeChunks, startChunks } from './message-chunks.ts'
import type { SessionUIChunk, UIMessageUpdate } from './ui-chunk.ts'

/** The messages that the reader knows. Treat it as opaque. */
export interface UIMessageMemory {
  /** Absent before the first state. */
  readonly view?: SessionView
  /** The id of the answer that still grows. */
  readonly openId?: string
}

/** The sink, for version 7 of the AI SDK. Call it for another version. */
export interface UIMessageSink extends Sink<UIMessageMemory, UIMessageUpdate> {
  /** Returns the sink for that version of `ai`: 5 knows no approvals, and 6 no answer to one. */
  (options: { readonly version: AISDKVersion }): Sink<UIMessageMemory, UIMessageUpdate>
}

const newest: Sink<UIMessageMemory, UIMessageUpdate> = {
  initial: {},
  translate(memory, state) {
    if (memory.view?.state === state) return { memory, out: [] }
    const view = viewSession(state, memory.view)
    const openId = openAnswer(view)
    const changes = new Changes(view, openId)
    changes.addMessages(memory.view?.main.messages ?? [])
    if (memory.openId !== undefined && memory.openId !== openId) changes.finish(memory.openId)
    return { memory: openId === undefined ? { view } : { view, openId }, out: changes.out }
  },
  end({ openId }) {
    if (openId === undefined) return { out: [] }
    return { out: [{ type: 'chunk', messageId: openId, chunk: { type: 'finish', finishReason: 'other' } }] }
  },
}

/**
 * Translates a session into the changes of its messages: the chunks of the AI SDK's UI message stream, each with the
 * id of its message. The chunks with one id are the stream of one answer. The AI SDK's own reader makes of them what
 * `toUIMessages` returns for the state. It is for version 7; `uiMessageSink({ version: 6 })` is for another one.
 */
export const uiMessageSink: UIMessageSink = /* @__PURE__ */ Object.assign(sinkFor, newest)

/** Returns the sink for a version of the AI SDK. Throws a `RangeError` for any other version. */
function sinkFor({ version }: { readonly version: AISDKVersion }): Sink<UIMessageMemory, UIMessageUpdate> {
  if (![5, 6, 7].includes(version)) throw new RangeError('version: pass 5, 6 or 7, the major version of ai')
  return {
    initial: newest.initial,
    translate(memory, state) {
      const { memory: next, out } = newest.translate(memory, state)
      return { memory: next, out: updatesFor(version, out) }
    },
    end: newest.end,
  }
}

/**
 * Returns the id of the answer that the model writes now. Prompts may wait behind it: then a block of it is open, other than
 * agents, which outlive the turn.
 */
function openAnswer({ state, main }: SessionView): string | undefined {
  const last = main.views.findLast(({ role }) => role === 'assistant')
  if (state.turn.status !== 'running' || !last) return undefined
  const isLast = last === main.views.at(-1)
  return isLast || state.blocks.slice(last.from, last.to).some(isOpen) ? last.id : undefined
}

function isOpen({ type, status }: ConversationBlock): boolean {
  return type !== 'subagent' && status === 'pending'
}

const REASONS: Readonly<Record<TurnStatus, 'stop' | 'error' | 'other'>> = {
  idle: 'stop',
  running: 'stop',
  finished: 'stop',
  failed: 'error',
  interrupted: 'other',
}

/** The updates from one list of messages to the next one. */
class Changes {
  readonly out: UIMessageUpdate[] = []
  readonly #view: SessionView
  readonly #openId: string | undefined
  readonly #finished = new Set<string>()

  constructor(view: SessionView, openId: string | undefined) {
    this.#view = view
    this.#openId = openId
  }

  addMessages(before: readonly SessionUIMessage[]): void {
    const after = this.#view.main.messages
    if (after === before) return
    const isInPlace = before.every(({ id }, at) => after[at]?.id === id)
    const known = isInPlace ? undefined : new Map(before.map((message) => [message.id, message]))
    after.forEach((message, at) => {
      this.#addMessage(known ? known.get(message.id) : before[at], message)
    })
    if (!isInPlace) this.out.push({ type: 'order', messageIds: after.map(({ id }) => id) })
  }

  finish(messageId: string): void {
    const { main, state } = this.#view
    if (this.#finished.has(messageId) || !main.messages.some(({ id }) => id === messageId)) return
    this.#finished.add(messageId)
    const isLast = main.views.at(-1)?.id === messageId
    const finishReason = isLast ? REASONS[state.turn.status] : 'stop'
    this.#addChunks(messageId, [{ type: 'finish', finishReason }])
  }

  #addMessage(known: SessionUIMessage | undefined, message: SessionUIMessage): void {
    if (known === message) return
    if (message.role === 'user') {
      this.out.push({ type: 'message', message })
      return
    }
    const chunks = known?.role === 'assistant' ? changeChunks(known, message) : undefined
    this.#addChunks(message.id, chunks ?? startChunks(message))
    if (!chunks && message.id !== this.#openId) this.finish(message.id)
  }

  #addChunks(messageId: string, chunks: readonly SessionUIChunk[]): void {
    for (const chunk of chunks) this.out.push({ type: 'chunk', messageId, chunk })
  }
}

/** The options of `toUIMessages`. */
export interface UIMessagesOptions {
  /** `'main'` (the default), or either id of a subagent. */
  readonly conversationId?: string
  /** The major version of `ai` that reads the messages. Version 5 knows no approvals. The default is 7. */
  readonly version?: AISDKVersion
}

/**
 * Returns a conversation as messages of the AI SDK. Each message of the person is a `user` message, and everything
 * until the next one is one `assistant` message. A subagent is a tool part of the tool `subagent`; its `output` holds
 * the messages of its own conversation. The ids follow from those of the session, so they are the same in each state.
 *
 * Throws a `RangeError` if the state has no conversation with that `conversationId`.
 */
export function toUIMessages(
  state: SessionConversationState,
  { conversationId = MAIN, version = 7 }: UIMessagesOptions = {},
): SessionUIMessage[] {
  const { main, agents } = viewSession(state, undefined)
  const readable = (messages: readonly SessionUIMessage[]) =>
    messages.map((message) => messageFor(version, message))
  if (conversationId === MAIN) return readable(main.messages)
  const found = findSubagent(state, conversationId)
  const view = agents.find(({ agent }) => agent === found)
  if (!view) throw new RangeError(`the state has no conversation ${JSON.stringify(conversationId)}`)
  return readable(view.thread.messages)
}
