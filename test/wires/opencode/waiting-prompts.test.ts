import { expect, it } from 'vitest'
import { opencodeSource } from '../../../src/wires/opencode/source.ts'
import { answer, completed, main, prompt, running, withEventIds } from './messages.ts'
import { readBoth } from './stored.ts'

// OpenCode 1.18.33: a person writes while the model works. The bus has the prompts at once, and the files have them behind the reply in flight.
const events = [
  ...prompt,
  main.assistantStart('msg_10'),
  main.user('msg_20'),
  main.userText('msg_20', 'prt_20', 'And this?'),
  main.user('msg_21'),
  main.userText('msg_21', 'prt_21', 'And that?'),
  main.tool('msg_10', 'prt_11', running()),
  main.tool('msg_10', 'prt_11', completed('x')),
  main.wholeText('msg_10', 'prt_12', 'One.'),
  main.assistantEnd('msg_10', { finish: 'tool-calls' }),
  main.assistantStart('msg_30'),
  main.wholeText('msg_30', 'prt_30', 'Two.'),
  main.assistantEnd('msg_30', { finish: 'tool-calls' }),
  ...answer,
]

const ORDER = [
  'user_message',
  'tool_use',
  'tool_result',
  'assistant_text',
  'user_message',
  'user_message',
  'assistant_text',
  'assistant_text',
]
const typesOf = (blocks: readonly { readonly type: string }[]) => blocks.map(({ type }) => type)

it('has a prompt that waits behind the reply in flight, live and stored', () => {
  const { blocks } = readBoth(...events).state
  expect(typesOf(blocks)).toEqual(ORDER)
  expect(blocks.flatMap(({ id, type }) => (type === 'user_message' ? [id] : []))).toEqual([
    'msg_01',
    'msg_20',
    'msg_21',
  ])
})

it('has it there from any state, and if events come again', () => {
  const messages = withEventIds(events)
  for (const cut of messages.keys()) {
    const { session } = opencodeSource.read(opencodeSource.open(), messages.slice(0, cut))
    for (const from of [session, opencodeSource.open(session.state)])
      for (const at of [cut, Math.max(0, cut - 5), 0]) {
        const { blocks } = opencodeSource.read(from, messages.slice(at)).session.state
        expect([cut, at, typesOf(blocks)]).toEqual([cut, at, ORDER])
      }
  }
})
