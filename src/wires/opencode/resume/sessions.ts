import type { ConversationBlock } from '../../../state/block.ts'
import { MAIN } from '../../../state/session.ts'
import { isFinal } from '../../../state/subagent.ts'
import type { OpencodeContext } from '../context.ts'
import type { KnownSession, Turn } from '../memory.ts'
import type { ResumedThread } from './threads.ts'

/** Remembers the session of a conversation, its place in the tree, and its turn. */
export function resumeSession(
  thread: ResumedThread,
  threads: readonly ResumedThread[],
  context: OpencodeContext,
): void {
  const { sessionId, conversationId, blocks, usage, subagent } = thread
  const isShared = threads.length > 1
  const facts: Partial<KnownSession> = {
    isOriginKnown: true,
    parentId: parentSessionId(thread, threads),
    hasMessages: blocks.length + usage.length > 0,
    isCompleted: sessionId === conversationId && subagent !== undefined && isFinal(subagent.status),
    nanoDollars: isShared ? 0 : context.memory.nanoDollars,
    resumedCost: isShared ? 'shared' : 'own',
    turn: turnAfter(blocks),
  }
  Object.assign(context.ownSession(sessionId), facts)
  if (subagent && sessionId !== conversationId) context.setEntry('callIdBySession', sessionId, conversationId)
}

/** A conversation whose parent is not known belongs to the tree of main. */
function parentSessionId(
  { conversationId, parentConversationId = MAIN }: ResumedThread,
  threads: readonly ResumedThread[],
): string | undefined {
  if (conversationId === MAIN) return undefined
  return threads.find((thread) => thread.conversationId === parentConversationId)?.sessionId
}

/** Returns the state of the turn that the blocks lead to. */
function turnAfter(blocks: readonly ConversationBlock[]): Turn {
  return blocks.reduce<Turn>((turn, block) => turnOf(block) ?? turn, 'idle')
}

/** Returns the state of the turn as of a block, or undefined if the block says nothing about it. */
function turnOf(block: ConversationBlock): Turn | undefined {
  switch (block.type) {
    case 'assistant_text':
      return block.status === 'pending' ? 'running' : 'answered'
    case 'user_message':
      return block.origin === 'summary' ? 'answered' : 'running'
    case 'error':
      return 'failed'
    case 'system':
      return block.subtype === 'interruption' ? 'interrupted' : undefined
    case 'thinking':
    case 'tool_use':
    case 'tool_result':
    case 'request':
    case 'subagent':
      return 'running'
    default:
      return undefined
  }
}
