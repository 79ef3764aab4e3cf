import type { Lineage } from '../../../src/core/selectors/tree.ts'
import type { MessageUsage } from '../../../src/core/state/session.ts'
import {
  type AgentNode,
  createInitialConversationState,
  type SessionConversationState,
  type SubagentState,
} from '../../../src/entries/index.ts'

export function stateOf(
  subagents: readonly SubagentState[],
  main: Partial<SessionConversationState> = {},
): SessionConversationState {
  return { ...createInitialConversationState(), ...main, subagents }
}

export function agent(
  toolUseId: string,
  parent?: string,
  fields: Partial<SubagentState> = {},
): SubagentState {
  const thread = { toolUseId, blocks: [], usage: [], status: 'running', ...fields } as const
  return parent === undefined ? thread : { ...thread, parentConversationId: parent }
}

export function spent(messageId: string, outputTokens: number, final = true): MessageUsage {
  return { messageId, outputTokens, final }
}

/** The tree as nested lists of ids. */
export type Outline = readonly [string, ...Outline[]]

export function outline({ conversationId: id, children }: AgentNode): Outline {
  return [id, ...children.map(outline)]
}

/** The ids of all agents in the tree. */
export function idsIn({ conversationId: id, children }: AgentNode): readonly string[] {
  return [id, ...children.flatMap(idsIn)]
}

/** The lineage of all agents in the tree, by id. */
export function lineages({
  conversationId: id,
  lineage,
  children,
}: AgentNode): Readonly<Record<string, Lineage>> {
  return Object.assign({ [id]: lineage }, ...children.map(lineages))
}
