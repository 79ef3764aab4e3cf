import { type AgentNode, buildSessionTree, findSubagent, type SessionConversationState } from 'agentfold'
import { usualCost } from '../../core/selectors/cost.ts'
import { ownTokens } from '../../core/selectors/usage.ts'
import { agentTitle } from './agent-title.ts'

/** The cost of an agent alone. */
export interface AgentCost {
  /** `'main'` or the `toolUseId`. */
  readonly id: string
  readonly title: string
  /** Its part of the session's cost, from 0 to 1. */
  readonly part: number
  /** In US dollars. Absent if the program states no cost. */
  readonly usd: number | undefined
}

/** Returns the agents, the dearest first. The cost that a program states for the session is divided by what the tokens usually cost. */
export function agentCosts(state: SessionConversationState): readonly AgentCost[] {
  const costs = allOf(buildSessionTree(state)).map((node) => ({ node, cost: usualCost(ownTokens(node)) }))
  const whole = costs.reduce((sum, { cost }) => sum + cost, 0)
  const { costUsd } = state.session
  return costs
    .map(({ node: { conversationId: id }, cost }) => {
      const part = whole === 0 ? 0 : cost / whole
      const title = id === 'main' ? 'Main' : agentTitle(findSubagent(state, id) ?? {})
      return { id, title, part, usd: costUsd === undefined ? undefined : costUsd * part }
    })
    .sort((left, right) => right.part - left.part)
}

function allOf(node: AgentNode): readonly AgentNode[] {
  return [node, ...node.children.flatMap(allOf)]
}

/** Whether the program states what the session cost. */
export function isPriced(costs: readonly AgentCost[]): boolean {
  return costs.some(({ usd }) => usd !== undefined)
}
