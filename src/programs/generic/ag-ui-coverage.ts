import { type Coverage, SUBAGENT_CONVERSATIONS } from '../coverage.ts'

/** A server may send any part of a session, in texts of its own, so two streams have to agree in all they both have. */
export const agUiCoverage: Coverage = {
  exclusions: [SUBAGENT_CONVERSATIONS],
  callsArriveAsTheyFinish: () => true,
  timesEveryCall: false,
}
