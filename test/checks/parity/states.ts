import type { MessageUsage, SessionFacts } from '../../../src/core/state/session.ts'
import {
  type BlockOf,
  type ConversationBlock,
  createInitialConversationState,
  type SessionConversationState,
  type SubagentState,
} from '../../../src/entries/index.ts'
import { compareSessions, type SessionComparison } from '../../../src/entries/parity.ts'

const at = { conversationId: 'main', status: 'complete' as const }

/** A text of the model in a separate message. */
export const modelText = (id: string, content: string = id): BlockOf<'assistant_text'> => ({
  type: 'assistant_text',
  id,
  ...at,
  content,
  messageId: `${id}-message`,
})
/** A text that both sides have. */
export const both: BlockOf<'assistant_text'> = modelText('both')
export const thinking = (id: string): BlockOf<'thinking'> => ({ type: 'thinking', id, ...at, content: id })
export const userMessage = (
  id: string,
  origin?: Required<BlockOf<'user_message'>>['origin'],
): BlockOf<'user_message'> => ({ type: 'user_message', id, ...at, content: id, ...(origin && { origin }) })
export const toolUse = (toolUseId: string, id: string = `${toolUseId}:0`): BlockOf<'tool_use'> => ({
  type: 'tool_use',
  id,
  ...at,
  toolName: 'Bash',
  toolUseId,
  input: { command: 'ls' },
  messageId: `${toolUseId}-message`,
})
export const toolResult = (toolUseId: string, output = 'out'): BlockOf<'tool_result'> => ({
  type: 'tool_result',
  id: `${toolUseId}:result`,
  ...at,
  toolUseId,
  output,
  isError: false,
})
export const systemNote = (subtype: string, id: string = subtype): BlockOf<'system'> => ({
  type: 'system',
  id,
  ...at,
  subtype,
  message: subtype,
})
export const errorBlock = (id: string, code?: string): BlockOf<'error'> => ({
  type: 'error',
  id,
  conversationId: 'main',
  status: 'error',
  message: 'It failed.',
  ...(code !== undefined && { code }),
})
export const skillLoad: BlockOf<'skill_load'> = {
  type: 'skill_load',
  id: 'skill',
  ...at,
  skillName: 'tea',
  content: 'Make tea.',
}
export const pending = <Block extends Exclude<ConversationBlock, { type: 'subagent' }>>(
  block: Block,
): Block => ({ ...block, status: 'pending' })

/** The block of a subagent in the conversation that called it. */
export const subagentBlock = (
  toolUseId: string,
  facts: Partial<BlockOf<'subagent'>> = {},
): BlockOf<'subagent'> => ({
  type: 'subagent',
  id: `subagent:${toolUseId}`,
  ...at,
  status: 'success',
  toolUseId,
  input: 'Do it.',
  ...facts,
})

export const subagent = (
  toolUseId: string,
  blocks: readonly ConversationBlock[] = [],
  facts: Partial<SubagentState> = {},
): SubagentState => ({
  toolUseId,
  parentConversationId: 'main',
  status: 'success',
  usage: [],
  ...facts,
  blocks: blocks.map((block) => ({ ...block, conversationId: toolUseId })),
})

export const tokens = (messageId: string, facts: Partial<MessageUsage> = {}): MessageUsage => ({
  messageId,
  final: true,
  outputTokens: 10,
  ...facts,
})

/** The content of one side. A list of blocks is main's. */
export type SideContent = readonly ConversationBlock[] | Partial<SessionConversationState>

const isBlocks = (content: SideContent): content is readonly ConversationBlock[] => Array.isArray(content)

function stateOf(content: SideContent, facts: SessionFacts): SessionConversationState {
  const parts = isBlocks(content) ? { blocks: content } : content
  return { ...createInitialConversationState(), ...parts, session: { ...facts, ...parts.session } }
}

/** The programs of the compared sessions. The sessions of `unknown` name no program. */
export type Program = 'claude-code' | 'opencode' | 'claude-code 1.0.128' | 'unknown'

const FACTS: Readonly<Record<Program, SessionFacts>> = {
  'claude-code': { program: 'claude-code', version: '2.1.330' },
  'claude-code 1.0.128': { program: 'claude-code', version: '1.0.128' },
  opencode: { program: 'opencode', version: '1.18.33' },
  unknown: {},
}

/** Compares two states of one session of a program. */
export function comparison(
  { live = [], stored = [] }: { readonly live?: SideContent; readonly stored?: SideContent },
  program: Program = 'claude-code',
): SessionComparison {
  return compareSessions(stateOf(live, FACTS[program]), stateOf(stored, FACTS[program]))
}
