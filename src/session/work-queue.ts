/** Tasks, each of which returns the further tasks that it makes possible. */
export type WorkQueue = readonly (() => WorkQueue)[]

/**
 * Runs tasks in order. The further tasks of each one come before any later ones. It uses a list instead of recursion: in an input thousands of
 * buffered messages may each wait for the one before.
 */
export function drain(tasks: WorkQueue): void {
  if (tasks.length === 0) return
  const stack = tasks.toReversed()
  for (let next = stack.pop(); next; next = stack.pop())
    for (const further of next().toReversed()) stack.push(further)
}
