import { isEqual } from '../../../json/equal.ts'
import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import type { FileChange } from '../../../state/file-change.ts'
import { upsertUserMessage } from '../blocks/user-message.ts'
import type { OpencodeContext } from '../context.ts'
import { findMessage } from '../records/message.ts'
import { knownSession } from '../records/session.ts'
import type { MessageRef } from '../routing/event-place.ts'
import { worktreeBetween } from './turn-changes.ts'

/** Remembers the session's worktree, which the model's messages name, and shows earlier sums of changes with absolute paths. */
export function learnWorktree(ref: MessageRef, { path }: JsonObject, context: OpencodeContext): void {
  const worktree = asString(asObject(path).root)
  if (worktree === undefined || worktree === knownSession(ref.sessionId, context).worktree) return
  const session = context.ownSession(ref.sessionId)
  const { unplacedMessageIds = [] } = session
  session.worktree = worktree
  session.unplacedMessageIds = undefined
  for (const messageId of unplacedMessageIds) upsertUserMessage({ ...ref, messageId }, context)
}

/** Shows the changes of a turn at the user's message if they differ from those that it shows. */
export function updateTurnChanges(
  ref: MessageRef,
  before: readonly FileChange[],
  context: OpencodeContext,
): void {
  const changes = findMessage(ref, context)?.changes ?? []
  if (isEqual(before, changes)) return
  deriveWorktree(ref, { before, changes }, context)
  upsertUserMessage(ref, context)
}

/** A resumed state does not name the worktree, but its sum of the same turn has absolute paths. */
function deriveWorktree(
  { sessionId }: MessageRef,
  { before, changes }: Readonly<Record<'before' | 'changes', readonly FileChange[]>>,
  context: OpencodeContext,
): void {
  const session = knownSession(sessionId, context)
  const worktree = session.worktree ?? worktreeBetween(changes, before)
  if (worktree !== undefined && worktree !== session.worktree)
    context.ownSession(sessionId).worktree = worktree
}
