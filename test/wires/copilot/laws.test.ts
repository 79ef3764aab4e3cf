import { describe, expect, it } from 'vitest'
import { compareSessions } from '../../../src/parity/index.ts'
import { checkJoin, checkSource } from '../../../src/testing/index.ts'
import { copilotSource } from '../../../src/wires/copilot/index.ts'
import { messagesOf } from '../messages-in.ts'
import { forms, type Pair, pairs, storedAt } from './recordings.ts'

describe.each(forms)('$recording, $form', ({ raw }) => {
  const messages = messagesOf('copilot', raw)

  it('obeys the laws of a source, without an unknown message', () => {
    const { issues } = checkSource(copilotSource, messages)
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

function cutsOf({ live }: Pair): readonly number[] {
  const step = Math.ceil(live.length / 24)
  return [...live.keys()].filter((at) => at % step === 0)
}

function stateOf(messages: readonly unknown[]) {
  return copilotSource.end(copilotSource.read(copilotSource.open(), messages).session).session.state
}
