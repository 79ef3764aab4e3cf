import type { ConversationBlock, SessionConversationState } from 'agentfold'
import { toolResultBlockId } from 'agentfold/source-kit'
import { timeInMs } from '../../core/json/order.ts'
import { type ToolKind, toolKind } from '../../programs/tool-kind.ts'
import { agentTitle } from '../session/agent-title.ts'

/** A span of time, in ms since 1970. */
export interface Span {
  readonly from: number
  readonly to: number
}

export interface Bar extends Span {
  readonly kind: ToolKind | 'waiting'
}

/** An agent with the time when it worked, its calls, and the time when it waited for the person. */
export interface Lane extends Span {
  readonly id: string
  readonly title: string
  readonly bars: readonly Bar[]
}

/** Returns the agents that ran at known times, main first. */
export function lanesOf({ blocks, subagents, turn }: SessionConversationState): readonly Lane[] {
  const main = laneOf('main', 'Main', blocks, { to: timeOf(turn.endedAt) })
  const others = subagents.map((agent) => laneOf(agent.toolUseId, agentTitle(agent), agent.blocks, {}))
  return [main, ...others].filter((lane) => lane !== undefined)
}

function laneOf(
  id: string,
  title: string,
  blocks: readonly ConversationBlock[],
  { to }: { readonly to?: number | undefined },
): Lane | undefined {
  const times = blocks.flatMap((block) => timeOf(block.timestamp) ?? [])
  if (times.length === 0) return undefined
  const bars = barsOf(blocks)
  const ends = [...times, ...bars.map((bar) => bar.to), ...(to === undefined ? [] : [to])]
  return { id, title, from: least(times), to: most(ends), bars }
}

function barsOf(blocks: readonly ConversationBlock[]): readonly Bar[] {
  const byId = new Map(blocks.map((block) => [block.id, block]))
  const last = most(blocks.flatMap((block) => timeOf(block.timestamp) ?? []))
  return blocks.flatMap((block, at) => {
    const from = timeOf(block.timestamp)
    if (from === undefined) return []
    if (block.type === 'request') return { kind: 'waiting' as const, from, to: nextTime(blocks, at) ?? last }
    if (block.type !== 'tool_use') return []
    const result = byId.get(toolResultBlockId(block.toolUseId))
    return { kind: toolKind(block.toolName), from, to: timeOf(result?.timestamp) ?? last }
  })
}

function nextTime(blocks: readonly ConversationBlock[], at: number): number | undefined {
  const next = blocks.slice(at + 1, at + 20).find(({ timestamp }) => timeOf(timestamp) !== undefined)
  return timeOf(next?.timestamp)
}

function timeOf(timestamp: string | undefined): number | undefined {
  const time = timeInMs(timestamp)
  return Number.isNaN(time) ? undefined : time
}

function least(times: readonly number[]): number {
  return times.reduce((left, right) => Math.min(left, right), Number.POSITIVE_INFINITY)
}

function most(times: readonly number[]): number {
  return times.reduce((left, right) => Math.max(left, right), Number.NEGATIVE_INFINITY)
}
