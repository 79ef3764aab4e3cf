import { asObject } from '../../src/core/json/values.ts'
import type { ProgramFacts } from './check-facts.ts'

/** The facts of Pi and Oh My Pi, as their blocks show them. */
export const piFacts: ProgramFacts = {
  // Agents with a list of tasks stand below their call.
  hasOwnBlock: ({ input }) => asObject(input).tasks !== undefined || asObject(input).chain !== undefined,
  // The program expands a skill, a template or the name of a file in the prompt.
  isSamePrompt: (stated, shown) => shown.includes(stated.replace(/^prompt /, '')),
  isLaunch: ({ contains }) => contains.startsWith('Async:'),
}
