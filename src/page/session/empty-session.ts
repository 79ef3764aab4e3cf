import type { SessionConversationState } from 'agentfold'

export function isEmptySession({ blocks, subagents }: SessionConversationState): boolean {
  return blocks.length === 0 && subagents.length === 0
}
