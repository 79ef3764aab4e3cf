import { omitUndefined } from '../../core/json/fields.ts'
import { asArray, asObject, asString, isObject, isString, type JsonObject } from '../../core/json/values.ts'
import { snakeCase, WAIT_AGENT } from './tool-names.ts'

/** The status of a call. A person has refused a declined one. */
export type CallStatus = 'in_progress' | 'completed' | 'failed' | 'declined'

/** A call that starts agents, waits for them or stops them. */
export interface AgentCall {
  readonly toolName: string
  readonly status: CallStatus
  /** The threads of the agents. */
  readonly agentIds: readonly string[]
  readonly prompt?: string | undefined
  readonly states: readonly AgentState[]
}

/** The status of an agent in a call. */
export interface AgentState {
  readonly agentId: string
  readonly status: string
  /** The agent's report, or the reason of its failure. */
  readonly message?: string | undefined
}

/** Reads a call about agents. Its `receivers` are the agents' threads. */
export function readAgentCall(fields: JsonObject): AgentCall {
  const tool = snakeCase(asString(fields.tool) ?? '')
  return {
    // The model calls it by the longer name.
    toolName: tool === 'wait' ? WAIT_AGENT : tool,
    status: callStatus(fields.status),
    agentIds: asArray(fields.receiver_thread_ids).filter(isString),
    prompt: asString(fields.prompt) || undefined,
    states: agentStates(fields.agents_states),
  }
}

/** Returns the status of a call. A call without one has ended. */
export function callStatus(status: unknown): CallStatus {
  switch (snakeCase(asString(status) ?? '')) {
    case 'in_progress':
      return 'in_progress'
    case 'failed':
      return 'failed'
    case 'declined':
      return 'declined'
    default:
      return 'completed'
  }
}

/**
 * Reads the states of agents by thread. Live a state is `{ status: 'completed', message: '…' }`, and in a rollout it
 * is `{ completed: '…' }` or only the name of the status.
 */
export function agentStates(states: unknown): readonly AgentState[] {
  return Object.entries(asObject(states)).flatMap(([agentId, state]): readonly AgentState[] => {
    if (isString(state)) return [{ agentId, status: snakeCase(state) }]
    if (!isObject(state)) return []
    const named = asString(state.status)
    if (named !== undefined) return [{ agentId, status: snakeCase(named), message: asString(state.message) }]
    return Object.entries(state)
      .slice(0, 1)
      .map(([status, message]) => ({ agentId, status: snakeCase(status), message: asString(message) }))
  })
}

/** Returns the states of agents by thread, as the output of their call. */
export function statesByAgent(states: readonly AgentState[]): JsonObject {
  return Object.fromEntries(states.map(({ agentId, ...state }) => [agentId, omitUndefined(state)]))
}

/** The statuses of an agent that has ended. */
const ENDED: ReadonlyMap<string, 'completed' | 'error'> = new Map([
  ['completed', 'completed'],
  ['errored', 'error'],
  ['interrupted', 'error'],
  ['shutdown', 'error'],
  ['not_found', 'error'],
])

/** Returns how an agent with that status has ended; undefined while it has not. */
export function endOf(status: string): 'completed' | 'error' | undefined {
  return ENDED.get(status)
}

/** Returns the input of a call about agents. */
export function agentCallInput(agentIds: readonly string[], prompt: string | undefined): unknown {
  return prompt === undefined ? { agentIds } : { agentIds, prompt }
}
