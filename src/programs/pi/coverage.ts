import { isModelText } from '../../core/state/block.ts'
import {
  type Coverage,
  type ExclusionRule,
  PROGRAM_NOTES,
  SUBAGENT_CONVERSATIONS,
  SYSTEM_NOTES,
} from '../coverage.ts'

const EXCLUSIONS: readonly ExclusionRule[] = [
  // A reply is stored when it is whole.
  {
    kind: 'interrupted-text',
    side: 'live',
    applies: ({ block, isCut, isStopped }) =>
      (isCut || isStopped) &&
      (isModelText(block) || (block.type === 'tool_use' && block.inputText !== undefined)),
  },
  // No file has the output of a tool so far.
  {
    kind: 'unfinished',
    side: 'live',
    applies: ({ block, other }) => block.type === 'tool_result' && other.callIds.has(block.toolUseId),
  },
  // A stream does not show that the person moves in the tree.
  { kind: 'abandoned-branch', side: 'live', applies: ({ block, other }) => other.branchIds.has(block.id) },
  SYSTEM_NOTES,
  // Only the result of the call that has asked is stored.
  { kind: 'request', side: 'live', applies: ({ block }) => block.type === 'request' },
  // A stream has no summary of a branch.
  PROGRAM_NOTES,
  SUBAGENT_CONVERSATIONS,
]

/** The facts that the streams and the files of Pi carry. */
export const piCoverage: Coverage = {
  exclusions: EXCLUSIONS,
  callsArriveAsTheyFinish: () => false,
  timesEveryCall: false,
  ownFacts: ['cost'],
}
