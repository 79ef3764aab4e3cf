import { isModelText } from '../../state/block.ts'
import {
  type Coverage,
  type ExclusionRule,
  PROMPTS,
  SUBAGENT_CONVERSATIONS,
  SYSTEM_NOTES,
} from '../coverage.ts'

const EXCLUSIONS: readonly ExclusionRule[] = [
  // The program does not store a reply that was stopped.
  {
    kind: 'interrupted-text',
    side: 'live',
    applies: ({ block, isStopped }) => isStopped && isModelText(block),
  },
  PROMPTS,
  // The stream does not repeat the prompts of agents either, and has no notices of the program.
  {
    kind: 'subagent-prompt',
    side: 'stored',
    applies: ({ block, isMain }) => !isMain && block.type === 'user_message' && block.origin === undefined,
  },
  {
    kind: 'program-note',
    side: 'stored',
    applies: ({ block }) => block.type === 'user_message' && block.origin !== undefined,
  },
  SYSTEM_NOTES,
  SUBAGENT_CONVERSATIONS,
]

/** What the stream and the files of Cline CLI carry. */
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
