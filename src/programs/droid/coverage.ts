import {
  type Coverage,
  type ExclusionRule,
  PROGRAM_NOTES,
  STOPPED_TEXTS,
  SUBAGENT_CONVERSATIONS,
  SYSTEM_NOTES,
} from '../coverage.ts'

const EXCLUSIONS: readonly ExclusionRule[] = [
  STOPPED_TEXTS,
  // The stream has no reminders and no notices of the program, and nothing of its agents.
  PROGRAM_NOTES,
  SYSTEM_NOTES,
  SUBAGENT_CONVERSATIONS,
]

/** The facts that the stream and the files of Factory Droid carry. */
export const droidCoverage: Coverage = {
  exclusions: EXCLUSIONS,
  callsArriveAsTheyFinish: () => false,
  timesEveryCall: false,
  // Both sides have a time of their own for each message. The stream names the model once.
  unknownFields: ({ live }) => (live.type === 'subagent' ? ['timestamp', 'agentId'] : ['timestamp', 'model']),
  // Only the end of the stream has tokens, and those of agents are among them.
  streamMayLackTokens: true,
  streamSumsAgents: true,
  agentFacts: ['agentId', 'durationMs'],
  ownFacts: ['model'],
}
