import { expect, it } from 'vitest'
import type { ConversationBlock } from '../../../src/index.ts'
import { promptKey } from '../../../src/wires/claude/block-ids.ts'
import { queuedPrompts } from '../../../src/wires/claude/resume/prompts.ts'

it('a prompt with parts has a key of its own', () => {
  expect(promptKey('A', [{ type: 'text', text: 'Hi.' }])).not.toBe(promptKey('A', 'Hi.'))
  expect(promptKey('A', 'Hi.')).not.toBe(promptKey('B', 'Hi.'))
})

it('prompts of lines, and prompts with parts, are not in the queue', () => {
  const prompt = (id: string, content: 'Hi.' | []): ConversationBlock => ({
    type: 'user_message',
    id,
    conversationId: 'main',
    status: 'complete',
    content,
  })
  expect(queuedPrompts([prompt('a', 'Hi.')])).toEqual([])
  expect(queuedPrompts([])).toEqual([])
})
