import { omitUndefined } from '../json/fields.ts'
import { addToList } from '../json/lists.ts'
import { type ConversationBlock, lastText } from '../state/block.ts'
import {
  MAIN,
  type MessageUsage,
  type SessionConversationState,
  type SessionFacts,
  type SubagentState,
} from '../state/session.ts'
import type { SubagentStatus } from '../state/subagent.ts'
import type { TurnStatus } from '../state/turn.ts'
import { type Place, type SubagentPlace, subagentPlaces } from './forest.ts'
import { isSameList, memoizeWeakly } from './memoize.ts'
import { type AgentUsage, ownUsage, sumUsage, usageWith } from './usage.ts'

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
  readonly conversationId: string
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
  /** A parent's message that was copied into a forked agent counts for the parent alone. */
  readonly usage: AgentUsage
  readonly children: readonly AgentNode[]
}

/**
 * Returns the session's agents as a tree with main as its root and children in the order of their start. The tree has
 * every subagent: one with an unknown parent, or one that bad data puts below itself, is a child of main. From state
 * to state, a node stays the same object as long as its agent and all agents below it stay the same.
 */
export function buildSessionTree(state: SessionConversationState): AgentNode {
  const { subagents, session } = state
  const places = subagentPlaces(state)
  const last = trees.get(session)
  const hasMoved = last?.places !== places
  const tree = last && !hasMoved ? last : newTree(places, last)
  trees.set(session, tree)
  const changed = new Set<number | undefined>()
  // From the leaves up, without recursion: agents may be nested to any depth.
  for (const place of tree.fromLeaves) {
    const { index, parent } = place
    const agent = subagents[index]
    if (!agent) continue
    const known = tree.agents[index]
    const ofParent = ((parent !== undefined && subagents[parent]) || state).usage
    const areChildrenKnown = !hasMoved && !changed.has(index)
    if (known?.agent === agent && known.ofParent === ofParent && areChildrenKnown) continue
    const children = areChildrenKnown && known ? known.node.children : childrenIn(tree, index)
    const node = agentNode({ agent, place, ofParent, children }, known)
    tree.agents[index] = { agent, ofParent, node }
    if (node !== known?.node) changed.add(parent)
  }
  return mainNode(state, tree, hasMoved || changed.has(undefined))
}

/** The tree that the last state of a session led to. The next state replaces what has changed. */
interface KnownTree {
  readonly places: readonly SubagentPlace[]
  readonly fromLeaves: readonly SubagentPlace[]
  /** By the parent's index: the indexes of the children. */
  readonly children: ReadonlyMap<number | undefined, readonly number[]>
  /** By index. */
  readonly agents: KnownAgent[]
  main: KnownMain | undefined
}

/** An agent's node, and what it follows from besides its children. */
interface KnownAgent {
  readonly agent: SubagentState
  readonly ofParent: readonly MessageUsage[]
  readonly node: AgentNode
}

interface KnownMain {
  readonly blocks: readonly ConversationBlock[]
  readonly node: AgentNode
}

/** The key is the facts of the session, because most events do not change them. */
const trees = /* @__PURE__ */ new WeakMap<SessionFacts, KnownTree>()

function newTree(places: readonly SubagentPlace[], last: KnownTree | undefined): KnownTree {
  const children = new Map<number | undefined, number[]>()
  for (const { index, parent } of places) addToList(children, parent, index)
  return { places, fromLeaves: places.toReversed(), children, agents: last?.agents ?? [], main: last?.main }
}

function childrenIn({ children, agents }: KnownTree, parent: number | undefined): readonly AgentNode[] {
  return (children.get(parent) ?? []).flatMap((index) => agents[index]?.node ?? [])
}

interface AgentBasis extends Pick<KnownAgent, 'agent' | 'ofParent'> {
  readonly place: SubagentPlace
  readonly children: readonly AgentNode[]
}

function agentNode(
  { agent, place, ofParent, children }: AgentBasis,
  known: KnownAgent | undefined,
): AgentNode {
  const lineage = lineageOf(place.lineage, agent.parentConversationId)
  const usage = usageWith(children, sumUsage(ownUsage(agent.usage, ofParent)))
  const old = known?.agent === agent ? known.node : undefined
  if (old?.lineage === lineage && old.usage === usage && isSameList(old.children, children)) return old
  const { toolUseId: conversationId, agentId, name, description, status, durationMs } = agent
  const facts = { conversationId, agentId, name, description, status, durationMs, lineage }
  return omitUndefined({ ...facts, ...summaryOf(agent.blocks), usage, children })
}

function mainNode(
  { blocks, turn, usage: messages }: SessionConversationState,
  tree: KnownTree,
  haveChildrenChanged: boolean,
): AgentNode {
  const old = tree.main?.blocks === blocks ? tree.main.node : undefined
  const status = MAIN_STATUS[turn.status]
  const children = !old || haveChildrenChanged ? childrenIn(tree, undefined) : old.children
  const usage = usageWith(children, sumUsage(messages))
  if (old?.status === status && old.usage === usage && isSameList(old.children, children)) return old
  const node = omitUndefined({
    conversationId: MAIN,
    status,
    lineage: 'root' as const,
    ...summaryOf(blocks),
    usage,
    children,
  })
  tree.main = { blocks, node }
  return node
}

/** Main's status as an agent. A stopped turn counts as an error, as a stopped subagent does. */
const MAIN_STATUS: Readonly<Record<TurnStatus, SubagentStatus>> = {
  idle: 'pending',
  running: 'running',
  finished: 'success',
  interrupted: 'error',
  failed: 'error',
}

/** Summarizes what an agent did. */
const summaryOf = /* @__PURE__ */ memoizeWeakly((blocks: readonly ConversationBlock[]) => ({
  blockCount: blocks.length,
  toolCount: blocks.reduce((count, { type }) => (type === 'tool_use' ? count + 1 : count), 0),
  lastText: lastText(blocks),
}))

/** Main is not in the list, so main's children are roots there. A root without a parent is an orphan: an agent started it. */
function lineageOf(place: Place<unknown>['lineage'], parent: string | undefined): Lineage {
  if (place !== 'root') return place
  return parent === MAIN ? 'child' : 'orphan'
}
