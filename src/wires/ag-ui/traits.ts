import { SUBAGENT_CONVERSATIONS } from '../../programs/coverage.ts'
import type { FormatTraits } from '../format.ts'

/** The facts about AG-UI. A server may send any part of a session, in texts of its own, so two streams have to agree in all they both have. */
export const agUiTraits: FormatTraits = {
  coverage: {
    exclusions: [SUBAGENT_CONVERSATIONS],
    callsArriveAsTheyFinish: () => true,
    timesEveryCall: false,
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: false },
}
