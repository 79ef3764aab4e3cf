import { describe, expect, it } from 'vitest'
import { asObject } from '../../../src/core/json/values.ts'
import { copilotSource } from '../../../src/entries/copilot.ts'
import { compareSessions } from '../../../src/entries/parity.ts'
import { checkJoin } from '../../../src/entries/testing.ts'
import { depth, sampleOf } from '../../depth.ts'
import { messagesOf } from '../messages-in.ts'
import { forms, type Pair, pairs, storedAt } from './recordings.ts'

describe.each(forms)('$recording, $form', ({ raw }) => {
  const messages = messagesOf('copilot', raw)

  it('has no unknown message', () => {
    const { issues } = copilotSource.read(copilotSource.open(), messages)
    const unfinished = issues.filter(({ code }) => code !== 'unfinished-subagent')
    expect(unfinished).toEqual([])
  })
})

describe.each(pairs)('$name', (pair) => {
  it('has the state of the file', () => {
    const [live, stored] = [pair.live, pair.stored].map(stateOf)
    if (live && stored) expect(compareSessions(live, stored).differences).toEqual([])
  })

  // The file loses the events of a branch. So a connection that sends them after the rewind sends content that the file never had.
  it.skipIf(pair.name.startsWith('15e-rewind'))('joins the file at any message', () => {
    const { live, stored } = pair
    const cuts = cutsOf(pair)
    checkJoin(copilotSource, { history: stored, live, historyAt: (cut) => storedAt(pair, cut), cuts })
  })
})

// Version 1.0.20 names the call of an agent in the data of its events, and no agent (made from a recording of 1.0.42).
it.each(forms.filter(({ recording }) => recording.startsWith('1.0.42')))(
  'has the agents of an earlier version: $form',
  ({ raw }) => {
    const messages = messagesOf('copilot', raw)
    const earlier = messages.map((message) => {
      const { agentId, data, ...event } = asObject(message)
      return agentId === undefined
        ? message
        : { ...event, data: { parentToolCallId: agentId, ...asObject(data) } }
    })
    expect(earlier).not.toEqual(messages)
    expect(stateOf(earlier)).toEqual(stateOf(messages))
  },
)

function cutsOf({ live }: Pair): readonly number[] {
  return sampleOf([...live.keys()], depth({ few: 2, all: 12 }))
}

function stateOf(messages: readonly unknown[]) {
  return copilotSource.end(copilotSource.read(copilotSource.open(), messages).session).session.state
}
