/** Work to be done, and what it leads to. */
export type WorkQueue = readonly (() => WorkQueue)[]

/**
 * Does the work, and what it leads to before what comes after it. In a list and not by calls in calls: what waits in an input can
 * have the next wait for it, thousands deep.
 */
export function drain(task: () => WorkQueue): void {
  const waiting = [task]
  for (let next = waiting.pop(); next; next = waiting.pop())
    for (const following of next().toReversed()) waiting.push(following)
}
