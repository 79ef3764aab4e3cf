import type { EventOf, IncomingBlock, SessionEvent } from '../core/events/event.ts'
import { isEqual } from '../core/json/equal.ts'
import { omitUndefined } from '../core/json/fields.ts'
import type { ConversationBlock } from '../core/state/block.ts'
import { MAIN } from '../core/state/session.ts'
import type { SessionLookups } from './lookups.ts'

type Lookups = Pick<SessionLookups, 'findAgent' | 'findBlock' | 'isOpen' | 'usageOf' | 'wasAnnounced'>

/** Returns the event that goes on with main's turn or an agent's run where the end of an input cut it. */
export function continuationOf(conversationId: string): SessionEvent {
  return conversationId === MAIN
    ? { type: 'session:running', continues: true }
    : { type: 'subagent:resumed', toolUseId: conversationId, continues: true }
}

/**
 * Whether the event adds to a conversation that was cut, or ends one of its blocks. A repeated message and a report
 * of the program do not. A person's message starts another turn.
 */
export function addsContent(event: SessionEvent, conversationId: string, session: Lookups): boolean {
  switch (event.type) {
    case 'block:upsert':
      return !isPromptOrReport(event.block) && isNewBlock(event.block, conversationId, session)
    case 'block:delta':
      return event.delta !== '' && !!session.findBlock(conversationId, event.blockId)
    case 'usage:reported':
      return isNewUsage(event, conversationId, session)
    case 'subagent:spawned':
      return !session.findAgent(event.toolUseId) || session.wasAnnounced(event.toolUseId)
    default:
      return false
  }
}

function isNewBlock(block: IncomingBlock, conversationId: string, session: Lookups): boolean {
  const known = session.findBlock(conversationId, block.id)
  if (!known) return true
  if (block.status === 'pending') return isWholeCallOf(known, block)
  return (
    session.isOpen(conversationId, block.id) ||
    !isEqual(known, { ...block, conversationId: known.conversationId })
  )
}

function isNewUsage(
  { messageId, final, model, fromResult, usage }: EventOf<'usage:reported'>,
  conversationId: string,
  session: Lookups,
): boolean {
  const known = session.usageOf(conversationId, messageId)
  return !known?.final && !isEqual(known, omitUndefined({ messageId, final, model, fromResult, ...usage }))
}

/** Whether the block is the whole call of which the known one has streamed a part. */
function isWholeCallOf(known: ConversationBlock, block: IncomingBlock): boolean {
  if (known.type !== 'tool_use' || block.type !== 'tool_use') return false
  return known.inputText !== undefined && block.inputText === undefined
}

function isPromptOrReport(block: IncomingBlock): boolean {
  return block.type === 'system' || isPersonsMessage(block)
}

/** Whether the block has words of the person, and not of the program in the person's place. */
export function isPersonsMessage(block: IncomingBlock): boolean {
  return block.type === 'user_message' && block.origin === undefined
}
