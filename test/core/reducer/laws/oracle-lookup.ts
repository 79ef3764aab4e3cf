import type { Draft } from 'immer'
import type { ReducerIssueCode } from '../../../../src/core/reducer/issue.ts'
import type { SubagentStatus } from '../../../../src/core/state/subagent.ts'
import type {
  ConversationBlock,
  ConversationThread,
  SessionConversationState,
  SubagentState,
} from '../../../../src/entries/index.ts'

export type State = Draft<SessionConversationState>
export type Subagent = Draft<SubagentState>
export type Thread = Draft<ConversationThread>
export type Block = Draft<ConversationBlock>
export type Code = ReducerIssueCode | undefined
export type Facts = Readonly<Record<string, unknown>>

// Rule 12: by toolUseId first, then by agentId.

export function find(state: State, id: string): Thread | undefined {
  return id === 'main' ? state : findSubagent(state, id)
}

export function findSubagent(state: State, id: string): Subagent | undefined {
  return byToolUseId(state, id) ?? state.subagents.find(({ agentId }) => agentId === id)
}

export function byToolUseId(state: State, id: string): Subagent | undefined {
  return state.subagents.find(({ toolUseId }) => toolUseId === id)
}

/** Returns the `toolUseId` of the id's subagent. For an unknown id it is the id itself. */
export function canonical(state: State, id: string): string {
  return id === 'main' ? id : (findSubagent(state, id)?.toolUseId ?? id)
}

/** Whether the conversation is the ancestor itself or nested in it. */
export function isUnder(state: State, id: string, ancestor: string): boolean {
  let at: string | undefined = canonical(state, id)
  while (at !== undefined && at !== ancestor) at = byToolUseId(state, at)?.parentConversationId
  return at === ancestor
}

// Rule 6.

export function findOrCreate(state: State, id: string): Thread {
  return find(state, id) ?? create(state, id, 'running')
}

export function create(state: State, toolUseId: string, status: SubagentStatus): Subagent {
  const subagent: Subagent = { toolUseId, blocks: [], usage: [], status }
  const length = state.subagents.push(subagent)
  return state.subagents[length - 1] ?? subagent
}

/** Returns the subagent if no spawn has named its parent and it has no other id. */
export function findPlaceholder(state: State, id: string | undefined): Subagent | undefined {
  return state.subagents.find(
    ({ toolUseId, agentId = toolUseId, parentConversationId }) =>
      toolUseId === id && parentConversationId === undefined && agentId === toolUseId,
  )
}

// Rules 7 and 10.

export function isFinal(status: SubagentStatus): status is 'success' | 'error' {
  return status === 'success' || status === 'error'
}

export function end(subagent: Subagent, status: 'success' | 'error'): void {
  subagent.status = status
  finalize(subagent, status === 'success' ? 'complete' : 'error')
}

export function finalize(thread: Thread | undefined, status: 'complete' | 'error'): void {
  for (const block of thread?.blocks ?? [])
    if (block.type !== 'subagent' && block.status === 'pending')
      block.status = block.type === 'request' ? 'complete' : status
}

// A fact that an event leaves out keeps its value.

export function fill(target: object, facts: Facts): void {
  for (const [key, value] of Object.entries(facts)) {
    const before: unknown = Reflect.get(target, key)
    if (before === undefined) overwrite(target, { [key]: value })
  }
}

export function overwrite(target: object, facts: Facts): void {
  for (const [key, value] of Object.entries(facts)) if (value !== undefined) Reflect.set(target, key, value)
}
