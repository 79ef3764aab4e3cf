import { asObject, asString, isObject } from '../../core/json/values.ts'
import { isTodoStatus, type Todo, type TodoStatus } from '../../core/state/todo.ts'
import { textOf } from '../../programs/claude-code/texts.ts'
import type { AnsweredCall } from '../../programs/reader.ts'

/** An entry of the session's task list. The model names it by its id. */
export interface Task extends Todo {
  readonly id: string
}

type Tasks = readonly Task[]

const TASK_TOOLS: ReadonlySet<string> = /* @__PURE__ */ new Set(['TaskCreate', 'TaskUpdate', 'TaskList'])

/** Whether the tool reads or changes the session's task list. */
export function isTaskTool(toolName: string): boolean {
  return TASK_TOOLS.has(toolName)
}

/**
 * Returns the task list after a successful call: the same list if nothing has changed. The result's record has the
 * facts. Lines without a record, and states, have only the text for the model.
 */
export function tasksAfter(tasks: Tasks, answered: AnsweredCall): Tasks {
  switch (answered.call.toolName) {
    case 'TaskCreate':
      return withCreated(tasks, answered)
    case 'TaskUpdate':
      return withUpdated(tasks, answered)
    case 'TaskList':
      return listed(tasks, answered)
    default:
      return tasks
  }
}

/** Only the result has the id. A text begins with `Task #1 created`. */
function withCreated(tasks: Tasks, answered: AnsweredCall): Tasks {
  const { call, record } = answered
  const task = asObject(record.task)
  const id = asString(task.id) ?? /^\S+ #([^\s:]+)/.exec(textOf(answered))?.[1]
  const subject = asString(task.subject) ?? asString(asObject(call.input).subject)
  if (id === undefined || subject === undefined) return tasks
  return [...tasks.filter((each) => each.id !== id), { id, text: subject, status: 'pending' }]
}

function withUpdated(tasks: Tasks, answered: AnsweredCall): Tasks {
  const { call, record } = answered
  const input = asObject(call.input)
  const at = tasks.findIndex(({ id }) => id === input.taskId)
  const task = tasks[at]
  if (!task || record.success === false || /^Task(?: #\S+)? not found/.test(textOf(answered))) return tasks
  const stated = asObject(record.statusChange).to
  if (stated === 'deleted' || (stated === undefined && input.status === 'deleted'))
    return tasks.filter((each) => each !== task)
  const status = todoStatus(stated) ?? todoStatus(input.status) ?? task.status
  const subject = asString(input.subject) ?? task.text
  if (status === task.status && subject === task.text) return tasks
  return tasks.with(at, { id: task.id, text: subject, status })
}

/** The result shows the whole list. */
function listed(tasks: Tasks, answered: AnsweredCall): Tasks {
  const shown = recordedTasks(answered.record.tasks) ?? writtenTasks(textOf(answered), tasks)
  return shown && !isSameList(shown, tasks) ? shown : tasks
}

function recordedTasks(list: unknown): Tasks | undefined {
  if (!Array.isArray(list)) return undefined
  return list.filter(isObject).flatMap((task) => {
    const [id, text, status] = [asString(task.id), asString(task.subject), todoStatus(task.status)]
    return id === undefined || text === undefined || status === undefined ? [] : [{ id, text, status }]
  })
}

/** Reads lines such as `#1 [pending] Look around (owner) [blocked by #2]`. */
function writtenTasks(text: string, known: Tasks): Tasks | undefined {
  if (text === 'No tasks found') return []
  const texts = new Map(known.map((task) => [task.id, task.text]))
  const tasks = text.split('\n').flatMap((line) => {
    const [, id, name, rest] = /^#(\S+) \[(\w+)\] (.*)$/.exec(line) ?? []
    const status = todoStatus(name)
    if (id === undefined || rest === undefined || status === undefined) return []
    const subject = texts.get(id)
    const isKnown = subject !== undefined && rest.startsWith(subject)
    return [{ id, text: isKnown ? subject : rest.replace(/ \[blocked by [^[\]]*\]$/, ''), status }]
  })
  return tasks.length === 0 ? undefined : tasks
}

function isSameList(left: Tasks, right: Tasks): boolean {
  return (
    left.length === right.length &&
    left.every(({ id, text, status }, at) => {
      const other = right[at]
      return other?.id === id && other.text === text && other.status === status
    })
  )
}

/** The names of statuses in the first versions of the task tools. */
const EARLY_NAMES: ReadonlyMap<unknown, TodoStatus> = /* @__PURE__ */ new Map([
  ['open', 'pending'],
  ['resolved', 'completed'],
])

/** Returns the status with the program's name, or undefined for an unknown name. */
export function todoStatus(name: unknown): TodoStatus | undefined {
  return isTodoStatus(name) ? name : EARLY_NAMES.get(name)
}
