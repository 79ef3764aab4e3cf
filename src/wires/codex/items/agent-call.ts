import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asArray, asObject, asString, isObject, isString, type JsonObject } from '../../../json/values.ts'
import { isoTime } from '../../../session/time.ts'
import { snakeCase } from './fields.ts'
import type { AgentCallItem, AgentState } from './item.ts'
import { type ItemHead, statusOf } from './read-item.ts'

/** Reads a call about agents. Its `receivers` are the agents' threads. */
export function agentCallItem(fields: JsonObject, { id, startedAt, completed }: ItemHead): AgentCallItem {
  const tool = snakeCase(asString(fields.tool) ?? '')
  return {
    id,
    startedAt,
    completedAt: isoTime(completed),
    kind: 'agent-call',
    // The model calls it by the longer name.
    toolName: tool === 'wait' ? 'wait_agent' : tool,
    status: statusOf(fields.status),
    agentIds: asArray(fields.receiver_thread_ids).filter(isString),
    prompt: asString(fields.prompt) || undefined,
    states: agentStates(fields.agents_states),
  }
}

/**
 * Reads the states of agents by thread. Live a state is `{ status: 'completed', message: '…' }`, and in a rollout it is
 * `{ completed: '…' }` or only the name of the status.
 */
function agentStates(states: unknown): readonly AgentState[] {
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
