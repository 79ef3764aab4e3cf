import type { ProgramFacts } from './check-facts.ts'

/** The facts of Qwen Code. */
export const qwenFacts: ProgramFacts = {
  // A background agent's call has a launch as its result.
  isLaunch: (result) => /launched/.test(result.contains),
  countsWholeReplies: true,
}
