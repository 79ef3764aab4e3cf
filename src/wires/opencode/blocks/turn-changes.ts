import { isEqual } from '../../../core/json/equal.ts'
import { asArray, asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { absolutePath, type FileChange } from '../../../core/state/file-change.ts'
import { fileChange, kindOf } from '../../../programs/opencode/tool-result.ts'
import type { Memory } from '../../../reading/context.ts'
import type { OpencodeContext } from '../context.ts'
import { findPrompt, messageNote, noteMessage } from '../messages.ts'
import { type MessageRef, noteSession, sessionNote } from '../place.ts'

/** Remembers the sum of a turn's changes in a user message, if it differs from the known one. Returns whether it does. */
export function noteTurnChanges(ref: MessageRef, info: JsonObject, memory: Memory<OpencodeContext>): boolean {
  const changes = turnChanges(info)
  if (!changes) return false
  const { changes: before } = messageNote(ref, memory.notes) ?? {}
  const { changes: shown = [] } = findPrompt(ref, memory.state) ?? {}
  if (!before) deriveWorktree(ref, { changes, shown }, memory.notes)
  const isSame = before
    ? isEqual(before, changes)
    : isEqual(shown, placeChanges(changes, folderOf(ref, memory)))
  if (isSame) return false
  noteMessage(ref, { changes }, memory)
  return true
}

/** An opened state does not name the worktree, but its sum of the same turn has absolute paths. */
function deriveWorktree(
  { sessionId }: MessageRef,
  { changes, shown }: Readonly<Record<'changes' | 'shown', readonly FileChange[]>>,
  notes: OpencodeContext['notes'],
): void {
  if (sessionNote(sessionId, notes.values).worktree !== undefined) return
  const worktree = worktreeBetween(changes, shown)
  if (worktree !== undefined) noteSession(sessionId, { worktree }, notes)
}

/** Returns the changes of a turn with absolute paths, as a user message shows them. */
export function shownChanges(
  ref: MessageRef,
  memory: Memory<OpencodeContext>,
): readonly FileChange[] | undefined {
  const { changes } = messageNote(ref, memory.notes) ?? {}
  if (!changes) return findPrompt(ref, memory.state)?.changes
  return changes.length === 0 ? undefined : placeChanges(changes, folderOf(ref, memory))
}

/** Returns the session's worktree. Until it is known, its folder stands in. */
function folderOf({ sessionId }: MessageRef, memory: Memory<OpencodeContext>): string | undefined {
  return sessionNote(sessionId, memory.notes.values).worktree ?? memory.state.facts.cwd
}

/** Forgets the paths of changes that a block shows. Before the worktree is known, they are needed once more. */
export function forgetPlacedChanges(ref: MessageRef, memory: Memory<OpencodeContext>): void {
  const { sessionId, messageId } = ref
  const { changes } = messageNote(ref, memory.notes) ?? {}
  if (!changes) return
  const { worktree, unplacedMessages = [] } = sessionNote(sessionId, memory.notes.values)
  if (worktree !== undefined || changes.length === 0) noteMessage(ref, { changes: undefined }, memory)
  else if (!unplacedMessages.includes(messageId))
    noteSession(sessionId, { unplacedMessages: [...unplacedMessages, messageId] }, memory.notes)
}

/** Remembers the session's worktree, which the model's messages name. Returns the user messages that show changes with other paths. */
export function noteWorktree(
  ref: MessageRef,
  { path }: JsonObject,
  notes: OpencodeContext['notes'],
): readonly MessageRef[] {
  const worktree = asString(asObject(path).root)
  const before = sessionNote(ref.sessionId, notes.values)
  if (worktree === undefined || worktree === before.worktree) return []
  noteSession(ref.sessionId, { worktree, unplacedMessages: undefined }, notes)
  return (before.unplacedMessages ?? []).map((messageId) => ({ ...ref, messageId }))
}

/**
 * Reads the sum of a turn's changes, which a user message has. Returns undefined if the message has no sum. The paths
 * are relative to the worktree, as OpenCode writes them here.
 */
function turnChanges({ summary }: JsonObject): readonly FileChange[] | undefined {
  const { diffs } = asObject(summary)
  if (!Array.isArray(diffs)) return undefined
  return asArray(diffs)
    .map(asObject)
    .flatMap((diff) => {
      const { patch, additions, deletions } = diff
      const path = asString(diff.file)
      return path === undefined ? [] : [fileChange({ path, kind: kindOf(diff), patch, additions, deletions })]
    })
}

/** Returns the changes with absolute paths, as the results of calls have them. */
function placeChanges(changes: readonly FileChange[], worktree: string | undefined): readonly FileChange[] {
  if (worktree === undefined) return changes
  return changes.map((change) => ({ ...change, path: absolutePath(change.path, worktree) }))
}

/** Returns the worktree that leads from relative paths to known absolute ones of the same files, or undefined if no file is the same. */
function worktreeBetween(
  relative: readonly FileChange[],
  absolute: readonly FileChange[],
): string | undefined {
  for (const { path } of relative) {
    const ending = `/${path}`
    const known = absolute.find((change) => change.path.endsWith(ending))
    if (known) return known.path.slice(0, -ending.length) || '/'
  }
  return undefined
}
