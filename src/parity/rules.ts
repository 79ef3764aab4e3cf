import { type ConversationBlock, isPrompt, messageIdOf } from '../state/block.ts'
import type { Carried } from './comparison.ts'
import type { Side } from './difference.ts'
import type { ProjectionKind } from './projection.ts'

/** A block that the other side does not have, with all that decides whether that is as it should be. */
interface LoneBlock {
  readonly block: ConversationBlock
  readonly side: Side
  readonly isMain: boolean
  /** The program's version, such as `1.0.128`. */
  readonly version: string
  /** What the other side has of the conversation. */
  readonly other: Carried
  /** The stream has no text of the run that it belongs to. */
  readonly isUnforwarded: boolean
  /** The messages and calls of the conversation that called the subagent. */
  readonly parentIds: ReadonlySet<string>
}

interface Rule {
  readonly kind: ProjectionKind
  /** The side that has more; `both` where either may. */
  readonly side: Side | 'both'
  readonly programs: readonly string[]
  applies(lone: LoneBlock): boolean
}

const CLAUDE = ['claude-code']
const OPENCODE = ['opencode']
const BOTH = ['claude-code', 'opencode']

/**
 * What the programs' streams and files do not both carry (README, "What is read"). Main's text, tool calls and results are
 * in no rule: whatever is finished there must be on both sides.
 */
const RULES: readonly Rule[] = [
  {
    kind: 'prompt',
    side: 'stored',
    programs: BOTH,
    applies: ({ block, isMain, other }) => isMain && isPrompt(block) && !other.hasPrompts,
  },
  { kind: 'program-note', side: 'both', programs: CLAUDE, applies: ({ block }) => isProgramNote(block) },
  // What the program tells the model of a skill is stored with its other notes.
  {
    kind: 'program-note',
    side: 'stored',
    programs: CLAUDE,
    applies: ({ block }) => block.type === 'skill_load',
  },
  { kind: 'system-note', side: 'both', programs: BOTH, applies: isSystemNote },
  {
    kind: 'turn-failure',
    side: 'live',
    programs: CLAUDE,
    applies: ({ block }) => block.type === 'error' && block.code?.startsWith('error_') === true,
  },
  // What failed or was stopped while no message was open.
  {
    kind: 'turn-failure',
    side: 'live',
    programs: OPENCODE,
    applies: ({ block }) => isFailure(block) && !block.id.endsWith(':error'),
  },
  {
    kind: 'thinking',
    side: 'stored',
    programs: OPENCODE,
    applies: ({ block, isMain, other }) => isMain && isThinking(block) && !other.hasThinking,
  },
  {
    kind: 'subagent-conversation',
    side: 'stored',
    programs: BOTH,
    applies: ({ isMain, other }) => !isMain && !other.hasBlocks,
  },
  // Versions 1.x write a subagent's lines when it has finished.
  {
    kind: 'killed-subagent',
    side: 'live',
    programs: CLAUDE,
    applies: ({ isMain, other, version }) => !isMain && !other.hasBlocks && version.startsWith('1.'),
  },
  {
    kind: 'subagent-prompt',
    side: 'stored',
    programs: CLAUDE,
    applies: ({ block, isMain }) => !isMain && isPrompt(block),
  },
  { kind: 'fork-context', side: 'stored', programs: CLAUDE, applies: isCopied },
  {
    kind: 'subagent-text',
    side: 'stored',
    programs: CLAUDE,
    applies: ({ block, isMain, isUnforwarded }) => !isMain && isUnforwarded && isModelSide(block),
  },
]

/** The kind of a block that may be on one side alone; undefined if it should be on both. */
export function projectionOf(lone: LoneBlock, program: string | undefined): ProjectionKind | undefined {
  if (isPending(lone.block)) return 'unfinished'
  if (program === undefined) return undefined
  return RULES.find(
    ({ side, programs, applies }) =>
      programs.includes(program) && (side === 'both' || side === lone.side) && applies(lone),
  )?.kind
}

export function isPending({ status }: ConversationBlock): boolean {
  return status === 'pending' || status === 'running'
}

export function isModelText({ type }: ConversationBlock): boolean {
  return type === 'assistant_text' || type === 'thinking'
}

export function isThinking({ type }: ConversationBlock): boolean {
  return type === 'thinking'
}

function isProgramNote(block: ConversationBlock): boolean {
  return block.type === 'user_message' && block.origin !== undefined && block.origin !== 'summary'
}

function isFailure(block: ConversationBlock): boolean {
  return block.type === 'error' || (block.type === 'system' && block.subtype === 'interruption')
}

/** Notes that belong to what was said are on both sides; of subagents an interruption is only stored. */
function isSystemNote({ block, isMain }: LoneBlock): boolean {
  if (block.type !== 'system') return false
  if (block.subtype === 'interruption') return !isMain
  return block.subtype !== 'compaction' && block.subtype !== 'revert'
}

/** Text, or what the program says in its place. */
function isModelSide(block: ConversationBlock): boolean {
  return isModelText(block) || block.type === 'error'
}

function isCopied({ block, parentIds }: LoneBlock): boolean {
  return sharedIds(block).some((id) => parentIds.has(id))
}

/** The ids that a copy shares with what it was copied from: those of the message and of the call. */
export function sharedIds(block: ConversationBlock): readonly string[] {
  const toolUseId = 'toolUseId' in block ? block.toolUseId : undefined
  return [messageIdOf(block), toolUseId].filter((id) => id !== undefined)
}
