import {
  type Coverage,
  type ExclusionRule,
  PROGRAM_NOTES,
  PROMPTS,
  STOPPED_TEXTS,
  SUBAGENT_CONVERSATIONS,
  SUBAGENT_PROMPTS,
  SYSTEM_NOTES,
} from '../coverage.ts'

const EXCLUSIONS: readonly ExclusionRule[] = [
  STOPPED_TEXTS,
  PROMPTS,
  // The stream does not repeat the prompts of agents either, and has no notices of the program.
  SUBAGENT_PROMPTS,
  PROGRAM_NOTES,
  SYSTEM_NOTES,
  SUBAGENT_CONVERSATIONS,
]

/** The facts that the stream and the files of Cline CLI carry. */
export const clineCoverage: Coverage = {
  exclusions: EXCLUSIONS,
  callsArriveAsTheyFinish: () => false,
  timesEveryCall: false,
  // Files have the time of a whole message, and no durations.
  unknownFields: ({ live }) =>
    live.type === 'subagent' ? ['timestamp', 'agentId', 'durationMs'] : ['timestamp', 'durationMs'],
  agentFacts: ['agentId', 'durationMs'],
  // The stream has the id of no session. A turn that was stopped leaves no line in a file.
  ownFacts: ['model', 'outcome'],
}
