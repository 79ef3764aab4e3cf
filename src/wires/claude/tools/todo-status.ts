import { isTodoStatus, type TodoStatus } from '../../../core/state/todo.ts'

/** The names of statuses in the first versions of the task tools. */
const EARLY_NAMES: ReadonlyMap<unknown, TodoStatus> = /* @__PURE__ */ new Map([
  ['open', 'pending'],
  ['resolved', 'completed'],
])

/** Returns the status with the program's name, or undefined for an unknown name. */
export function todoStatus(name: unknown): TodoStatus | undefined {
  return isTodoStatus(name) ? name : EARLY_NAMES.get(name)
}
