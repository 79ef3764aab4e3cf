import type { FieldsOf } from '../json/shape.ts'
import { isString } from '../json/values.ts'

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
  'id?': 'string',
  text: 'string',
  status: { oneOf: STATUSES },
}
