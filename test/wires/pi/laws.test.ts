import { describe, expect, it } from 'vitest'
import { compareSessions } from '../../../src/entries/parity.ts'
import { checkJoin } from '../../../src/entries/testing.ts'
import { piSource } from '../../../src/wires/pi/source.ts'
import { depth, sampleOf } from '../../depth.ts'
import { lawFaults } from '../../laws/law-faults.ts'
import type { RecordedForm } from '../../laws/recordings.ts'
import { messagesOf } from '../messages-in.ts'
import { forms } from './recordings.ts'

const messagesIn = ({ raw }: RecordedForm) => messagesOf('pi', raw)
const stateOf = (form: RecordedForm) =>
  piSource.end(piSource.read(piSource.open(), messagesIn(form)).session).session.state

describe.each(forms)('$recording, $form', (form) => {
  it('has the facts, and true statuses after each message', () => {
    expect(lawFaults(form, { cuts: depth({ few: 1, all: 3 }) })).toEqual([])
  })

  it('gives no issue', () => {
    expect(piSource.read(piSource.open(), messagesIn(form)).issues).toEqual([])
  })
})

const pairs = forms.flatMap((live) => {
  const stored = forms.find(({ recording, form }) => recording === live.recording && form === 'store')
  return live.form === 'store' || !stored ? [] : [{ name: live.recording, live, stored }]
})

describe.each(pairs)('$name: the stream and the files', ({ name, live, stored }) => {
  it('give the same state as far as each carries the content', () => {
    expect(compareSessions(stateOf(live), stateOf(stored)).differences).toEqual([])
  })

  // A stream does not show a move in the tree, so what the files have on a branch is in the stream's conversation.
  it.skipIf(name === '15b-tree')('join at any message', () => {
    const messages = messagesIn(live)
    checkJoin(piSource, { history: messagesIn(stored), live: messages, cuts: cutsOutsideCalls(messages) })
  })
})

/** Returns places that no call spans, if tools ask: an answer does not name the call, so the request would be another one. */
function cutsOutsideCalls(live: readonly unknown[]): readonly number[] {
  const texts = live.map((message) => JSON.stringify(message))
  const asks = texts.some((text) => text.includes('extension_ui_request'))
  const isInCall = (at: number) => {
    const last = (type: string) =>
      texts.slice(0, Math.max(0, at)).findLastIndex((text) => text.includes(type))
    return asks && last('"tool_execution_start"') > last('"tool_execution_end"')
  }
  const places = [...live.keys()].filter(
    (at) => !REPEATED_IN_JOIN.some((repeated) => isInCall(at - repeated)),
  )
  return sampleOf(places, depth({ few: 3, all: 16 }))
}

/** The numbers of messages that come again in a way of `checkJoin`. */
const REPEATED_IN_JOIN = [0, 1, 3, 20]
