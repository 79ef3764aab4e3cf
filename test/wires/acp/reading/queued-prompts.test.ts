import { expect, it } from 'vitest'
import type { SessionConversationState } from '../../../../src/entries/index.ts'
import { fold, named, prompt, stop, text } from '../messages.ts'

const first = [...named('grok'), prompt(1, 'One.'), text('m1', 'First '), prompt(2, 'Two.')]
const rest = [text('m1', 'answer.'), stop(1), text('m2', 'Second answer.'), stop(2)]
const wordsOf = (state: SessionConversationState) =>
  state.blocks.map((block) => ('content' in block ? block.content : block.type))
const words = (messages: readonly object[]) => wordsOf(fold(messages).state)

it('shows two prompts of the queue in their order', () => {
  const messages = [...first, prompt(3, 'Three.'), ...rest, text('m3', 'Third.'), stop(3)]
  expect(words(messages)).toEqual(['One.', 'First answer.', 'Two.', 'Second answer.', 'Three.', 'Third.'])
})

it.each([
  ['cancelled', stop(2, 'cancelled')],
  ['an error', { jsonrpc: '2.0', id: 2, error: { code: -32603, message: 'removed' } }],
])('leaves out a prompt that the person has taken back: %s', (_, answer) => {
  const { state } = fold([...first, answer, text('m1', 'answer.'), stop(1)])
  expect(wordsOf(state)).toEqual(['One.', 'First answer.'])
  expect(state.turn.status).toBe('finished')
})

it('begins the turn of a prompt that the program answers at once', () => {
  const messages = [...first.slice(0, -1), prompt(2, 'Two.'), stop(2), text('m1', 'answer.'), stop(1)]
  const { state } = fold([...messages, text('m2', 'Second answer.')])
  expect(wordsOf(state)).toEqual(['One.', 'First answer.', 'Two.', 'Second answer.'])
  expect(fold(messages, { isOpen: true }).state.turn.status).toBe('running')
})
