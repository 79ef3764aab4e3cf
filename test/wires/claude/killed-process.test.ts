import { expect, it } from 'vitest'
import { claudeSource } from '../../../src/wires/claude/source.ts'
import { init, type Message, messageStart, modelLaunches, withUuids } from './messages.ts'

// A stream of two processes: the first one is killed while main waits for an agent.
const stream = withUuids([init, modelLaunches('m1', 't1'), { ...init }, messageStart('m2')])

function statusesAfter(cut: number, from: number, messages: readonly Message[] = stream): readonly string[] {
  const { state } = claudeSource.read(claudeSource.open(), messages.slice(0, cut)).session
  const joined = claudeSource.read(claudeSource.open(state), messages.slice(from)).session.state
  return [joined.turn.status, ...joined.subagents.map(({ status }) => status)]
}

it('ends the agents of a killed process, also where the source goes on from the state alone', () => {
  for (const cut of [2, 3, 4]) expect(statusesAfter(cut, cut)).toEqual(['running', 'error'])
})

it('lets them run while a reconnect repeats the turn', () => {
  expect(statusesAfter(2, 0, stream.slice(0, 2))).toEqual(['running', 'running'])
})
