import { type ConversationBlock, findSubagent, type SessionConversationState } from 'agentfold'
import { isMainPrompt } from '../rows/reader-place.ts'
import { type Row, rowKey } from '../rows/row.ts'
import type { RowHeights } from '../rows/row-heights.ts'
import { agentTitle } from '../session/agent-title.ts'
import { failureName } from '../session/failures.ts'
import { promptsIn } from '../session/prompts.tsx'

/** A prompt, a failure or an agent at its place in the whole conversation, from 0 to 1. */
export interface Mark {
  readonly kind: 'failure' | 'prompt' | 'agent'
  readonly at: number
  readonly text: string
  readonly conversationId: string
  /** Absent for an agent. */
  readonly blockId?: string
}

interface MarkOptions {
  readonly rows: readonly Row[]
  readonly heights: RowHeights
  readonly failures: readonly ConversationBlock[]
}

/** Returns the marks from the start to the end. At one place, a failure counts most, and then a prompt. */
export function marksOf(
  state: SessionConversationState,
  { rows, heights, failures }: MarkOptions,
): readonly Mark[] {
  const rowOf = rowFinder(rows, state)
  const prompts = new Map(promptsIn(state).map(({ id, text }) => [id, text]))
  const placeOf = (index: number): number => heights.topOf(index) / Math.max(heights.total, 1)
  const ofFailures = failures.flatMap((block): readonly Mark[] => {
    const { conversationId, id: blockId } = block
    const index = rowOf(conversationId, blockId)
    if (index === undefined) return []
    return [{ kind: 'failure', at: placeOf(index), text: failureName(block), conversationId, blockId }]
  })
  const ofRows = rows.flatMap((row, index): readonly Mark[] => {
    if (row.type !== 'block') return []
    const { agentId, blockId } = row
    const at = placeOf(index)
    if (isMainPrompt(row))
      return [{ kind: 'prompt', at, text: prompts.get(blockId) ?? '', conversationId: 'main', blockId }]
    if (agentId === undefined) return []
    return [
      { kind: 'agent', at, text: agentTitle(findSubagent(state, agentId) ?? {}), conversationId: agentId },
    ]
  })
  return distinct([...ofFailures, ...ofRows.filter(isPrompt), ...ofRows.filter((mark) => !isPrompt(mark))])
}

function isPrompt({ kind }: Mark): boolean {
  return kind === 'prompt'
}

/** Returns a function that gives the row of a block: its own, that of its run, or that of the closed agent around it. */
function rowFinder(
  rows: readonly Row[],
  { subagents }: SessionConversationState,
): (conversationId: string, blockId: string) => number | undefined {
  const byBlock = new Map<string, number>()
  const byAgent = new Map<string, number>()
  for (const [at, row] of rows.entries()) {
    if (row.type === 'run') for (const id of row.blockIds) byBlock.set(rowKey(row.conversationId, id), at)
    if (row.type === 'block') byBlock.set(rowKey(row.conversationId, row.blockId), at)
    const agentId =
      row.type === 'block' ? row.agentId : row.type === 'orphan' ? row.conversationId : undefined
    if (agentId !== undefined) byAgent.set(agentId, at)
  }
  const parents = new Map(subagents.map((agent) => [agent.toolUseId, agent.parentConversationId]))
  return (conversationId, blockId) => {
    const own = byBlock.get(rowKey(conversationId, blockId))
    const seen = new Set<string>()
    let agent: string | undefined = conversationId
    let around: number | undefined
    while (own === undefined && around === undefined && agent !== undefined && !seen.has(agent)) {
      seen.add(agent)
      around = byAgent.get(agent)
      agent = parents.get(agent)
    }
    return own ?? around
  }
}

/** Marks that are nearer to each other would cover each other. */
const PLACES = 150

function distinct(marks: readonly Mark[]): readonly Mark[] {
  const places = new Map<number, Mark>()
  for (const mark of marks) {
    const place = Math.round(mark.at * PLACES)
    if (!places.has(place)) places.set(place, mark)
  }
  return [...places.values()].sort((left, right) => left.at - right.at)
}
