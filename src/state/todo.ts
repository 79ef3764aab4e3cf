import type { FieldsOf } from '../json/shape.ts'

/** Where a todo stands. */
export type TodoStatus = 'pending' | 'in_progress' | 'completed' | 'cancelled'

/** One entry of an agent's plan. */
export interface Todo {
  readonly text: string
  readonly status: TodoStatus
}

/** The shape of a todo. */
export const TODO: FieldsOf<Todo> = {
  text: 'string',
  status: { oneOf: { pending: true, in_progress: true, completed: true, cancelled: true } },
}
