import { expect } from 'vitest'
import type { ConversationBlock, SessionConversationState } from '../../../src/index.ts'
import { asObject, asString } from '../../../src/json/values.ts'
import type { Replayed } from '../recordings.ts'
import { type Message, numbered, toText } from './messages.ts'
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
 * What `opencode export` writes after those events, a session an object: messages and parts replace each other by id and
 * are in the order of their ids; deltas are not stored (FORMATS.md).
 */
export function storedOf(events: readonly unknown[]): readonly object[] {
  const sessions = new Map<string, StoredSession>()
  for (const event of events) store(asObject(event), sessions)
  return [...sessions.values()].map(({ info, messages }) => ({
    info,
    messages: inOrder(messages).map(({ info, parts }) => ({ info, parts: inOrder(parts) })),
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

function inOrder<Item>(items: ReadonlyMap<string, Item>): readonly Item[] {
  return [...items].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, item]) => item)
}

/** Reads events as the bus tells them, and holds that the export they lead to gives the same state. */
export function readBoth(...events: readonly Message[]): Replayed {
  const live = replay(toText(numbered(events)))
  const stored = replay(JSON.stringify(storedOf(events)))
  expect(comparable(live.state)).toEqual(comparable(stored.state))
  return live
}

/** What the bus alone tells: that a request is made again, and what the person is asked. */
const LIVE_ONLY = new Set(['retry', 'permission', 'question'])

/** A state without what stored sessions cannot tell. A tool's answer is told live when it comes. */
export function comparable(state: SessionConversationState): object {
  return {
    session: state.session,
    conversations: [
      { facts: {}, ...state },
      ...state.subagents.map(({ blocks, usage, ...facts }) => ({ facts, blocks, usage })),
    ].map(({ facts, blocks, usage }) => ({
      facts,
      said: blocks.filter((block) => !isLiveOnly(block) && !isResult(block)),
      answered: new Map(blocks.filter(isResult).map((block) => [block.id, block])),
      usage: usage.filter(({ final }) => final),
    })),
  }
}

const isResult = ({ type }: ConversationBlock) => type === 'tool_result'
const isLiveOnly = (block: ConversationBlock) => block.type === 'system' && LIVE_ONLY.has(block.subtype)
