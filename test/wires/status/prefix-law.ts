import { isDeepStrictEqual } from 'node:util'
import {
  reduceSessionEvents,
  type SessionConversationState,
  sessionStatus,
} from '../../../src/entries/index.ts'
import type { RecordedInput } from '../inputs.ts'
import type { StatusOracle } from './oracle.ts'
import { oracleFor } from './oracles.ts'

/** Returns what differs from the statuses that the raw messages prove, after each of the first messages or after each one. */
export function wrongStatuses(
  input: RecordedInput,
  count: number = input.messages.length,
): readonly string[] {
  const oracle = oracleFor(input)
  const wrong: string[] = []
  let session = input.source.open()
  for (const [index, message] of input.messages.slice(0, count).entries()) {
    const { state: before } = session
    const reading = input.source.read(session, [message])
    session = reading.session
    const { state } = session
    const folded = reduceSessionEvents(before, reading.events)
    oracle.read(message)
    const faults = [...faultsOf(state, oracle), ...stepsBack(before, state, oracle), ...splits(state, folded)]
    for (const fault of faults) wrong.push(`message ${index}: ${fault}`)
  }
  return wrong
}

function faultsOf(state: SessionConversationState, oracle: StatusOracle): readonly string[] {
  const { status } = state.turn
  const faults = oracle.main.includes(status) ? [] : [`main is ${status}, not ${oracle.main.join(' or ')}`]
  for (const [id, statuses] of oracle.agents) {
    const actual = state.subagents.find(({ toolUseId }) => toolUseId === id)?.status ?? 'absent'
    if (!statuses.includes(actual)) faults.push(`${id} is ${actual}, not ${statuses.join(' or ')}`)
  }
  const areRunning = state.subagents.some((agent) => agent.status === 'running')
  const isOver = status !== 'running' && status !== 'interrupted'
  const isAtWork = status === 'running' || (isOver && areRunning)
  const atWork = isOver && areRunning ? 'background' : status
  const session = isAtWork && oracle.isWaiting ? 'waiting' : atWork
  if (sessionStatus(state) !== session) faults.push(`the session is ${sessionStatus(state)}, not ${session}`)
  return faults
}

/** A turn or an agent that has ended runs again only if the raw message proves it. */
function stepsBack(
  before: SessionConversationState,
  after: SessionConversationState,
  { main, agents }: StatusOracle,
): readonly string[] {
  const isBack = (from: string | undefined, to: string, allowed: readonly string[] = [to]) =>
    from !== undefined && ENDED.has(from) && !ENDED.has(to) && allowed.includes(from)
  const statusBefore = new Map(before.subagents.map(({ toolUseId, status }) => [toolUseId, status]))
  return [
    ...(isBack(before.turn.status, after.turn.status, main) ? ['main steps back'] : []),
    ...after.subagents
      .filter(({ toolUseId, status }) => isBack(statusBefore.get(toolUseId), status, agents.get(toolUseId)))
      .map(({ toolUseId }) => `${toolUseId} steps back`),
  ]
}

const ENDED: ReadonlySet<string> = new Set(['finished', 'interrupted', 'failed', 'success', 'error'])

/** The session has the state that the events lead to. */
function splits(state: SessionConversationState, folded: SessionConversationState): readonly string[] {
  return isDeepStrictEqual(state, folded) ? [] : ['the session and its events have other states']
}
