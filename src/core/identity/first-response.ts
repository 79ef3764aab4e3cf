import {
  type ConversationBlock,
  isCall,
  isInterruption,
  isModelText,
  isPrompt,
  messageIdOf,
} from '../state/block.ts'
import {
  type ConversationThread,
  isOpenBlock,
  type MessageUsage,
  type SubagentState,
} from '../state/session.ts'
import type { SessionTurn } from '../state/turn.ts'

/** The certain facts about the first messages that a program writes. A hash from uncertain content is a wrong one. */
export interface FirstMessages {
  /**
   * The proof that a subagent's thread is complete from its start. `call`: a known call proves it, although the
   * thread does not show the prompt. `prompt`: only the prompt proves it, because a complete thread always shows the
   * prompt.
   */
  readonly startProvedBy: 'call' | 'prompt'
  /** A first message with final usage and without blocks is an empty response. If false, the program may have removed its blocks. */
  readonly canBeEmpty: boolean
  /** Text belongs to the model only if its message has usage: text may arrive before its message's role. */
  readonly textNeedsUsage: boolean
  /** The next message proves that a message has ended, also where no final tokens say so. */
  readonly isEndedByNext: boolean
}

/** A host whose events name no known program emits whole messages. */
const UNKNOWN_PROGRAM = { canBeEmpty: true, textNeedsUsage: false, isEndedByNext: false }

/** A thread without its parent's messages. Main's has a turn, and an agent's a status. */
export interface OwnThread extends ConversationThread, Pick<SubagentState, 'openBlocks'> {
  readonly turn?: SessionTurn
  readonly status?: SubagentState['status']
}

/**
 * Returns the text of the first response, or undefined while it is not certain. In a known program, a model's block
 * without a message id may belong to any message, so nothing is certain then. Nor is it if a person stopped the first
 * response: a file may lack the whole message.
 */
export function firstResponseText(
  own: OwnThread,
  { program, isSubagent }: { readonly program: FirstMessages | undefined; readonly isSubagent: boolean },
): string | undefined {
  const thread = program ? own : withRunsAsMessages(own)
  const { blocks, usage } = thread
  const facts = program ?? UNKNOWN_PROGRAM
  const start = blocks.findIndex(isModelBlock)
  const [first] = usage
  // The tokens of withdrawn messages stay. So an empty first message is not certain if others follow.
  if (first && isEmptyMessage(first, blocks)) return facts.canBeEmpty && start < 0 ? '' : undefined
  if (blocks.slice(0, Math.max(start, 0)).some(isInterruption)) return undefined
  const messageId = blocks[start] && messageIdOf(blocks[start])
  if (messageId === undefined) return undefined
  // Text may arrive before its message's role. Only a model's message has usage.
  if (facts.textNeedsUsage && !usage.some((entry) => entry.messageId === messageId)) return undefined
  const text = blocks.find((block) => block.type === 'assistant_text' && block.messageId === messageId)
  if (text?.type === 'assistant_text')
    return isOpenBlock(text, thread) || isCut(text, thread) ? undefined : text.content
  const hasEnded =
    hasEndedWithoutText(messageId, usage, blocks) ||
    (facts.isEndedByNext && isFollowedByMessage(messageId, blocks, isSubagent)) ||
    (!program && hasEndedInUnknownProgram(messageId, thread))
  return hasEnded ? '' : undefined
}

/**
 * Makes a message of each run of the model's blocks, if none of them names its message, as in the origin document of
 * the reducer. An agent's block holds its result too, so a text behind it begins another run. Tokens then belong to
 * no block.
 */
function withRunsAsMessages(thread: OwnThread): OwnThread {
  const model = thread.blocks.filter(isModelBlock)
  if (model.length === 0 || model.some((block) => messageIdOf(block) !== undefined)) return thread
  let run = 0
  const blocks = thread.blocks.map((block, at): ConversationBlock => {
    const isOfModel = isModelText(block) || isCall(block)
    const isAfterAgent = isModelText(block) && thread.blocks[at - 1]?.type === 'subagent'
    if (!isOfModel || isAfterAgent) run += 1
    return isOfModel ? { ...block, messageId: `run:${run}` } : block
  })
  return { ...thread, blocks, usage: [] }
}

/**
 * An ended turn, or a later message, proves that a message of calls alone has ended: no program is known whose
 * streams lack texts. Provisional tokens say that the message goes on.
 */
function hasEndedInUnknownProgram(
  messageId: string,
  { blocks, usage, turn, status, openBlocks }: OwnThread,
): boolean {
  if (usage.some((entry) => entry.messageId === messageId && !entry.final)) return false
  const own = blocks.filter((block) => messageIdOf(block) === messageId)
  if (!own.some(isCall)) return false
  const isOver = turn ? turn.status === 'finished' : status === 'success'
  const last = blocks.findLastIndex((block) => messageIdOf(block) === messageId)
  return (isOver && openBlocks === undefined) || blocks.slice(last + 1).some(isModelBlock)
}

/** Returns whether the message has final tokens but no block. */
function isEmptyMessage({ final, messageId }: MessageUsage, blocks: readonly ConversationBlock[]): boolean {
  return final && !blocks.some((block) => messageIdOf(block) === messageId)
}

/**
 * Returns whether a message certainly has no text. A stream may lack a subagent's text, and a file may end before the
 * message's next line. It is certain if the tokens are final, and the message has called a tool or another block
 * follows.
 */
function hasEndedWithoutText(
  messageId: string,
  usage: readonly MessageUsage[],
  blocks: readonly ConversationBlock[],
): boolean {
  if (!usage.some((entry) => entry.messageId === messageId && entry.final)) return false
  const last = blocks.findLastIndex((block) => messageIdOf(block) === messageId)
  const hasCalled = blocks.some((block) => messageIdOf(block) === messageId && isCall(block))
  return hasCalled || last < blocks.length - 1
}

/**
 * Returns whether a message of calls has ended, because the model writes another message. A stream may lack the texts
 * of a subagent's run. So a subagent's later message proves it only with text in the same run: each prompt begins
 * one.
 */
function isFollowedByMessage(
  messageId: string,
  blocks: readonly ConversationBlock[],
  isSubagent: boolean,
): boolean {
  const last = blocks.findLastIndex((block) => messageIdOf(block) === messageId)
  if (!blocks.some((block) => messageIdOf(block) === messageId && isCall(block))) return false
  const after = blocks.slice(last + 1)
  const end = after.findIndex(isPrompt)
  if (!isSubagent) return after.some(isModelBlock)
  return after.slice(0, end < 0 ? after.length : end).some((block) => isModelBlock(block) && !isCall(block))
}

/** Returns whether the message was cut after the text: it has no final tokens, and an interruption or an error follows. */
function isCut(text: ConversationBlock, { blocks, usage, turn }: OwnThread): boolean {
  const entry = usage.find(({ messageId }) => messageId === messageIdOf(text))
  if (entry?.final) return false
  const next = blocks[blocks.indexOf(text) + 1]
  return next ? next.type === 'error' || isInterruption(next) : turn?.status === 'interrupted'
}

/** Returns whether the model wrote the block. */
export function isModelBlock(block: ConversationBlock): boolean {
  return isModelText(block) || isCall(block)
}
