import type { ConversationBlock } from '../state/block.ts'
import type { Carried } from './comparison.ts'
import type { Side } from './difference.ts'

/**
 * What may be on one side alone, because the other does not carry it. Of blocks:
 * - `unfinished`: still pending when the input ended
 * - `prompt`: what the person wrote, where the stream does not repeat it
 * - `program-note`: what the program told the model in the person's place
 * - `system-note`: what the program noted (hooks, retries, permissions …), save interruptions, compactions and reverts
 * - `turn-failure`: the stream's last word on a turn that failed
 * - `thinking`: of main, where the stream has none
 * - `subagent-prompt`, `subagent-text`, `subagent-conversation`: of subagents that are not, or not wholly, forwarded
 * - `fork-context`: the copy of the parent's message that a forked subagent's file begins with
 * - `killed-subagent`: one of which nothing was stored when the program was killed
 *
 * Of what both have:
 * - `tool-use-place`: a call's id, where the text before it is not forwarded
 * - `tool-result-place`: where a result stands among the other blocks
 * - `unknown-fact`: a time, a model, a run or a fact of the session that one side does not know
 * - `provisional-usage`: tokens that one side knows as an early snapshot only
 * - `unseen-usage`: tokens of a message that one side has nothing of
 */
export type ProjectionKind =
  | 'unfinished'
  | 'prompt'
  | 'program-note'
  | 'system-note'
  | 'turn-failure'
  | 'thinking'
  | 'subagent-prompt'
  | 'subagent-text'
  | 'subagent-conversation'
  | 'fork-context'
  | 'killed-subagent'
  | 'tool-use-place'
  | 'tool-result-place'
  | 'unknown-fact'
  | 'provisional-usage'
  | 'unseen-usage'

/** How much of a kind was left out of the comparison, and on which side it was. */
export interface Projected {
  readonly kind: ProjectionKind
  readonly side: Side
  readonly count: number
}

/** A block that the other side does not have, with all that decides whether that is as it should be. */
export interface LoneBlock {
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
const BOTH = [...CLAUDE, ...OPENCODE]

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
  // A session's error that ended no message.
  {
    kind: 'turn-failure',
    side: 'live',
    programs: OPENCODE,
    applies: ({ block }) => block.type === 'error' && !block.id.endsWith(':error'),
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

export function isPrompt(block: ConversationBlock): boolean {
  return block.type === 'user_message' && block.origin === undefined
}

function isProgramNote(block: ConversationBlock): boolean {
  return block.type === 'user_message' && block.origin !== undefined && block.origin !== 'summary'
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
  const messageId = 'messageId' in block ? block.messageId : undefined
  const toolUseId = 'toolUseId' in block ? block.toolUseId : undefined
  return [messageId, toolUseId].filter((id) => id !== undefined)
}
