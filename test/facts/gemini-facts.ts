import type { ProgramFacts } from './check-facts.ts'

/** The facts of Gemini CLI. */
export const geminiFacts: ProgramFacts = {
  // The Gemini API counts cached tokens in the input, and thoughts beside the output.
  inputIncludesCached: true,
  outputExcludesReasoning: true,
  statesPartOfBranch: true,
}
