import { describe, expect, it } from 'vitest'
import type { SessionConversationState, SubagentState } from '../../../../src/entries/index.ts'
import { toSessionUpdates } from '../../../../src/sinks/acp/to-session-updates.ts'
import { acpSource } from '../../../../src/wires/acp/source.ts'
import { stateOf } from '../../../wires/inputs.ts'
import {
  carriedAgent,
  carriedBlocks,
  carriedTodos,
  withoutNewAgentBlocks,
  withSentMessages,
} from './carried.ts'
import { recordedStates } from './states.ts'

/** One recording has a call without an id, and an agent whose prompt only its conversation shows. A reader makes that a fact of the agent. */
const states = recordedStates.filter(({ name }) => !name.includes('18-agents-elsewhere'))

const replays = new Map<SessionConversationState, Map<string, SessionConversationState>>()

/** Reads the replay of a state, once for all tests. A state without a session id gets one. */
function readBack(state: SessionConversationState, clientCapabilities: object): SessionConversationState {
  const name = JSON.stringify(clientCapabilities)
  const found = replays.get(state)?.get(name)
  if (found) return found
  const back = readAgain(state, clientCapabilities)
  replays.set(state, new Map([...(replays.get(state) ?? []), [name, back]]))
  return back
}

function readAgain(state: SessionConversationState, clientCapabilities: object): SessionConversationState {
  const sessionId = state.session.id ?? 'session'
  const sent = toSessionUpdates(state, { sessionId, clientCapabilities: { ...clientCapabilities } })
  return stateOf({ source: acpSource, messages: sent })
}

const byCall = (subagents: readonly SubagentState[]) =>
  new Map(subagents.map((agent) => [agent.toolUseId, agent]))

/** The calls of an agent, and the agents that it started. */
const callsOf = (agent: SubagentState) =>
  carriedBlocks(agent).filter(({ type }) => type === 'tool_use' || type === 'subagent')

describe.each([
  { form: 'agents in the main session', clientCapabilities: {} },
  { form: 'child sessions', clientCapabilities: { subagents: {} } },
])('a replay with $form that is read', ({ clientCapabilities }) => {
  it.each(states)('gives the main conversation and the plan of $name', ({ state }) => {
    const back = readBack(state, clientCapabilities)
    expect(carriedBlocks(withoutNewAgentBlocks(back, state))).toEqual(carriedBlocks(withSentMessages(state)))
    expect(back.todos).toEqual(carriedTodos(state.todos))
  })
})

describe('agents in the main session that are read', () => {
  it.each(states)('have their calls in $name', ({ state }) => {
    const back = byCall(readBack(state, {}).subagents)
    expect([...back.keys()].sort()).toEqual([...byCall(state.subagents).keys()].sort())
    for (const agent of state.subagents) {
      const read = back.get(agent.toolUseId)
      // The protocol has no field for the agent's own id.
      const { agentId, ...facts } = carriedAgent(agent)
      expect(read && carriedAgent(read, agent)).toEqual({ ...facts, agentId: undefined })
      expect(read && callsOf(read)).toEqual(callsOf(agent))
    }
  })
})

describe('child sessions that are read', () => {
  it.each(states)('have their facts, their conversation and their plan in $name', ({ state }) => {
    const back = byCall(readBack(state, { subagents: {} }).subagents)
    expect([...back.keys()].sort()).toEqual([...byCall(state.subagents).keys()].sort())
    for (const agent of state.subagents) {
      const read = back.get(agent.toolUseId)
      expect(read && carriedAgent(read, agent)).toEqual(carriedAgent(agent))
      expect(read && carriedBlocks(read)).toEqual(carriedBlocks(withSentMessages(agent)))
      expect(read?.todos).toEqual(carriedTodos(agent.todos))
    }
  })
})
