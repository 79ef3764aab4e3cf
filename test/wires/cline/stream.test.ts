import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clineSource } from '../../../src/wires/cline/index.ts'
import { recordedForms } from '../../laws/recordings.ts'
import { contentOf, wrongJoins } from '../join-law.ts'
import { messagesOf } from '../messages-in.ts'

const streams = [...recordedForms(join(import.meta.dirname, '../../../fixtures/cline'))]
  .filter(({ form }) => form === 'stream')
  .map(({ recording, raw }) => ({ recording, messages: messagesOf('cline', raw) }))

const stateOf = (messages: readonly unknown[]) => clineSource.read(clineSource.open(), messages).session.state

describe.each(streams)('the stream of $recording', ({ recording, messages }) => {
  it('goes on after each of its lines', () => {
    const input = { name: recording, architecture: 'cline', source: clineSource, messages } as const
    expect(wrongJoins(input, messages.length)).toEqual([])
  })
})

describe('several calls at once', () => {
  const { messages = [] } = streams.find(({ recording }) => recording === '07-three') ?? {}
  const isAnnounced = (message: unknown) => Object(message).hookEventName === 'tool_call'
  const [first, ...others] = messages.filter(isAnnounced).slice(0, 3)
  // A quick program announces them in one millisecond, so their lines are equal.
  const quick = messages.map((message) => (others.includes(message) ? first : message))
  const at = quick.indexOf(first)

  it('are of one agent, though their announcements are equal', () => {
    expect(quick.slice(at, at + 3)).toEqual([first, first, first])
    expect(contentOf(stateOf(quick))).toEqual(contentOf(stateOf(messages)))
  })

  it('stay so if announcements come again', () => {
    const again = [...quick.slice(0, at + 2), ...quick.slice(at - 2)]
    expect(contentOf(stateOf(again))).toEqual(contentOf(stateOf(messages)))
  })
})
