import { contextSize, lastWithInput } from '../selectors/cost.ts'
import { fileChanges } from '../selectors/file-changes.ts'
import { pendingRequests } from '../selectors/requests.ts'
import { sumChanges } from '../state/file-change.ts'
import {
  type ConversationThread,
  MAIN,
  type MessageUsage,
  type SessionConversationState,
} from '../state/session.ts'
import type { Todo } from '../state/todo.ts'
import { pluralize, truncate } from './terminal/text.ts'

/** Facts of an agent that its node in the tree does not have, as text. */
export interface AgentFacts {
  /** Such as `context 31,204`. `~` marks a provisional figure. Undefined if it is not known. */
  readonly context: string | undefined
  /** The titles of its open requests. */
  readonly requests: readonly string[]
  /** Further lines, such as `todos 2/5: Report`, and for main `changed: 4 files, +120 −8`. */
  readonly notes: readonly string[]
}

/** Returns a function that finds an agent's facts by the id of its conversation. It reads the state once, because there may be many agents. */
export function agentFacts(state: SessionConversationState): (conversationId: string) => AgentFacts {
  const threads = new Map<string, ConversationThread>([[MAIN, state]])
  for (const subagent of state.subagents) threads.set(subagent.toolUseId, subagent)
  const titles = new Map<string, string[]>()
  for (const { conversationId, block } of pendingRequests(state))
    titles.set(conversationId, [...(titles.get(conversationId) ?? []), truncate(block.title)])
  return (conversationId) => {
    const { usage = [], todos = [] } = threads.get(conversationId) ?? {}
    const requests = titles.get(conversationId) ?? []
    const notes = [conversationId === MAIN ? filesText(state) : undefined, todosText(todos)]
    return { context: contextText(usage), requests, notes: notes.filter((note) => note !== undefined) }
  }
}

function contextText(usage: readonly MessageUsage[]): string | undefined {
  const last = lastWithInput(usage)
  return last && `context ${last.final ? '' : '~'}${contextSize(last).toLocaleString('en-US')}`
}

/** Counts the completed todos, without the cancelled ones, and names the one in progress. */
function todosText(todos: readonly Todo[]): string | undefined {
  const counted = todos.filter(({ status }) => status !== 'cancelled')
  if (counted.length === 0) return undefined
  const completed = counted.filter(({ status }) => status === 'completed').length
  const current = counted.find(({ status }) => status === 'in_progress')
  return `todos ${completed}/${counted.length}${current ? `: ${truncate(current.text)}` : ''}`
}

/** Returns the number of changed files of all agents with the sums of their lines. Undefined if no file changed. */
function filesText(state: SessionConversationState): string | undefined {
  const changes = fileChanges(state)
  if (changes.length === 0) return undefined
  const files = new Set(changes.map(({ path }) => path)).size
  const { added, removed } = sumChanges(changes)
  return `changed: ${pluralize(files, 'file')}, +${added} −${removed}`
}
