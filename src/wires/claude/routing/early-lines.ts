import type { JsonObject } from '../../../core/json/values.ts'
import { MAIN } from '../../../core/state/session.ts'
import { bufferedItems } from '../../../reading/notes/persistent-map.ts'
import type { Line } from '../lines/line.ts'
import { isInTree, isPromptLine } from '../lines/line-tree.ts'
import { readLine } from '../lines/read-lines.ts'
import type { ClaudeContext, ClaudeMemory } from '../notes.ts'

/**
 * Whether the line waits for the line above it. Versions 2.1.34 to 2.1.280 may write the lines of the first turn in
 * another order: the answer, then the prompt, then its attachments. Only the uuids of the parents give the order.
 */
export function isEarlyLine(line: Line, memory: ClaudeMemory): boolean {
  const { parentUuid } = line.raw
  if (typeof parentUuid !== 'string' || !isInTree(line) || isBeginning(line)) return false
  const { earlyLines, places } = memory.notes.values
  if (places.get(parentUuid) !== undefined) return false
  const blocks = memory.state.blocksOf(MAIN)
  // A session from a state has no places.
  const hasBegun = blocks.length > 0 && (places.isEmpty || blocks.some(({ type }) => type !== 'system'))
  return !earlyLines.isEmpty || !hasBegun
}

/** Keeps a line until the line above it has been read. */
export function bufferEarlyLine({ raw, uuid = '' }: Line, notes: ClaudeContext['notes']): void {
  if (notes.values.earlyLines.get(uuid)) return
  notes.setEntry('earlyLines', uuid, raw)
  notes.buffer('earlyChildren', String(raw.parentUuid), uuid)
}

/** Releases the early lines below a line of the file. Each of them then releases its own. */
export function releaseBelow({ uuid = '' }: Line, notes: ClaudeContext['notes']): readonly JsonObject[] {
  return notes.takeBuffered('earlyChildren', uuid).flatMap((child): readonly JsonObject[] => {
    const raw = notes.values.earlyLines.get(child)
    notes.removeEntry('earlyLines', child)
    return raw ? [raw] : []
  })
}

/**
 * Releases all early lines before a later part of the session. The lines above them are missing, unless that part
 * begins with the line they wait for.
 */
export function releaseEarlyBefore(line: Line, context: ClaudeContext): Iterable<Line> {
  const { parentUuid, subtype } = line.raw
  const { earlyLines, earlyChildren, places } = context.notes.values
  if (earlyLines.isEmpty || !isInTree(line) || !isBeginning(line)) return []
  const isOrphan = typeof parentUuid === 'string' && places.get(parentUuid) === undefined
  const isAwaited = earlyChildren.get(line.uuid ?? '') !== undefined
  return (isOrphan && !isAwaited) || subtype === 'compact_boundary' ? releaseEarlyLines(context) : []
}

/** Whether a part of the session begins with the line: a prompt, or what follows a compaction. */
function isBeginning(line: Line): boolean {
  return line.raw.subtype === 'compact_boundary' || isPromptLine(line)
}

/** Releases all early lines in the order of the file. */
export function* releaseEarlyLines(context: ClaudeContext): Generator<Line, void> {
  const { earlyLines, earlyChildren } = context.notes.values
  if (earlyLines.isEmpty) return
  const lines = earlyLines.values()
  for (const [parent] of earlyChildren.entries()) context.notes.removeEntry('earlyChildren', parent)
  for (const [uuid] of earlyLines.entries()) context.notes.removeEntry('earlyLines', uuid)
  for (const raw of lines) yield readLine(context, raw)
}

/**
 * The lines that wait together: `agent:<id>` for those of one agent, `inline` for those of agents inside the
 * session's own file.
 */
export type BufferGroup = string

/** The group of all subagents' lines in the session's own file. They have no agent id. */
export const INLINE: BufferGroup = 'inline'

/** Returns the group of one agent's lines. */
export function agentGroup(agentId: string): BufferGroup {
  return `agent:${agentId}`
}

/** Keeps a line until its group is released. */
export function bufferLine(
  { raw }: Pick<Line, 'raw'>,
  group: BufferGroup,
  notes: ClaudeContext['notes'],
): void {
  const { buffered } = notes.values
  const { first = raw, last } = buffered.get(group) ?? {}
  const lines = { group, first, last: { item: raw, before: last } }
  notes.setEntry('buffered', group, lines)
}

/** Takes a group's lines out of the buffer, and returns them in the order in which the source read them. */
export function releaseGroup(group: BufferGroup, notes: ClaudeContext['notes']): readonly JsonObject[] {
  const { buffered } = notes.values
  const lines = buffered.get(group)
  if (!lines) return []
  notes.removeEntry('buffered', group)
  return bufferedItems(lines.last)
}
