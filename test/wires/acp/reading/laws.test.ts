import { describe, it } from 'vitest'
import { checkJoin } from '../../../../src/entries/testing.ts'
import { acpSource } from '../../../../src/wires/acp/source.ts'
import { depth, sampleOf } from '../../../depth.ts'
import { messagesIn } from '../../recordings.ts'
import { checkRecording } from '../../source-law.ts'
import { bareUpdates, recordings } from '../recordings.ts'

const forms = recordings.flatMap(({ name, live, load }) => [
  { name, form: 'log of a load', messages: messagesIn(load) },
  { name, form: 'updates alone', messages: bareUpdates(live) },
])

describe.each(forms)('$name, $form', ({ messages }) => {
  it('keeps the laws of a source', () => {
    checkRecording(acpSource, messages)
  })
})

/** A load begins after the last compaction, and nothing numbers the chunks of a text that only the stream has. */
const joined = recordings.filter(({ name }) => !name.includes('compact'))

describe.each(joined)('$name: a load, then the stream', ({ live, load }) => {
  it('adds only content that a load does not carry', () => {
    const messages = messagesIn(live)
    checkJoin(acpSource, { history: messagesIn(load), live: messages, cuts: cutsOf(messages) })
  })
})

/** The numbers of messages that come again in a way of `checkJoin`, by the cut. */
const REPEATED = [1, 3, 20]

/** Returns some messages, and none between a request and its answer: an answer alone does not name the call. */
function cutsOf(live: readonly unknown[]): readonly number[] {
  const asked = live.map((message) => /request_permission/.test(JSON.stringify(message)))
  const answered = live.map((message) => /"outcome":\{/.test(JSON.stringify(message)))
  const isBetween = (at: number) =>
    asked.slice(0, Math.max(0, at)).lastIndexOf(true) > answered.slice(0, Math.max(0, at)).lastIndexOf(true)
  const places = [...live.keys()].filter((at) => ![0, ...REPEATED].some((count) => isBetween(at - count)))
  return sampleOf(places, depth({ few: 2, all: 8 }))
}
