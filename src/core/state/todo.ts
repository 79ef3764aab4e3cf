import type { FieldsOf } from '../json/shape.ts'
import { asArray, asObject, asString, isString } from '../json/values.ts'

/** The status of a todo. */
export type TodoStatus = 'pending' | 'in_progress' | 'completed' | 'cancelled'

/** One entry of an agent's plan. */
export interface Todo {
  /** The program's own id of the entry. */
  readonly id?: string
  readonly text: string
  readonly status: TodoStatus
}

const STATUSES: Readonly<Record<TodoStatus, true>> = {
  pending: true,
  in_progress: true,
  completed: true,
  cancelled: true,
}

/** Whether the value is the name of a status. */
export function isTodoStatus(value: unknown): value is TodoStatus {
  return isString(value) && Object.hasOwn(STATUSES, value)
}

/** The shape of a todo. */
export const TODO: FieldsOf<Todo> = {
  'id?': 'name',
  text: 'string',
  status: { oneOf: STATUSES },
}

/**
 * Reads the entries of a plan as several programs write them: `{ content, status }` or `{ title, status }`. An entry
 * without a text is none.
 */
export function readTodos(entries: unknown): readonly Todo[] {
  return asArray(entries).flatMap((entry) => {
    const { content, title, ...fields } = asObject(entry)
    const text = asString(content) ?? asString(title)
    const status = fields.status === 'done' ? 'completed' : fields.status
    return text === undefined ? [] : [{ text, status: isTodoStatus(status) ? status : 'pending' }]
  })
}
