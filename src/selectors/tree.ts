import { omitUndefined } from '../json/omit-undefined.ts'
import {
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../state/session.ts'
import type { SubagentStatus } from '../state/subagent.ts'
import { type Place, topDown } from './forest.ts'
import { sumUsage, type UsageSum, usageWith } from './usage.ts'

/**
 * How an agent came to its place in the tree:
 * - `root`: nobody is known to have started it
 * - `child`: the agent above it started it
 * - `orphan`: an agent started it that is not known, or not there
 * - `cycle`: bad data hangs it below itself; it is cut off there
 * - `claim`: it has been called and has not started yet
 * - `expired-claim`: it has been called and has not started in time
 */
export type Lineage = Place<unknown>['lineage'] | 'claim' | 'expired-claim'

/** An agent with those that it started. */
export interface AgentNode {
  /** `'main'` or the `toolUseId`; of an agent that a gateway sees its id. */
  readonly id: string
  readonly agentId?: string
  readonly name?: string
  readonly description?: string
  readonly status: SubagentStatus
  readonly lineage: Lineage
  /** Of its conversation; absent, like what follows, where only requests are seen. */
  readonly blockCount?: number
  /** Tool calls of its own; the subagents that it started are its children. */
  readonly toolCount?: number
  /** The last text that the agent wrote. */
  readonly lastText?: string
  /** In ms. */
  readonly durationMs?: number
  readonly usage: {
    /** Of its own messages; a parent's message that was copied into a forked agent counts for the parent alone. */
    readonly own: UsageSum
    /** With everything below it. */
    readonly total: UsageSum
  }
  readonly children: readonly AgentNode[]
}

/**
 * Returns the session's agents as a tree with main as its root, children in the order of their start. Every subagent is
 * in it: one whose parent is not known, or that bad data hangs under itself, is a child of main.
 */
export function buildSessionTree(state: SessionConversationState): AgentNode {
  const main = branchOf(state, { id: MAIN, status: mainStatus(state), lineage: 'root' })
  const branches = new Map<SubagentState, Branch>()
  const places = topDown(state.subagents, {
    idOf: ({ toolUseId }) => toolUseId,
    // An agent that has the id of main is nobody's parent.
    parentOf: ({ parentConversationId: parent }) => (parent === MAIN ? undefined : parent),
  })
  const parentOf = (subagent: SubagentState): Branch => {
    const parent = places.get(subagent)?.parent
    return (parent && branches.get(parent)) ?? main
  }
  for (const [subagent, { lineage }] of places)
    branches.set(subagent, branchOf(subagent, factsOf(subagent, lineage), parentOf(subagent)))
  // From the leaves up, without recursion: agents may be nested to any depth.
  for (const [subagent, branch] of [...branches].reverse()) parentOf(subagent).below.push(finished(branch))
  return finished(main)
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
  /** The finished children, the last one first. */
  readonly below: AgentNode[]
}

function branchOf(thread: ConversationThread, facts: NodeFacts, parent?: Branch): Branch {
  const messageIds = new Set(thread.usage.map((entry) => entry.messageId))
  // A parent's message that was copied into a forked agent is not counted again.
  const usage = parent
    ? thread.usage.filter((entry) => !parent.messageIds.has(entry.messageId))
    : thread.usage
  return { facts, thread, messageIds, own: sumUsage(usage), below: [] }
}

function finished({ facts, thread, own, below }: Branch): AgentNode {
  const children = [...below].reverse()
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

/** Every subagent has been started by somebody; those of main are roots among the subagents. */
function lineageOf(place: Place<unknown>['lineage'], parent: string | undefined): Lineage {
  if (place !== 'root') return place
  return parent === MAIN ? 'child' : 'orphan'
}

/** Main runs while one of its blocks is pending; it has failed if an error is the last that it came to. */
function mainStatus({ blocks }: ConversationThread): SubagentStatus {
  if (blocks.length === 0) return 'pending'
  if (blocks.some((block) => block.type !== 'subagent' && block.status === 'pending')) return 'running'
  return blocks.at(-1)?.type === 'error' ? 'error' : 'success'
}
