import type { ConversationBlock, SessionConversationState } from 'agentfold'
import { toolResultBlockId } from 'agentfold/source-kit'
import { memoizeWeakly } from '../../core/selectors/memoize.ts'
import { type ToolKind, toolKind } from '../../programs/tool-kind.ts'
import { timeOf } from '../../sinks/markdown/text/values.ts'
import { agentTitle } from '../session/agent-title.ts'
import { callText } from '../tools/tool-hint.ts'

/** A span of time, in ms since 1970. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** A call, or the time when the agent waited for the person. */
export interface Bar extends Span {
  readonly kind: ToolKind | 'waiting'
  readonly blockId: string
  readonly text: string
  readonly isFailed: boolean
}

/** An agent with the time when it worked, its calls, and the time when it waited for the person. */
export interface Lane extends Span {
  readonly id: string
  readonly title: string
  readonly bars: readonly Bar[]
  readonly isFailed: boolean
}

/** Returns the agents that ran at known times, main first. */
export const lanesOf: (state: SessionConversationState) => readonly Lane[] = memoizeWeakly(
  ({ blocks, subagents, turn }: SessionConversationState) => {
    const main = laneOf(
      { id: 'main', title: 'Main', isFailed: turn.status === 'failed' },
      blocks,
      turn.endedAt,
    )
    const others = subagents.map((agent) =>
      laneOf(
        { id: agent.toolUseId, title: agentTitle(agent), isFailed: agent.status === 'error' },
        agent.blocks,
      ),
    )
    return [main, ...others].filter((lane) => lane !== undefined)
  },
)

function laneOf(
  agent: Pick<Lane, 'id' | 'title' | 'isFailed'>,
  blocks: readonly ConversationBlock[],
  endedAt?: string,
): Lane | undefined {
  const times = blocks.flatMap((block) => timeOf(block.timestamp) ?? [])
  if (times.length === 0) return undefined
  const bars = barsOf(blocks)
  const ends = [...times, ...bars.map((bar) => bar.to), timeOf(endedAt) ?? 0]
  return { ...agent, from: least(times), to: most(ends), bars }
}

function barsOf(blocks: readonly ConversationBlock[]): readonly Bar[] {
  const byId = new Map(blocks.map((block) => [block.id, block]))
  const last = most(blocks.flatMap((block) => timeOf(block.timestamp) ?? []))
  return blocks.flatMap((block, at) => {
    const from = timeOf(block.timestamp)
    const { id: blockId } = block
    if (from === undefined) return []
    if (block.type === 'request') {
      const to = nextTime(blocks, at) ?? last
      return { kind: 'waiting' as const, from, to, blockId, text: 'Waited for you', isFailed: false }
    }
    if (block.type !== 'tool_use') return []
    const result = byId.get(toolResultBlockId(block.toolUseId))
    return {
      ...{ kind: toolKind(block.toolName), from, to: timeOf(result?.timestamp) ?? last, blockId },
      text: callText(block),
      isFailed: block.status === 'error' || (result?.type === 'tool_result' && result.isError),
    }
  })
}

function nextTime(blocks: readonly ConversationBlock[], at: number): number | undefined {
  const next = blocks.slice(at + 1, at + 20).find(({ timestamp }) => timeOf(timestamp) !== undefined)
  return timeOf(next?.timestamp)
}

function least(times: readonly number[]): number {
  return times.reduce((left, right) => Math.min(left, right), Number.POSITIVE_INFINITY)
}

function most(times: readonly number[]): number {
  return times.reduce((left, right) => Math.max(left, right), Number.NEGATIVE_INFINITY)
}
