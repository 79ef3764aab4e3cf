import { asObject, asString } from '../../../core/json/values.ts'
import type { BlockOf } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { Todo } from '../../../core/state/todo.ts'
import type { AnsweredCall } from '../../../programs/reader.ts'
import type { ClaudeContext } from '../context.ts'
import { isTaskTool, type Task, tasksAfter } from './task-list.ts'
import { todoStatus } from './todo-status.ts'

interface AnsweredBlock extends AnsweredCall {
  readonly call: BlockOf<'tool_use'>
}

const NO_TASKS: readonly Task[] = []

/** Updates the plan that a successful call has changed. */
export function updateTodos(answered: AnsweredBlock, context: ClaudeContext): void {
  const { call } = answered
  if (call.toolName === 'TodoWrite') return replaceTodos(answered, context)
  if (!isTaskTool(call.toolName)) return
  const { tasks: before = NO_TASKS } = context.notes
  const tasks = tasksAfter(before, answered)
  if (tasks === before) return
  context.remember({ tasks })
  // The program keeps one list for the session, in a folder with the session's id. Its agents share the list and its numbers.
  const todos = tasks.map(({ text, status }) => ({ text, status }))
  context.emit({ type: 'todos:updated', conversationId: MAIN, todos })
}

/** Each agent has a list of its own. The result repeats the call's list, but not in the lines of most subagents. */
function replaceTodos({ call, record }: AnsweredBlock, context: ClaudeContext): void {
  const todos = readTodos(record.newTodos) ?? readTodos(asObject(call.input).todos)
  if (todos) context.emit({ type: 'todos:updated', conversationId: call.conversationId, todos })
}

/** Returns the well-formed entries of a list, or undefined if the value is no list of todos. */
function readTodos(list: unknown): readonly Todo[] | undefined {
  if (!Array.isArray(list)) return undefined
  const todos = list.flatMap((entry) => readTodo(entry) ?? [])
  return todos.length === 0 && list.length > 0 ? undefined : todos
}

function readTodo(entry: unknown): Todo | undefined {
  const { content, status: stated } = asObject(entry)
  const text = asString(content)
  const status = todoStatus(stated)
  return text === undefined || status === undefined ? undefined : { text, status }
}
