import { expect, it } from 'vitest'
import { promptText, queuedPrompts } from '../../../src/formats/claude/resume/prompts.ts'
import type { ConversationBlock } from '../../../src/index.ts'

it('the text of a prompt with parts is their JSON', () => {
  expect(promptText(undefined)).toBeUndefined()
  expect(promptText({ content: 'Hi.' })).toBe('Hi.')
  expect(promptText({ content: [{ type: 'text', text: 'Hi.' }] })).toBe('[{"type":"text","text":"Hi."}]')
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
