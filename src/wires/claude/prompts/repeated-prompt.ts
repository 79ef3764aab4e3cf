import { asString } from '../../../core/json/values.ts'
import { type ConversationBlock, messageIdOf } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import {
  INTERRUPTION_TEXT,
  isAgentMessage,
  SUMMARY_TEXT,
  textsIn,
  textsOfParts,
} from '../../../programs/claude-code/texts.ts'
import { isWhole } from '../blocks/model/message-blocks.ts'
import type { MessageRef } from '../blocks/model/message-stream.ts'
import { showDequeued, upsertQueuedPrompt } from '../blocks/queue.ts'
import { type Line, lineId } from '../lines/line.ts'
import type { ClaudeContext } from '../notes.ts'

// A prompt has a line of its own. The program's lines `api-request-blob` (from 2.1.330 on, with each message to the
// model) and `last-prompt` repeat it.

/**
 * Remembers that a line of main is broken. It may have been a prompt, which the queue or a line of the program has
 * too. After a prompt, it was another line.
 */
export function noteBrokenLine(context: ClaudeContext): void {
  showDequeued(context)
  const last = context.state.blocksOf(MAIN).findLast(({ type }) => type !== 'system')
  if (last?.type !== 'user_message') context.notes.remember({ mayLackPrompt: true })
}

/**
 * A message after the broken line shows that no prompt is missing, or that its place is gone. A result, an
 * interruption and a note do not.
 */
export function forgetBrokenLine({ raw, conversationId, parts }: Line, notes: ClaudeContext['notes']): void {
  if (!notes.values.mayLackPrompt || conversationId !== MAIN) return
  const isWords = raw.type === 'user' && raw.isMeta !== true
  const hasWords = isWords && textsOfParts(parts).some((text) => !INTERRUPTION_TEXT.test(text))
  if (hasWords || raw.type === 'assistant') notes.remember({ mayLackPrompt: undefined })
}

/** Shows the prompt in a message to the model, if its own line is broken. */
export function translateRequestMessage(line: Line, context: ClaudeContext): void {
  if (!context.notes.values.mayLackPrompt || line.message.role !== 'user') return
  // After results and words of the program.
  showLostPrompt(line, textsOfParts(line.parts.slice(-1))[0], context)
}

/** Shows the last prompt, if its own line is broken. A longer one is cut. */
export function translateLastPrompt(line: Line, context: ClaudeContext): void {
  const text = asString(line.raw.lastPrompt)
  const isNew = text !== undefined && text !== context.notes.values.lastPrompt
  if (isNew) context.notes.remember({ lastPrompt: text })
  if (isNew && context.notes.values.mayLackPrompt) showLostPrompt(line, text, context)
}

function showLostPrompt(line: Line, text: string | undefined, context: ClaudeContext): void {
  if (line.conversationId !== MAIN || !text || isOfProgram(text)) return
  // A fork repeats an earlier prompt.
  if (context.state.blocksOf(MAIN).some((block) => hasText(block, text))) return
  context.notes.remember({ mayLackPrompt: undefined })
  upsertQueuedPrompt({ id: lineId(line, context.notes), content: text, timestamp: line.timestamp }, context)
}

const CUT = '…'

/** Whether the message has the text. A line of the program has it without line breaks, and cuts a long one. */
function hasText(block: ConversationBlock, text: string): boolean {
  if (block.type !== 'user_message' && block.type !== 'skill_load') return false
  const words = onOneLine(text)
  return textsIn(block.content).some((each) => {
    const own = onOneLine(each)
    return own === words || (words.endsWith(CUT) && own.startsWith(words.slice(0, -1).trim()))
  })
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Whether the program wrote the words, or the person a command, which has lines of its own. */
function isOfProgram(text: string): boolean {
  return (
    /^\s*(?:[</]|\[(?:Image|Request)|Base directory for this skill)/.test(text) ||
    SUMMARY_TEXT.test(text) ||
    isAgentMessage(text)
  )
}

/**
 * Up to 2.1.197, a stream repeats the prompt of a turn only before the answer's first whole block. So the deltas of
 * that block come before the prompt, which belongs above them.
 */
export function expectPrompt(notes: ClaudeContext['notes']): void {
  notes.remember({ hasPrompt: undefined, unpromptedMessages: undefined })
}

/** A whole block of the answer, or a prompt before the answer, proves that no prompt of the turn follows. */
export function stopExpectingPrompt(notes: ClaudeContext['notes']): void {
  notes.remember({ hasPrompt: true, unpromptedMessages: undefined })
}

/** Remembers a message of main that begins to stream before the prompt of its turn. */
export function rememberUnprompted(
  { conversationId, messageId }: MessageRef,
  notes: ClaudeContext['notes'],
): void {
  const { hasPrompt, unpromptedMessages = [] } = notes.values
  if (conversationId === MAIN && !hasPrompt && !unpromptedMessages.includes(messageId))
    notes.remember({ unpromptedMessages: [...unpromptedMessages, messageId] })
}

/** Moves the blocks that streamed before the prompt of their turn below that prompt. */
export function moveAnswerBelowPrompt(context: ClaudeContext): void {
  const { unpromptedMessages } = context.notes.values
  if (!unpromptedMessages) return stopExpectingPrompt(context.notes)
  // A list of its own, because each move changes the look-up.
  for (const messageId of unpromptedMessages)
    for (const block of [...context.state.blocksOfMessage(MAIN, messageId)]) {
      if (isWhole(block, MAIN, context)) continue
      const copy = { ...block }
      context.emit({ type: 'block:removed', conversationId: MAIN, blockId: block.id })
      context.upsert(MAIN, copy)
    }
}

/** Whether a message without a whole block follows an answer or nothing: the prompt of its turn may follow. */
export function isUnprompted(blocks: readonly ConversationBlock[], messageId: string): boolean {
  const at = blocks.findIndex((block) => messageIdOf(block) === messageId)
  if (at < 0) return true
  if (blocks.slice(at).some(({ status }) => status !== 'pending')) return false
  const before = blocks.slice(0, at).findLast(({ type }) => type !== 'system')
  return before === undefined || before.type === 'assistant_text' || before.type === 'error'
}
