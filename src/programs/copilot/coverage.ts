import { isModelText } from '../../state/block.ts'
import { type Coverage, type ExclusionRule, SYSTEM_NOTES } from '../coverage.ts'

const EXCLUSIONS: readonly ExclusionRule[] = [
  SYSTEM_NOTES,
  // A text is stored when it is complete.
  {
    kind: 'interrupted-text',
    side: 'live',
    applies: ({ block, isStopped }) => isStopped && isModelText(block),
  },
  // The output of a command that was stopped is in no file. Only a result has a time.
  {
    kind: 'unfinished',
    side: 'live',
    applies: ({ block }) => block.type === 'tool_result' && block.timestamp === undefined,
  },
  // `copilot -p` prints neither compactions nor skills.
  {
    kind: 'program-note',
    side: 'stored',
    applies: ({ block }) =>
      block.type === 'skill_load' ||
      (block.type === 'system' && block.subtype === 'compaction') ||
      (block.type === 'user_message' && block.origin !== undefined),
  },
  // The file has the result of the call that asked.
  {
    kind: 'request',
    side: 'live',
    applies: ({ block }) => block.type === 'request' && block.kind === 'question',
  },
]

/** What the streams and the file of Copilot carry. */
export const copilotCoverage: Coverage = {
  exclusions: EXCLUSIONS,
  callsArriveAsTheyFinish: () => false,
  timesEveryCall: false,
  streamMayLackTokens: true,
}
