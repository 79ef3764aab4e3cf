import { type ConversationBlock, partialInput, type SessionConversationState } from 'agentfold'
import { subagentBlockId } from 'agentfold/source-kit'
import { errorText } from '../../core/selectors/failure.ts'

export interface Match {
  readonly conversationId: string
  readonly blockId: string
}

/** Returns the blocks with the text, in the order of the page. Upper and lower case are the same. */
export function searchBlocks(state: SessionConversationState, query: string): readonly Match[] {
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return []
  const matches: Match[] = []
  for (const block of blocksInOrder(state))
    if (blockText(block).toLowerCase().includes(wanted))
      matches.push({ conversationId: block.conversationId, blockId: block.id })
  return matches
}

/** Returns all blocks in the order of the page: those of an agent come after its own block. */
export function blocksInOrder(state: SessionConversationState): readonly ConversationBlock[] {
  const threads = new Map(state.subagents.map(({ toolUseId, blocks }) => [toolUseId, blocks]))
  const ordered: ConversationBlock[] = []
  const seen = new Set<string>()
  const add = (conversationId: string, blocks: readonly ConversationBlock[]): void => {
    if (seen.has(conversationId)) return
    seen.add(conversationId)
    for (const block of blocks) {
      ordered.push(block)
      if (block.type === 'subagent' && block.id === subagentBlockId(block.toolUseId))
        add(block.toolUseId, threads.get(block.toolUseId) ?? [])
    }
  }
  add('main', state.blocks)
  for (const [conversationId, blocks] of threads) add(conversationId, blocks)
  return ordered
}

/** Returns the texts of a block. */
export function blockText(block: ConversationBlock): string {
  switch (block.type) {
    case 'user_message':
      return plain(block.content)
    case 'assistant_text':
    case 'thinking':
      return block.content
    case 'skill_load':
      return `${block.skillName}\n${block.content}`
    case 'system':
      return block.message
    case 'error':
      return errorText(block.message)
    case 'tool_use':
      return `${block.toolName}\n${plain(partialInput(block))}`
    case 'tool_result':
      return plain(block.output)
    case 'request':
      return `${block.title}\n${plain(block.questions)}`
    case 'subagent':
      return [block.description, block.name, block.output].join('\n')
  }
}

/** Returns the texts in a value. Bytes of images are in it too, and rarely match. */
function plain(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return String(value ?? '')
  return Object.values(value).map(plain).join('\n')
}
