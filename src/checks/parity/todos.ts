import { isEqual } from '../../core/json/equal.ts'
import { toolCalls } from '../../core/selectors/find.ts'
import { isRewindMark } from '../../core/state/rewind.ts'
import { type ConversationThread, MAIN, type SubagentState } from '../../core/state/session.ts'
import { type Comparison, compareFields, type Pair } from './comparison.ts'

/**
 * The agents of a session may share one plan. So a stream lacks the changes of an agent that it does not forward. A stream reports a new plan
 * while the call that makes it still runs, and files have it with the call's result. A program keeps its plan when it removes messages, but
 * then its files lack the calls that made the plan.
 */
export function compareTodos(
  { live, stored }: Pair<ConversationThread>,
  subagents: readonly Partial<Pair<SubagentState>>[],
  { comparison, isShort, isOwn }: TodosContext,
): void {
  if (isEqual(live.todos, stored.todos)) return
  if (isOwn) return comparison.exclude('unknown-fact', live.todos ? 'live' : 'stored')
  // A short form states only which todos are completed.
  if (isShort && isEqual(completedIn(live), completedIn(stored)))
    return comparison.exclude('unknown-fact', 'stored')
  if (subagents.some((pair) => !pair.live?.blocks.length && pair.stored?.blocks.length))
    comparison.exclude('unknown-fact', 'stored')
  else if (toolCalls(live).some(({ result }) => !result)) comparison.exclude('unfinished', 'live')
  else if (live.blocks.some(isRewindMark)) comparison.exclude('unknown-fact', 'live')
  else
    compareFields(
      { kind: 'session', conversationId: MAIN },
      { live: { todos: live.todos }, stored: { todos: stored.todos } },
      { optional: [] },
      comparison,
    )
}

interface TodosContext {
  readonly comparison: Comparison
  readonly isShort: boolean
  /** Each side words the plan in its own way. */
  readonly isOwn: boolean
}

function completedIn({ todos = [] }: ConversationThread): unknown {
  return todos.map(({ text, status }) => [text, status === 'completed'])
}
