import type { UserContentPart } from '../../../core/state/content.ts'
import type { AcpContext } from '../context.ts'
import { showPrompt } from './prompt.ts'

// Some programs let a prompt wait that comes during a turn, and begin its turn after that one. Files have it there too.

/** Whether a prompt that comes now waits for the turn that runs. */
export function isQueued({ reader, notes }: AcpContext): boolean {
  return reader.queuesPrompts === true && notes.openPrompts !== undefined
}

/** Remembers a prompt that waits. */
export function queuePrompt(
  id: string | undefined,
  parts: readonly UserContentPart[],
  context: AcpContext,
): void {
  const { queuedPrompts = [] } = context.notes
  context.remember({ queuedPrompts: [...queuedPrompts, { ...(id !== undefined && { id }), parts }] })
}

/**
 * Reads the response to a prompt that waits. The person has taken it back, or the program answers it before its turn. Returns whether the prompt
 * waits.
 */
export function answerQueued(id: string, isTakenBack: boolean, context: AcpContext): boolean {
  const { queuedPrompts = [] } = context.notes
  if (!queuedPrompts.some((each) => each.id === id)) return false
  if (isTakenBack)
    rememberQueue(
      queuedPrompts.filter((each) => each.id !== id),
      context,
    )
  return true
}

/** Begins the turn of the first prompt that waits. Returns whether there is one. */
export function showQueuedPrompt(context: AcpContext): boolean {
  const [next, ...others] = context.notes.queuedPrompts ?? []
  if (!next) return false
  rememberQueue(others, context)
  showPrompt(next.parts, next.id, context)
  return true
}

function rememberQueue(
  queuedPrompts: AcpContext['notes']['queuedPrompts'] & object,
  context: AcpContext,
): void {
  context.remember({ queuedPrompts: queuedPrompts.length > 0 ? queuedPrompts : undefined })
}
