import type { UserContentPart } from '../../../../src/core/state/content.ts'
import { MAIN } from '../../../../src/core/state/session.ts'
import type {
  BlockOf,
  ConversationBlock,
  ConversationThread,
  SessionConversationState,
  SubagentState,
} from '../../../../src/entries/index.ts'

/** A block, or the joined texts of a message, as far as a replay carries it. */
type Carried = Readonly<Record<string, unknown>>

type Results = ReadonlyMap<string, BlockOf<'tool_result'>>

/** Returns the content of a conversation that a replay carries, with a call's result at the call. An agent's prompt is one of its facts. */
export function carriedBlocks({
  blocks,
  prompt,
}: ConversationThread & Pick<SubagentState, 'prompt'>): readonly Carried[] {
  const results: Results = new Map(
    blocks.flatMap((block) => (block.type === 'tool_result' ? [[block.toolUseId, block]] : [])),
  )
  const calls = new Set(blocks.flatMap((block) => (block.type === 'tool_use' ? [block.toolUseId] : [])))
  const isLone = (block: ConversationBlock) => block.type !== 'tool_result' || !calls.has(block.toolUseId)
  const promptBlock =
    prompt && blocks.find((block) => block.type === 'user_message' && block.content === prompt)
  const own = blocks.filter((block) => isLone(block) && block !== promptBlock)
  return joinTexts(own.flatMap((block) => carriedBlock(block, results)))
}

/** Texts of one message have no boundary between them. */
function joinTexts(carried: readonly Carried[]): readonly Carried[] {
  const joined: Carried[] = []
  for (const next of carried) {
    const last = joined.at(-1)
    if (last?.messageId !== undefined && last.messageId === next.messageId && last.type === next.type)
      joined[joined.length - 1] = { ...last, content: `${last.content}${next.content}` }
    else joined.push(next)
  }
  return joined
}

function carriedBlock(block: ConversationBlock, results: Results): readonly Carried[] {
  switch (block.type) {
    case 'user_message':
      return carriedMessage(block)
    case 'assistant_text':
    case 'thinking': {
      const { type, content, messageId = block.id } = block
      return content === '' ? [] : [{ type, messageId, content }]
    }
    case 'error':
      return [{ type: 'assistant_text', messageId: block.id, content: block.message }]
    case 'tool_use':
      return [carriedCall(block, results.get(block.toolUseId))]
    case 'tool_result': {
      // A result whose call is not known becomes a call.
      const call = { toolUseId: block.toolUseId, toolName: 'other' } as const
      const input = { title: 'Result of an unknown call' }
      return [carriedCall({ ...call, input, status: block.isError ? 'error' : 'complete' }, block)]
    }
    case 'subagent':
      return [{ type: block.type, toolUseId: block.toolUseId }]
    default:
      return []
  }
}

/** The source has ids of its own for prompts, and may find another origin of the words than the program stated. */
function carriedMessage({ content }: BlockOf<'user_message'>): readonly Carried[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'user_message', content }]
  const parts = content.filter((part) => part.type !== 'text' || part.text !== '')
  return [{ type: 'user_message', content: parts.map(carriedPart) }]
}

/** An image at an address becomes a file. A file gets a name. */
function carriedPart(part: UserContentPart): unknown {
  if (part.type === 'text' || (part.type === 'image' && part.source.type === 'base64')) return part
  return { type: 'file', source: part.source }
}

/** A final call always has an output. The output of a failed call is an error, even if the call was cut: ACP has one status for both. */
function carriedCall(
  {
    toolUseId,
    toolName,
    input,
    status,
  }: Pick<BlockOf<'tool_use'>, 'toolUseId' | 'toolName' | 'input' | 'status'>,
  result: BlockOf<'tool_result'> | undefined,
): Carried {
  const call = { type: 'tool_use', toolUseId, toolName, input, status }
  if (!result && status === 'pending') return call
  return { ...call, output: result?.output ?? '', isError: status === 'error' || result?.isError === true }
}

/** Returns the state without the blocks in main of agents that had no block before they were sent. */
export function withoutNewAgentBlocks<State extends SessionConversationState>(
  back: State,
  sent: State,
): State {
  const known = new Set([sent, ...sent.subagents].flatMap(({ blocks }) => blocks.map(({ id }) => id)))
  const isKnown = (block: ConversationBlock) => block.type !== 'subagent' || known.has(block.id)
  return { ...back, blocks: back.blocks.filter(isKnown) }
}

/**
 * Returns the facts of an agent that child sessions carry. An agent whose parent is not known is main's. If an agent failed without words, a
 * reader takes its last text for them.
 */
export function carriedAgent(agent: SubagentState, sent: SubagentState = agent): Carried {
  const { toolUseId, agentId, name, description, prompt, status, parentConversationId = MAIN } = agent
  const output = sent.status === 'error' ? sent.output : agent.output
  return { toolUseId, agentId, name, description, prompt, status, output, parentConversationId }
}

/** Returns the conversation without the messages that the program wrote in the person's place. Only a summary is sent. */
export function withSentMessages<Thread extends ConversationThread>(thread: Thread): Thread {
  const isSent = (block: ConversationBlock) =>
    block.type !== 'user_message' || block.origin === undefined || block.origin === 'summary'
  return { ...thread, blocks: thread.blocks.filter(isSent) }
}

/** The protocol has no status for a cancelled entry, and entries have no ids. */
export function carriedTodos(todos: ConversationThread['todos']): ConversationThread['todos'] {
  return todos?.map(({ text, status }) => ({ text, status: status === 'cancelled' ? 'completed' : status }))
}
