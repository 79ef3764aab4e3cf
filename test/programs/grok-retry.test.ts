import { expect, it } from 'vitest'
import { inputs, type RecordedInput, stateOf } from '../wires/inputs.ts'
import { wrongJoins } from '../wires/join-law.ts'

// Grok runs the text of a dropped response on into that of the next one. Nothing of a state showed the retry, so a session from a state began a new text.
const retried = inputs.filter(({ name }) => name.includes('14c-retry-acp'))

it.each(retried.map((input) => [input.name, input] as const))(
  'goes on with a text that is asked for again, from the state at any message: %s',
  (_, input: RecordedInput) => {
    expect(wrongJoins(input, input.messages.length)).toEqual([])
  },
)

it.each(retried.map((input) => [input.name, input] as const))('notes each retry: %s', (_, input) => {
  const notes = stateOf(input).blocks.filter((block) => block.type === 'system')
  expect(notes.map(({ subtype, message }) => [subtype, message.slice(0, 36)])).toEqual([
    ['retry', 'API error (status 429 Too Many Reque'],
    ['retry', 'API error (status 503 Service Unavai'],
    ['retry', 'reqwest error stream: Transport erro'],
  ])
})
