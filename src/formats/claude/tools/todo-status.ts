import type { TodoStatus } from '../../../state/todo.ts'

/** The first versions of the task tools had the last two names. */
const STATUSES: ReadonlyMap<unknown, TodoStatus> = /* @__PURE__ */ new Map([
  ['pending', 'pending'],
  ['in_progress', 'in_progress'],
  ['completed', 'completed'],
  ['cancelled', 'cancelled'],
  ['open', 'pending'],
  ['resolved', 'completed'],
])

/** Returns the status with the program's name, or undefined for an unknown name. */
export function todoStatus(name: unknown): TodoStatus | undefined {
  return STATUSES.get(name)
}
