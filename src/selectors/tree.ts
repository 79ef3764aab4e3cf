import { omitUndefined } from '../json/omit-undefined.ts'
import {
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../state/session.ts'
import type { SubagentStatus } from '../state/subagent.ts'
import type { TurnStatus } from '../state/turn.ts'
import { type Place, subagentPlaces } from './forest.ts'
import { messageIdsOf, ownUsage, sumUsage, type UsageSum, usageWith } from './usage.ts'

/**
 * The reason for an agent's place in the tree:
 * - `root`: no known agent started it
 * - `child`: the agent above it started it
 * - `orphan`: an unknown or missing agent started it
 * - `cycle`: bad data puts it below itself, so the tree cuts it off
 * - `claim`: a call announced it, and it did not start yet
 * - `expired-claim`: a call announced it, and it did not start in time
 */
export type Lineage = Place<unknown>['lineage'] | 'claim' | 'expired-claim'

/** An agent with the agents that it started. */
export interface AgentNode {
  /** `'main'` or the `toolUseId`. In a gateway's tree, the agent's own id. */
  readonly id: string
  readonly agentId?: string
  readonly name?: string
  readonly description?: string
  readonly status: SubagentStatus
  readonly lineage: Lineage
  /** The number of blocks in its conversation. A gateway sees requests only, so its trees lack this and the next three fields. */
  readonly blockCount?: number
  /** The number of its own tool calls. The subagents that it started are its children instead. */
  readonly toolCount?: number
  /** The last text that the agent wrote. */
  readonly lastText?: string
  /** In ms. */
  readonly durationMs?: number
  readonly usage: {
    /** The tokens of its own messages. A parent's message that was copied into a forked agent counts for the parent alone. */
    readonly own: UsageSum
    /** The tokens of the agent and of all agents below it. */
    readonly total: UsageSum
  }
  readonly children: readonly AgentNode[]
}

/**
 * Returns the session's agents as a tree with main as its root and children in the order of their start. The tree has every subagent:
 * one with an unknown parent, or one that bad data puts below itself, is a child of main.
 */
export function buildSessionTree(state: SessionConversationState): AgentNode {
  const main = branchOf(state, { id: MAIN, status: MAIN_STATUS[state.turn.status], lineage: 'root' })
  const branches = new Map<SubagentState, Branch>()
  const places = subagentPlaces(state.subagents)
  const parentOf = (subagent: SubagentState): Branch => {
    const parent = places.get(subagent)?.parent
    return (parent && branches.get(parent)) ?? main
  }
  for (const [subagent, { lineage }] of places)
    branches.set(subagent, branchOf(subagent, factsOf(subagent, lineage), parentOf(subagent)))
  // From the leaves up, without recursion: agents may be nested to any depth.
  for (const [subagent, branch] of [...branches].reverse())
    parentOf(subagent).childrenReversed.push(nodeOf(branch))
  return nodeOf(main)
}

/** Main's status as an agent. A stopped turn counts as an error, as a stopped subagent does. */
const MAIN_STATUS: Readonly<Record<TurnStatus, SubagentStatus>> = {
  idle: 'pending',
  running: 'running',
  finished: 'success',
  interrupted: 'error',
  failed: 'error',
}

type NodeFacts = Pick<
  AgentNode,
  'id' | 'status' | 'lineage' | 'agentId' | 'name' | 'description' | 'durationMs'
>

interface Branch {
  readonly facts: NodeFacts
  readonly thread: ConversationThread
  readonly messageIds: ReadonlySet<string>
  readonly own: UsageSum
  /** The nodes of the children, the last one first. */
  readonly childrenReversed: AgentNode[]
}

function branchOf(thread: ConversationThread, facts: NodeFacts, parent?: Branch): Branch {
  const usage = parent ? ownUsage(thread, parent.messageIds) : thread.usage
  const messageIds = messageIdsOf(thread)
  return { facts, thread, messageIds, own: sumUsage(usage), childrenReversed: [] }
}

function nodeOf({ facts, thread, own, childrenReversed }: Branch): AgentNode {
  const children = [...childrenReversed].reverse()
  return omitUndefined({
    ...facts,
    blockCount: thread.blocks.length,
    toolCount: thread.blocks.filter((block) => block.type === 'tool_use').length,
    lastText: thread.blocks.findLast((block) => block.type === 'assistant_text')?.content,
    usage: usageWith(children, own),
    children,
  })
}

function factsOf(subagent: SubagentState, place: Place<unknown>['lineage']): NodeFacts {
  const { toolUseId: id, agentId, name, description, status, durationMs, parentConversationId } = subagent
  return omitUndefined({
    id,
    agentId,
    name,
    description,
    status,
    durationMs,
    lineage: lineageOf(place, parentConversationId),
  })
}

/** Main is not in the list, so main's children are roots there. A root without a parent is an orphan: an agent started it. */
function lineageOf(place: Place<unknown>['lineage'], parent: string | undefined): Lineage {
  if (place !== 'root') return place
  return parent === MAIN ? 'child' : 'orphan'
}
