import { AGENT_SWARM } from '../../src/programs/kimi/program.ts'
import type { ProgramFacts } from './check-facts.ts'

/** The facts of Kimi Code, as its blocks show them. */
export const kimiFacts: ProgramFacts = {
  hasOwnBlock: ({ name }) => name === AGENT_SWARM,
  // The last piece of a stopped text may end with a space, which the script has trimmed.
  cutsAfterSpaces: true,
  // `kimi acp` and `stream-json` send nothing of an agent but its call.
  hidesBackgroundEnds: true,
  // `stream-json` does not state the folder.
  hasRelativePaths: true,
  isLaunch: ({ contains }, { agentId }) => agentId !== undefined && contains.includes(agentId),
}
