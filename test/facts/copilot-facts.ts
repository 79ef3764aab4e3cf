import type { ProgramFacts } from './check-facts.ts'

/** The facts of GitHub Copilot CLI, as its blocks show them. */
export const copilotFacts: ProgramFacts = {
  isLaunch: ({ contains }) => contains.startsWith('Agent started in background'),
  // The script states the reply with which the branch begins.
  statesPartOfBranch: true,
}
