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
    checkJoin(piSource, { history: messagesIn(stored), live: messages, cuts: cutsOf(messages) })
  })
})

/** The numbers of messages that come again in a way of `checkJoin`, by the cut. */
const REPEATED = [0, 1, 3, 20]

/** Returns some messages, and none between the start of a tool and the answer of its request: an answer alone does not name the call. */
function cutsOf(live: readonly unknown[]): readonly number[] {
  const texts = live.map((message) => JSON.stringify(message))
  const isBetween = (at: number) => {
    const before = texts.slice(0, Math.max(0, at))
    const started = before.findLastIndex((text) => text.includes('"tool_execution_start"'))
    const ended = before.findLastIndex((text) => text.includes('"tool_execution_end"'))
    return started > ended && texts.some((text) => text.includes('extension_ui_request'))
  }
  const places = [...live.keys()].filter(
    (at) => !REPEATED.some((count) => isBetween(at - count) || isBetween(at)),
  )
  return sampleOf(places, depth({ few: 3, all: 16 }))
}
