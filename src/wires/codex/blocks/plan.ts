import type { Todo } from '../../../state/todo.ts'
import type { CodexContext } from '../context.ts'

/** Reports the plan of a conversation. */
export function reportPlan(threadId: string, todos: readonly Todo[], context: CodexContext): void {
  context.emit({ type: 'todos:updated', conversationId: context.conversationOf(threadId), todos })
}
