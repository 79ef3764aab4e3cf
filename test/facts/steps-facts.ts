import { asArray, asObject } from '../../src/core/json/values.ts'
import type { ProgramFacts } from './check-facts.ts'

/** The facts of the programs whose files hold whole messages. */
export const stepsFacts: ProgramFacts = {
  // A call that starts several agents is one call.
  hasOwnBlock({ input }) {
    const { Subagents, tasks } = asObject(input)
    return asArray(Subagents ?? tasks).length > 1
  },
  hasRelativePaths: true,
  isLaunch: ({ contains }) => contains === 'conversationId' || contains.startsWith('Task launched'),
}
