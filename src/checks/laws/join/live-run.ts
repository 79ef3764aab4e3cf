import type { SessionEvent } from '../../../core/events/event.ts'
import { compositeKey } from '../../../core/json/lists.ts'
import { foldSessionEvents, reduceSessionEvent } from '../../../core/reducer/reduce.ts'
import { subagentBlockId } from '../../../core/state/block.ts'
import {
  type ConversationThread,
  createInitialConversationState,
  MAIN,
  type SessionConversationState,
} from '../../../core/state/session.ts'
import type { Source } from '../../../reading/source.ts'

/** A live stream, folded from its start. All maps are by `compositeKey` of a conversation and a block or a message. */
export interface LiveRun {
  readonly state: SessionConversationState
  /** The index of the last message that had the whole block. */
  readonly completedAt: ReadonlyMap<string, number>
  /** The index of the message that removed the block, or moved it to a branch. */
  readonly removedAt: ReadonlyMap<string, number>
  /** The index of the last message with whole content of the model message, and of the report of its final tokens. */
  readonly usage: ReadonlyMap<string, LiveUsage>
  /** By `toolUseId`: the index of the last message that ended the agent. */
  readonly endedAt: ReadonlyMap<string, number>
  /** The index of the message that gave the turn its last status, or -1. */
  readonly turnChangedAt: number
}

interface LiveUsage {
  readonly namedAt: number
  readonly finalAt: number
}

interface PlacedEvent {
  readonly event: SessionEvent
  readonly index: number
  /** `'main'` or the `toolUseId`. */
  readonly conversationId: string
}

/** Folds the whole live stream. */
export function runLive(source: Source, live: readonly unknown[]): LiveRun {
  const events = eventsOf(source, live)
  const { state } = foldSessionEvents(
    createInitialConversationState(),
    events.map(({ event }) => event),
  )
  const toolUseIds = new Map(state.subagents.map(({ agentId, toolUseId }) => [agentId, toolUseId]))
  const placed = events.map(({ event, index }): PlacedEvent => {
    const { conversationId = MAIN } = event
    return { event, index, conversationId: toolUseIds.get(conversationId) ?? conversationId }
  })
  return {
    state,
    completedAt: new Map([...lastIndexes(placed, wholeBlockId), ...lastIndexes(placed, askedId)]),
    removedAt: new Map(
      placed.flatMap(({ event, index, conversationId }) =>
        removedIds(event).map((id) => [compositeKey(conversationId, id), index] as const),
      ),
    ),
    usage: usageOf(placed),
    endedAt: new Map(
      events.flatMap(({ event, index }) =>
        event.type === 'subagent:completed' ? [[event.toolUseId, index]] : [],
      ),
    ),
    turnChangedAt: lastTurnChange(events),
  }
}

function removedIds(event: SessionEvent): readonly string[] {
  if (event.type === 'branch:abandoned') return event.blockIds
  return event.type === 'block:removed' ? [event.blockId] : []
}

function lastTurnChange(events: readonly Omit<PlacedEvent, 'conversationId'>[]): number {
  let state = createInitialConversationState()
  let changedAt = -1
  // A delta changes no turn.
  for (const { event, index } of events.filter(({ event }) => event.type !== 'block:delta')) {
    const next = reduceSessionEvent(state, event)
    if (next.turn.status !== state.turn.status) changedAt = index
    state = next
  }
  return changedAt
}

function eventsOf(source: Source, live: readonly unknown[]): readonly Omit<PlacedEvent, 'conversationId'>[] {
  let session = source.open()
  return live.flatMap((message, index) => {
    const reading = source.read(session, [message])
    session = reading.session
    return reading.events.map((event) => ({ event, index }))
  })
}

/** Returns the id of the request that the event asks. An answer need not repeat the words of the question. */
function askedId(event: SessionEvent): string | undefined {
  if (event.type !== 'block:upsert') return undefined
  const { type, status, id } = event.block
  return type === 'request' && status === 'pending' ? id : undefined
}

/**
 * Returns the id of the block that the event has whole. A call is whole, although pending, before its result arrives,
 * and so is a request before its answer. A withdrawal alone does not repeat the request.
 */
function wholeBlockId(event: SessionEvent): string | undefined {
  if (event.type === 'subagent:spawned') return subagentBlockId(event.toolUseId)
  if (event.type !== 'block:upsert') return undefined
  const { block } = event
  if (block.type === 'request')
    return block.status === 'pending' || block.answer !== undefined ? block.id : undefined
  return (block.status === 'pending') === (block.type === 'tool_use') ? block.id : undefined
}

function lastIndexes(
  placed: readonly PlacedEvent[],
  idOf: (event: SessionEvent) => string | undefined,
): ReadonlyMap<string, number> {
  return new Map(
    placed.flatMap(({ event, index, conversationId }) => {
      const id = idOf(event)
      return id === undefined ? [] : [[compositeKey(conversationId, id), index]]
    }),
  )
}

function usageOf(placed: readonly PlacedEvent[]): ReadonlyMap<string, LiveUsage> {
  const finalAt = lastIndexes(placed, (event) =>
    event.type === 'usage:reported' && event.final ? event.messageId : undefined,
  )
  const named = placed.filter(({ event, index, conversationId }) => {
    const messageId = wholeMessageId(event)
    return messageId !== undefined && index < (finalAt.get(compositeKey(conversationId, messageId)) ?? 0)
  })
  const namedAt = lastIndexes(named, wholeMessageId)
  return new Map(
    [...finalAt].map(([key, final]) => [key, { finalAt: final, namedAt: namedAt.get(key) ?? -1 }]),
  )
}

function wholeMessageId(event: SessionEvent): string | undefined {
  if (event.type === 'usage:reported') return event.messageId
  if (event.type !== 'block:upsert' || event.block.status === 'pending') return undefined
  return 'messageId' in event.block ? event.block.messageId : undefined
}

/** The law that a join breaks. */
type JoinCode = 'lost' | 'overwritten' | 'doubled' | 'incomplete' | 'reordered'

/** A part of a joined state that breaks the law. */
export interface PartFault {
  readonly code: JoinCode
  /** The part in words, such as `content of block m1:0 of main`. */
  readonly part: string
  readonly actual?: unknown
  readonly expected?: unknown
}

/** The state of a history with the live messages from a cut on, and the states that it must agree with. */
export interface Join {
  readonly joined: SessionConversationState
  readonly history: SessionConversationState
  /** The history's state without the end of its input. Its open blocks go on, although the end makes them final. */
  readonly open: SessionConversationState
  /** The history's state with the end of its input. It has the messages that waited for their place. */
  readonly ended: SessionConversationState
  readonly live: LiveRun
  /** The index of the first live message. */
  readonly cut: number
}

/** One conversation of a join. */
export interface JoinedThread {
  readonly id: string
  readonly joined: ConversationThread
  readonly history: ConversationThread
  readonly open: ConversationThread
  readonly ended: ConversationThread
  readonly alive: ConversationThread
}
