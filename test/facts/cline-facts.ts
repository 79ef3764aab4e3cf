import type { ProgramFacts } from './check-facts.ts'

/** The facts of Cline CLI. */
export const clineFacts: ProgramFacts = {
  // The last piece of a stopped text ends with a space, which the script has trimmed.
  cutsAfterSpaces: true,
  // A request that was withdrawn fails the call, and the turn goes on.
  countsWholeReplies: true,
}
