import { type ConversationBlock, isInterruption } from '../../core/state/block.ts'
import {
  type Coverage,
  type ExclusionRule,
  PROMPTS,
  SUBAGENT_CONVERSATIONS,
  SYSTEM_NOTES,
} from '../coverage.ts'
import { messageIdOfError } from './tool-result.ts'

const EXCLUSIONS: readonly ExclusionRule[] = [
  PROMPTS,
  SYSTEM_NOTES,
  // Only the call of a request is stored. It shows an answered question or a refusal as soon as it has ended.
  {
    kind: 'request',
    side: 'live',
    applies: ({ block }) => block.type === 'request',
  },
  // A failure while no message was open has no message's error id, and no file has it.
  {
    kind: 'turn-failure',
    side: 'live',
    applies: ({ block }) => isFailure(block) && messageIdOfError(block.id) === undefined,
  },
  {
    kind: 'thinking',
    side: 'stored',
    applies: ({ block, isMain, other }) => isMain && block.type === 'thinking' && !other.hasThinking,
  },
  SUBAGENT_CONVERSATIONS,
]

/** The facts that the streams and the files of OpenCode carry. */
export const opencodeCoverage: Coverage = {
  exclusions: EXCLUSIONS,
  // `opencode run` prints a call when it has finished. It is the one stream without prompts.
  callsArriveAsTheyFinish: (live) => !live.hasPrompts,
  timesEveryCall: true,
}

function isFailure(block: ConversationBlock): boolean {
  return block.type === 'error' || isInterruption(block)
}
