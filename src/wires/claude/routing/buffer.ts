import type { JsonObject } from '../../../core/json/values.ts'
import { bufferedItems } from '../../../reading/buffer.ts'
import type { ClaudeContext } from '../context.ts'
import type { Line } from '../lines/line.ts'

/**
 * The lines that wait together: `agent:<id>` for those of one agent, `inline` for those of agents inside the session's own file.
 */
export type BufferGroup = string

/** The group of all subagents' lines in the session's own file. They have no agent id. */
export const INLINE: BufferGroup = 'inline'

/** Returns the group of one agent's lines. */
export function agentGroup(agentId: string): BufferGroup {
  return `agent:${agentId}`
}

/** Keeps a line until its group is released. */
export function bufferLine({ raw }: Pick<Line, 'raw'>, group: BufferGroup, context: ClaudeContext): void {
  const { buffered } = context.notes
  const { first = raw, last } = buffered.get(group) ?? {}
  const lines = { group, first, last: { item: raw, before: last } }
  context.setEntry('buffered', group, lines)
}

/** Takes a group's lines out of the buffer, and returns them in the order in which the source read them. */
export function releaseGroup(group: BufferGroup, context: ClaudeContext): readonly JsonObject[] {
  const { buffered } = context.notes
  const lines = buffered.get(group)
  if (!lines) return []
  context.removeEntry('buffered', group)
  return bufferedItems(lines.last)
}
