import { type ConversationBlock, isPrompt } from '../../state/block.ts'
import {
  type ExclusionRule,
  isModelText,
  PROMPTS,
  SUBAGENT_CONVERSATIONS,
  SYSTEM_NOTES,
  sharedIds,
} from '../coverage.ts'
import type { FormatTraits } from '../format.ts'

const EXCLUSIONS: readonly ExclusionRule[] = [
  { kind: 'interrupted-text', side: 'live', applies: ({ block, isCut }) => isCut && isModelText(block) },
  PROMPTS,
  { kind: 'program-note', side: 'both', applies: ({ block }) => isProgramNote(block) },
  // Only files have the text of a skill.
  { kind: 'program-note', side: 'stored', applies: ({ block }) => block.type === 'skill_load' },
  SYSTEM_NOTES,
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
  { kind: 'subagent-prompt', side: 'stored', applies: ({ block, isMain }) => !isMain && isPrompt(block) },
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

/** The facts about Claude Code and the Claude Agent SDK. */
export const claudeTraits: FormatTraits = {
  coverage: {
    exclusions: EXCLUSIONS,
    callsArriveAsTheyFinish: () => false,
    timesEveryCall: false,
  },
  firstMessages: { startProvedBy: 'call', canBeEmpty: true, textNeedsUsage: false, isEndedByNext: true },
}

function isProgramNote(block: ConversationBlock): boolean {
  return block.type === 'user_message' && block.origin !== undefined && block.origin !== 'summary'
}
