/** Tasks, each of which returns the further tasks that it makes possible. */
export type WorkQueue = readonly (() => WorkQueue)[]

/**
 * Runs a task, then its further tasks before any later ones. It uses a list instead of recursion: in an input thousands of
 * buffered messages may each wait for the one before.
 */
export function drain(task: () => WorkQueue): void {
  const stack = [task]
  for (let next = stack.pop(); next; next = stack.pop())
    for (const further of next().toReversed()) stack.push(further)
}
