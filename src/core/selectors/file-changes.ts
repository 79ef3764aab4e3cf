import type { ConversationBlock } from '../state/block.ts'
import type { FileChange } from '../state/file-change.ts'
import { MAIN, type SessionConversationState } from '../state/session.ts'

/** A change to a file, and the agent that made it. */
export interface SessionFileChange extends FileChange {
  /** `'main'` or the `toolUseId` of the agent. */
  readonly conversationId: string
  /** The call that changed the file. Absent if only the program's sum of a turn has the change, as after a shell command. */
  readonly toolUseId?: string
}

/**
 * Returns the changes to files, one for each file and call: main's in their order, then those of each subagent. A
 * program may also sum up the files of a turn. A file that only such a sum has gets one entry. A call that does not
 * say which lines it changed takes them from the sum, if no other call of the turn changed the file.
 */
export function fileChanges({ blocks, subagents }: SessionConversationState): readonly SessionFileChange[] {
  const ofSubagents = subagents.flatMap((agent) => changesIn(agent.blocks, agent.toolUseId, new Set()))
  const pathsOfSubagents = new Set(ofSubagents.map(({ path }) => path))
  return [...changesIn(blocks, MAIN, pathsOfSubagents), ...ofSubagents]
}

/** The sum of a turn stands on the prompt, so the walk goes from the end: it knows the files of a turn's calls before the prompt. */
function changesIn(
  blocks: readonly ConversationBlock[],
  conversationId: string,
  pathsOfOthers: ReadonlySet<string>,
): readonly SessionFileChange[] {
  const changes: SessionFileChange[] = []
  let paths = new Set(pathsOfOthers)
  let withoutLines = new Map<string, number>()
  for (const block of blocks.toReversed()) {
    if (block.type === 'tool_result')
      for (const change of [...(block.changes ?? [])].reverse()) {
        if (change.hunks || paths.has(change.path)) withoutLines.delete(change.path)
        else withoutLines.set(change.path, changes.length)
        paths.add(change.path)
        changes.push({ ...change, conversationId, toolUseId: block.toolUseId })
      }
    if (block.type !== 'user_message' || !block.changes) continue
    fillLines(changes, withoutLines, block.changes)
    for (const change of [...block.changes].reverse())
      if (!paths.has(change.path)) changes.push({ ...change, conversationId })
    paths = new Set(pathsOfOthers)
    withoutLines = new Map()
  }
  return changes.reverse()
}

/** Gives the changes at these places, by their paths, the lines of the sum. */
function fillLines(
  changes: SessionFileChange[],
  places: ReadonlyMap<string, number>,
  sum: readonly FileChange[],
): void {
  for (const { path, added, removed, hunks } of sum) {
    const at = places.get(path) ?? -1
    const change = changes[at]
    if (change) changes[at] = { ...change, added, removed, ...(hunks && { hunks }) }
  }
}
