import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { Todo } from '../../../core/state/todo.ts'
import { readTodos } from '../../kit/todos.ts'
import type { AcpContext } from '../context.ts'

/** Reports a plan. Each update has the whole plan. */
export function reportPlan(conversationId: string, { entries }: JsonObject, context: AcpContext): void {
  // The calls of such a program show its plan, and the plan that it sends is empty.
  if (context.reader.todosAfter) return
  context.emit({ type: 'todos:updated', conversationId, todos: readTodos(entries) })
}

/** Reports a plan of the unstable protocol: entries, a text in Markdown, or a file with the plan. */
export function reportPlanUpdate(conversationId: string, update: JsonObject, context: AcpContext): void {
  const plan = asObject(update.plan)
  if (plan.type === 'items') return reportPlan(conversationId, plan, context)
  const text = asString(plan.markdown) ?? asString(plan.content) ?? asString(plan.text)
  if (text !== undefined) return reportTasks(conversationId, text, context)
  if (plan.type !== 'file') context.reportUnknown('unknown-block', 'plan_update')
}

/** Reads the tasks of a Markdown text: `- [x] …`. Without tasks, the lines of lists are the entries. */
function reportTasks(conversationId: string, text: string, context: AcpContext): void {
  const lines = [...text.matchAll(/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[([ xX~-])\][ \t]+)?(.+)$/gm)]
  const todos = lines.map(
    ([, mark = ' ', entry = '']): Todo => ({ text: entry.trim(), status: statusOf(mark) }),
  )
  context.emit({ type: 'todos:updated', conversationId, todos })
}

function statusOf(mark: string): Todo['status'] {
  if (mark === ' ') return 'pending'
  return mark === 'x' || mark === 'X' ? 'completed' : 'in_progress'
}
