import { omitUndefined } from '../../../core/json/fields.ts'
import { addToList } from '../../../core/json/lists.ts'
import { subagentPlaces } from '../../../core/selectors/forest.ts'
import { isSameList } from '../../../core/selectors/memoize.ts'
import { MAIN, type SessionConversationState, type SubagentState } from '../../../core/state/session.ts'
import type { AgentView, ThreadView } from './thread.ts'
import { viewThread } from './thread-view.ts'

/** The messages of all conversations of a state. */
export interface SessionView {
  readonly state: SessionConversationState
  readonly main: ThreadView
  /** In the order of the state. */
  readonly agents: readonly AgentView[]
  /** The agents that main started, and those whose parent is not known. */
  readonly roots: readonly AgentView[]
}

const NO_BRANCHES: readonly never[] = []

/** Returns the messages of a state. Messages that do not change stay the same objects as in the known view. */
export function viewSession(state: SessionConversationState, known: SessionView | undefined): SessionView {
  if (known?.state === state) return known
  const { agents, roots } = viewAgents(state, known)
  const { blocks, usage, todos, branches = NO_BRANCHES } = state
  const facts = { conversationId: MAIN, blocks, usage, todos, branches, agents: roots }
  return { state, main: viewThread(facts, known?.main), agents, roots }
}

function viewAgents(
  state: SessionConversationState,
  known: SessionView | undefined,
): Pick<SessionView, 'agents' | 'roots'> {
  const { subagents } = state
  if (known?.state.subagents === subagents) return known
  const before = new Map(known?.agents.map((view) => [view.agent.toolUseId, view]))
  const children = new Map<number | undefined, AgentView[]>()
  const agents: AgentView[] = []
  // Children before their parents, which show them.
  for (const { index, parent } of subagentPlaces(state).toReversed()) {
    const agent = subagents[index]
    if (!agent) continue
    const view = viewAgent(agent, children.get(index) ?? [], before.get(agent.toolUseId))
    agents[index] = view
    addToList(children, parent, view)
  }
  return { agents, roots: (children.get(undefined) ?? []).toReversed() }
}

function viewAgent(
  agent: SubagentState,
  children: readonly AgentView[],
  known: AgentView | undefined,
): AgentView {
  const agents = children.toReversed()
  if (known?.agent === agent && isSameList(known.thread.facts.agents, agents)) return known
  const { toolUseId: conversationId, blocks, usage, todos, status, agentId, output, durationMs } = agent
  const facts = { conversationId, blocks, usage, todos, branches: NO_BRANCHES, agents }
  const thread = viewThread(facts, known?.thread)
  const messages = [...thread.messages]
  return { agent, thread, output: omitUndefined({ status, agentId, output, durationMs, messages }) }
}
