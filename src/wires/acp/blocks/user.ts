import { isEqual } from '../../../json/equal.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { userContent } from '../../../session/user-content.ts'
import { COMPACTED } from '../../../session/values/compaction.ts'
import type { UserMessageOrigin } from '../../../state/block.ts'
import type { UserContentPart } from '../../../state/content.ts'
import { MAIN } from '../../../state/session.ts'
import { endNamedAgent } from '../agents/run.ts'
import type { AcpContext } from '../context.ts'
import { showNote } from './note.ts'
import { replayPrompt } from './prompt.ts'
import { closeText, isRepeated, markWhole } from './text.ts'
import { wordsKey } from './words-key.ts'

/** Holds a part of a person's message. Its next chunk may have a further part. */
export function holdUserChunk(
  conversationId: string,
  { messageId, part }: { readonly messageId: string | undefined; readonly part: UserContentPart },
  context: AcpContext,
): void {
  if (isRepeated(conversationId, messageId, context)) return
  const { heldMessage } = context.thread(conversationId)
  const goesOn = heldMessage && heldMessage.messageId === messageId
  if (!goesOn) showHeldMessage(conversationId, context)
  const parts = goesOn ? [...heldMessage.parts, part] : [part]
  context.updateThread(conversationId, { heldMessage: { messageId, parts } })
}

/** Shows the message that was held. */
export function showHeldMessage(conversationId: string, context: AcpContext): void {
  const { heldMessage } = context.thread(conversationId)
  if (!heldMessage) return
  closeText(conversationId, context)
  const { messageId, parts } = heldMessage
  context.updateThread(conversationId, { heldMessage: undefined })
  if (messageId !== undefined) markWhole(conversationId, messageId, context)
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const origin = context.reader.messageOrigin?.(text)
  if (origin === 'interruption') return showInterruption(conversationId, context)
  if (origin === 'summary') showSummaryNote(conversationId, messageId, context)
  const end = origin === 'notification' ? context.reader.notifiedEnd?.(text) : undefined
  if (end) endNamedAgent(end, context)
  if (origin !== undefined) return showMessage(conversationId, { messageId, parts, origin }, context)
  if (conversationId !== MAIN) return showAgentPrompt(conversationId, { messageId, parts }, context)
  replayPrompt(parts, context)
}

interface Message {
  readonly messageId: string | undefined
  readonly parts: readonly UserContentPart[]
  readonly origin?: UserMessageOrigin | undefined
}

/** Shows that the person has stopped the turn. The note belongs to the prompt, because only a replay has a message for it. */
export function showInterruption(conversationId: string, context: AcpContext): void {
  const id = `${conversationId === MAIN ? context.memory.promptId : conversationId}:interruption`
  showNote(conversationId, { id, subtype: 'interruption', message: 'Interrupted' }, context)
  if (conversationId === MAIN && context.turn.status === 'running')
    context.endTurn({ outcome: 'interrupted' })
}

/** A replay begins with the summary of the messages before it, and has no note of the compaction. */
function showSummaryNote(conversationId: string, messageId: string | undefined, context: AcpContext): void {
  const id = messageId ?? context.nextUnnamedId(conversationId)
  showNote(conversationId, { id: `${id}:compaction`, subtype: 'compaction', message: COMPACTED }, context)
}

function showMessage(
  conversationId: string,
  { messageId, parts, origin }: Message,
  context: AcpContext,
): void {
  const id = messageId ?? context.nextUnnamedId(conversationId)
  const content = userContent(parts)
  if (content === undefined) return
  context.upsert(
    conversationId,
    omitUndefined({ type: 'user_message', id, status: 'complete', content, origin }),
  )
}

/** Shows a message to an agent, such as its prompt. Claude Code names the call in the id of the message. */
export function showAgentPrompt(
  conversationId: string,
  { messageId, parts }: Message,
  context: AcpContext,
): void {
  const first = `${messageId ?? conversationId}:prompt`
  const known = context.findBlock(conversationId, first)
  // Messages without ids differ by their words alone.
  const isFurther =
    messageId === undefined && known?.type === 'user_message' && !isEqual(known.content, userContent(parts))
  const id = isFurther ? `${first}:${wordsKey(JSON.stringify(parts))}` : first
  if (isRepeated(conversationId, id, context)) return
  markWhole(conversationId, id, context)
  context.noteWork(conversationId)
  showMessage(conversationId, { messageId: id, parts }, context)
}
