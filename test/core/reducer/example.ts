import {
  type ConversationBlock,
  createInitialConversationState,
  type EventOf,
  findConversation,
  type ReducerIssue,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
  stepSessionEvent,
} from '../../../src/entries/index.ts'
import type { IncomingBlock } from '../../../src/entries/source-kit.ts'

type Fields<Type extends SessionEvent['type']> = Partial<EventOf<Type>>
type BlockFields<Type extends IncomingBlock['type']> = Partial<
  Extract<IncomingBlock, { readonly type: Type }>
>

/** Returns the state after the events. */
export function fold(...events: readonly SessionEvent[]): SessionConversationState {
  return reduceSessionEvents(createInitialConversationState(), events)
}

/** Returns the issue of the last event, and the states before and after it. */
export function lastStep(...events: readonly SessionEvent[]): {
  readonly before: SessionConversationState
  readonly after: SessionConversationState
  readonly issue: ReducerIssue | undefined
} {
  let before = createInitialConversationState()
  let after = before
  let issue: ReducerIssue | undefined
  for (const event of events) {
    before = after
    const step = stepSessionEvent(before, event)
    after = step.state
    issue = step.issue
  }
  return { before, after, issue }
}

/** Returns every state of a log, beginning with the start. */
export function statesOf(
  events: readonly SessionEvent[],
  start: SessionConversationState = createInitialConversationState(),
): readonly SessionConversationState[] {
  const states = [start]
  let state = start
  for (const event of events) {
    state = stepSessionEvent(state, event).state
    states.push(state)
  }
  return states
}

/** Returns a value after its way over a wire, where no type is checked. */
export function fromWire(value: unknown): SessionEvent {
  return JSON.parse(JSON.stringify(value) ?? 'null')
}

export function blocksOf(
  state: SessionConversationState,
  conversationId = 'main',
): readonly ConversationBlock[] {
  return findConversation(state, conversationId)?.blocks ?? []
}

/** The kinds of conversation that follow the same rules, each with the events that create it. */
export const places: readonly {
  readonly place: string
  readonly conversationId: string
  readonly canonicalId: string
  readonly start: readonly SessionEvent[]
}[] = [
  { place: 'main', conversationId: 'main', canonicalId: 'main', start: [] },
  { place: 'a subagent', conversationId: 'S', canonicalId: 'S', start: [spawn('S')] },
  {
    place: 'a subagent under its agentId',
    conversationId: 'agent-s',
    canonicalId: 'S',
    start: [spawn('S', { agentId: 'agent-s' })],
  },
]

export function text(id: string, fields: BlockFields<'assistant_text'> = {}): IncomingBlock {
  return { id, type: 'assistant_text', status: 'pending', content: '', ...fields }
}

export function toolUse(id: string, fields: BlockFields<'tool_use'> = {}): IncomingBlock {
  return { id, type: 'tool_use', status: 'pending', toolName: 'Read', toolUseId: id, input: {}, ...fields }
}

export function upsert(block: IncomingBlock, conversationId = 'main'): SessionEvent {
  return { type: 'block:upsert', conversationId, block }
}

export function delta(blockId: string, delta: string, conversationId = 'main'): SessionEvent {
  return { type: 'block:delta', conversationId, blockId, delta }
}

export function remove(blockId: string, conversationId = 'main'): SessionEvent {
  return { type: 'block:removed', conversationId, blockId }
}

export const running: SessionEvent = { type: 'session:running' }

export function idle(conversationId = 'main'): SessionEvent {
  return { type: 'session:idle', conversationId }
}

export function spawn(toolUseId: string, fields: Fields<'subagent:spawned'> = {}): SessionEvent {
  return { type: 'subagent:spawned', toolUseId, prompt: 'do', ...fields }
}

/** A subagent's block from a source. Without further fields the subagent is only announced. */
export function subagentBlock(
  toolUseId: string,
  fields: BlockFields<'subagent'> = {},
  conversationId = 'main',
): SessionEvent {
  return upsert(
    { id: `subagent:${toolUseId}`, type: 'subagent', status: 'pending', toolUseId, input: '', ...fields },
    conversationId,
  )
}

export function resume(toolUseId: string, fields: Fields<'subagent:resumed'> = {}): SessionEvent {
  return { type: 'subagent:resumed', toolUseId, ...fields }
}

export function complete(toolUseId: string, fields: Fields<'subagent:completed'> = {}): SessionEvent {
  return { type: 'subagent:completed', toolUseId, status: 'completed', ...fields }
}

export function usage(
  messageId: string,
  outputTokens: number,
  fields: Fields<'usage:reported'> = {},
): SessionEvent {
  return { type: 'usage:reported', messageId, usage: { outputTokens }, final: true, ...fields }
}
