import { type ConversationBlock, isModelText } from '../../core/state/block.ts'
import {
  type Coverage,
  type ExclusionRule,
  PROMPTS,
  SUBAGENT_CONVERSATIONS,
  SUBAGENT_PROMPTS,
  SYSTEM_NOTES,
  sharedIds,
} from '../coverage.ts'
import { isAtLeast } from './program.ts'
import { isKilledCallText, textsIn } from './texts.ts'

const EXCLUSIONS: readonly ExclusionRule[] = [
  {
    kind: 'interrupted-text',
    side: 'live',
    applies: ({ block, isCut }) => isCut && (isModelText(block) || isHalfCall(block)),
  },
  { kind: 'unfinished', side: 'stored', applies: ({ block }) => isResultOfKill(block) },
  PROMPTS,
  { kind: 'program-note', side: 'both', applies: ({ block }) => isProgramNote(block) },
  // Only files have the text of a skill.
  { kind: 'program-note', side: 'stored', applies: ({ block }) => block.type === 'skill_load' },
  SYSTEM_NOTES,
  { kind: 'request', side: 'live', applies: ({ block, version }) => isUnstoredRequest(block, version) },
  {
    kind: 'turn-failure',
    side: 'live',
    applies: ({ block }) => block.type === 'error' && block.code?.startsWith('error_') === true,
  },
  SUBAGENT_CONVERSATIONS,
  // Versions 1.x write a subagent's lines only when it has finished.
  {
    kind: 'killed-subagent',
    side: 'live',
    applies: ({ isMain, other, version }) => !isMain && !other.hasBlocks && version.startsWith('1.'),
  },
  SUBAGENT_PROMPTS,
  {
    kind: 'fork-context',
    side: 'stored',
    applies: ({ block, parentIds }) => sharedIds(block).some((id) => parentIds.has(id)),
  },
  {
    kind: 'subagent-text',
    side: 'stored',
    applies: ({ block, isMain, isUnforwarded }) =>
      !isMain && isUnforwarded && (isModelText(block) || block.type === 'error'),
  },
]

/** The facts that the stream and the files of Claude Code carry. */
export const claudeCoverage: Coverage = {
  exclusions: EXCLUSIONS,
  callsArriveAsTheyFinish: () => false,
  timesEveryCall: false,
}

/** Whether the input of the call is not whole. */
function isHalfCall(block: ConversationBlock): boolean {
  return block.type === 'tool_use' && block.inputText !== undefined
}

function isResultOfKill(block: ConversationBlock): boolean {
  return block.type === 'tool_result' && textsIn(block.output).some(isKilledCallText)
}

function isProgramNote(block: ConversationBlock): boolean {
  return block.type === 'user_message' && block.origin !== undefined && block.origin !== 'summary'
}

/** Files have a request only if the line of the call's result states the decision. A stop refuses a call without a decision. */
function isUnstoredRequest(block: ConversationBlock, version: string): boolean {
  if (block.type !== 'request') return false
  const isWithoutDecision =
    block.answer === undefined || (block.denied === true && block.comment === undefined)
  // The files of 2.1.237 have no decisions about calls, and those of 2.1.318 have them.
  return isWithoutDecision || !isAtLeast(version, [2, 1, 318])
}
