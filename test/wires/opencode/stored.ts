import { expect } from 'vitest'
import { asObject, asString } from '../../../src/core/json/values.ts'
import type { ConversationBlock, SessionConversationState } from '../../../src/entries/index.ts'
import type { Replayed } from '../recordings.ts'
import { type Message, readOpenEvents, toLines, withEventIds } from './messages.ts'
import { replay } from './recordings.ts'

interface StoredMessage {
  info: Message
  readonly parts: Map<string, Message>
}

interface StoredSession {
  info: Message
  readonly messages: Map<string, StoredMessage>
}

/**
 * Returns the exports that OpenCode writes after the events, one object a session. Messages and parts replace each other by
 * id and are sorted by id. Deltas are not stored (FORMATS.md).
 */
export function toExports(events: readonly unknown[]): readonly object[] {
  const sessions = new Map<string, StoredSession>()
  for (const event of events) store(asObject(event), sessions)
  return [...sessions.values()].map(({ info, messages }) => ({
    info,
    messages: sortedById(messages).map(({ info, parts }) => ({ info, parts: sortedById(parts) })),
  }))
}

function store({ type, properties }: Message, sessions: Map<string, StoredSession>): void {
  const { sessionID, info, part, messageID, partID } = asObject(properties)
  const session = sessions.get(asString(sessionID) ?? '')
  if (type === 'session.created' || type === 'session.updated')
    sessions.set(asString(sessionID) ?? '', { messages: new Map(), ...session, info: asObject(info) })
  if (!session) return
  const messageId =
    asString(asObject(info).id) ?? asString(messageID) ?? asString(asObject(part).messageID) ?? ''
  const message = session.messages.get(messageId)
  if (type === 'message.updated')
    session.messages.set(messageId, { parts: new Map(), ...message, info: asObject(info) })
  if (type === 'message.removed') session.messages.delete(messageId)
  if (type === 'message.part.updated') message?.parts.set(asString(asObject(part).id) ?? '', asObject(part))
  if (type === 'message.part.removed') message?.parts.delete(asString(partID) ?? '')
}

function sortedById<Item>(items: ReadonlyMap<string, Item>): readonly Item[] {
  return [...items].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, item]) => item)
}

/** Reads bus events, and expects the same state from the export that they lead to. */
export function readBoth(...events: readonly Message[]): Replayed {
  const live = replay(toLines(withEventIds(events)))
  const stored = replay(JSON.stringify(toExports(events)))
  expect(sharedState(live.state)).toEqual(sharedState(stored.state))
  return live
}

/** Like `readBoth`, but returns the live state before the end of the input. */
export function readBothOpen(...events: readonly Message[]): ReturnType<typeof readOpenEvents> {
  readBoth(...events)
  return readOpenEvents(...events)
}

/** The system blocks that only the bus reports. */
const LIVE_ONLY = new Set(['retry', 'rewind'])

/** Returns the parts of a state that live and stored sessions share. A live result takes its place when it arrives. */
export function sharedState(state: SessionConversationState): object {
  return {
    session: state.session,
    conversations: [
      { facts: {}, ...state },
      ...state.subagents.map(({ blocks, usage, todos, ...facts }) => ({ facts, blocks, usage, todos })),
    ].map(({ facts, blocks, usage, todos }) => ({
      facts,
      todos,
      blocks: blocks.filter((block) => !isLiveOnly(block) && !isResult(block) && !isRequest(block)),
      requests: new Map(blocks.flatMap(tracedRequest)),
      results: new Map(blocks.filter(isResult).map((block) => [block.id, block])),
      usage: usage.filter(({ final }) => final),
    })),
  }
}

const isResult = ({ type }: ConversationBlock) => type === 'tool_result'
const isRequest = ({ type }: ConversationBlock) => type === 'request'

/** Returns the facts of a request that its call shows. The call has neither the request's id nor its words. */
function tracedRequest(block: ConversationBlock): readonly (readonly [string | undefined, object])[] {
  if (block.type !== 'request' || block.toolUseId === undefined) return []
  if (block.kind === 'permission' && !block.denied) return []
  const { id, title, data, timestamp, ...facts } = block
  return [[block.toolUseId, facts]]
}

const isLiveOnly = (block: ConversationBlock) => block.type === 'system' && LIVE_ONLY.has(block.subtype)
