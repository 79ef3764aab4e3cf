import { asObject } from '../../src/core/json/values.ts'
import type { ProgramFacts } from './check-facts.ts'

/** The facts of Qwen Code. */
export const qwenFacts: ProgramFacts = {
  // A hidden tool is called through another one.
  isSameCall: ({ name, input }, { toolName }) => name === 'tool_call' && asObject(input).name === toolName,
  // A background agent's call has a launch as its result.
  isLaunch: (result) => /launched/.test(result.contains),
  countsWholeReplies: true,
}
