import { type Coverage, type ExclusionRule, PROGRAM_NOTES, STOPPED_TEXTS, SYSTEM_NOTES } from '../coverage.ts'

const EXCLUSIONS: readonly ExclusionRule[] = [
  SYSTEM_NOTES,
  STOPPED_TEXTS,
  // The output of a command that was stopped is in no file. Only a result has a time.
  {
    kind: 'unfinished',
    side: 'live',
    applies: ({ block }) => block.type === 'tool_result' && block.timestamp === undefined,
  },
  PROGRAM_NOTES,
  // `copilot -p` prints neither compactions nor skills.
  {
    kind: 'program-note',
    side: 'stored',
    applies: ({ block }) =>
      block.type === 'skill_load' || (block.type === 'system' && block.subtype === 'compaction'),
  },
  // The file has the result of the call that asked.
  {
    kind: 'request',
    side: 'live',
    applies: ({ block }) => block.type === 'request' && block.kind === 'question',
  },
]

/** The facts that the streams and the file of Copilot carry. */
export const copilotCoverage: Coverage = {
  exclusions: EXCLUSIONS,
  callsArriveAsTheyFinish: () => false,
  timesEveryCall: false,
  streamMayLackTokens: true,
}
