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
    const cuts = sampleOf([...messages.keys()], depth({ few: 2, all: 8 }))
    checkJoin(acpSource, { history: messagesIn(load), live: messages, cuts })
  })
})
