import { omitUndefined } from '../../../json/omit-undefined.ts'
import { messageIdOfError } from '../../../programs/opencode/error-id.ts'
import { type ErrorBlock, isPrompt, type SystemBlock } from '../../../state/block.ts'
import { numberOfId } from '../../../state/numbered-id.ts'
import { messageIdOfRevert } from '../blocks/block-ids.ts'
import { NO_MESSAGE } from '../blocks/error.ts'
import type { OpencodeContext } from '../context.ts'
import { rememberResumedPart, userPart } from '../records/resumed.ts'
import type { ResumedThread } from './threads.ts'

/** Remembers an error, or an action of the program, so that no repeated event shows it twice. */
export function resumeNote(
  block: SystemBlock | ErrorBlock,
  thread: ResumedThread,
  context: OpencodeContext,
): void {
  const { id } = block
  if (block.type === 'error') return resumeError(block, block.code, thread, context)
  switch (block.subtype) {
    case 'interruption':
      return resumeError(block, 'MessageAbortedError', thread, context)
    case 'compaction':
      return rememberResumedPart(thread.sessionId, userPart(block), context)
    case 'revert':
      context.ownSession(thread.sessionId).revertMessageId = messageIdOfRevert(id)
      return
    default:
      return resumeEventBlock(id, context)
  }
}

function resumeError(
  { id, message }: SystemBlock | ErrorBlock,
  code: string | undefined,
  thread: ResumedThread,
  context: OpencodeContext,
): void {
  const messageId = messageIdOfError(id)
  if (messageId === undefined) resumeEventBlock(id, context)
  const session = context.ownSession(thread.sessionId)
  // Without a message of its own, the block shows the code or a standard text.
  const text = message === code || message === NO_MESSAGE ? undefined : message
  if (messageId !== undefined) {
    const error = omitUndefined({ messageId, parentId: promptBefore(id, thread), code, text })
    session.errors = [...session.errors, error]
  } else if (!isAnswered(id, thread)) session.unassignedError = omitUndefined({ blockId: id, code, text })
}

/** Whether a new turn follows the block. */
function isAnswered(blockId: string, { blocks }: ResumedThread): boolean {
  return blocks.slice(blocks.findIndex(({ id }) => id === blockId)).some(isPrompt)
}

/** Returns the id of the user message that the turn of the block answers. */
function promptBefore(blockId: string, { blocks }: ResumedThread): string | undefined {
  const end = blocks.findIndex(({ id }) => id === blockId)
  return blocks.slice(0, end).findLast(isPrompt)?.id
}

/** A block of an event has the event's id, or a number if the event has none. */
function resumeEventBlock(id: string, context: OpencodeContext): void {
  const { eventsWithoutId } = context.memory
  const number = numberOfId(id)
  if (number !== undefined) context.remember({ eventsWithoutId: Math.max(eventsWithoutId, number + 1) })
  context.setEntry('eventIdsWithBlock', id, id)
}
