import { expect, it } from 'vitest'
import { promptKey } from '../../../src/wires/claude/block-ids.ts'
import { claudeSource } from '../../../src/wires/claude/source.ts'
import { init, readStream, userMessage } from './messages.ts'

it('a prompt with parts has a key of its own', () => {
  expect(promptKey('A', [{ type: 'text', text: 'Hi.' }])).not.toBe(promptKey('A', 'Hi.'))
  expect(promptKey('A', 'Hi.')).not.toBe(promptKey('B', 'Hi.'))
})

it('the prompt of a line is not in the queue, so the same words after a restart are another prompt', () => {
  const { state } = readStream(init, userMessage('Hi.', { uuid: 'u1' }))
  const restarted = claudeSource.open(state)
  const { session } = claudeSource.read(restarted, [userMessage('Hi.', { uuid: 'u2' })])
  expect(session.state.blocks.map(({ id }) => id)).toEqual(['u1', 'u2'])
})
