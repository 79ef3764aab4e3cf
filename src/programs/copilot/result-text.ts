/** Returns the exit code in the words for the model. Versions before 1.0.102 state it there alone. */
export function exitCodeIn(text: string): number | undefined {
  const code = /<(?:exited|shellId: \S+ completed) with exit code (-?\d+)>\s*$/.exec(text)?.[1]
  return code === undefined ? undefined : Number(code)
}

/** Returns the id of an agent that works in the background from the answer to its call; undefined for a report. */
export function launchedAgent(text: string): string | undefined {
  return /\bagent_id: ([\w-]+)/.exec(text)?.[1]
}
