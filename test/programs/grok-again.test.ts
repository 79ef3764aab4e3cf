import { expect, it } from 'vitest'
import type { ConversationBlock } from '../../src/core/state/block.ts'
import type { SessionConversationState } from '../../src/entries/index.ts'
import { loadedSourceOf } from '../../src/wires/sources.ts'
import { sampleOf } from '../depth.ts'
import { inputs, type RecordedInput, stateOf } from '../wires/inputs.ts'

// A text that was asked for again within its message has pieces of several numbers, so it is left out.
// A connection that begins again sends each message again, with the numbers of Grok. The text that was open was cut in two.
const connections = inputs.filter(
  ({ name }) => name.includes('connection of Grok') && !/rewind|load|retry/.test(name),
)

const textsOf = ({ blocks, subagents }: SessionConversationState): readonly (readonly string[])[] =>
  [{ blocks }, ...subagents].map((thread) =>
    thread.blocks.flatMap((block: ConversationBlock) =>
      block.type === 'assistant_text' || block.type === 'thinking' ? [block.content] : [],
    ),
  )

it('has recordings', () => expect(connections.length).toBeGreaterThan(2))

it.each(connections.map((input) => [input.name, input] as const))(
  'has each text once and whole if the connection begins again: %s',
  (_, input: RecordedInput) => {
    const source = loadedSourceOf('acp')
    const whole = textsOf(stateOf(input))
    const wrong = sampleOf([...input.messages.keys()], 12).filter((cut) => {
      const first = source.read(source.open(), input.messages.slice(0, cut)).session
      const again = source.read(first, input.messages).session
      return JSON.stringify(textsOf(source.end(again).session.state)) !== JSON.stringify(whole)
    })
    expect(wrong).toEqual([])
  },
)
