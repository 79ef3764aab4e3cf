import { expect, it } from 'vitest'
import { buildSessionTree, textOf, totalTokens } from '../../../src/entries/index.ts'
import { fold, spawn, upsert, usage } from '../reducer/example.ts'

const base = { id: 'b', status: 'complete', conversationId: 'main' } as const
const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } } as const
const result = { ...base, type: 'tool_result', toolUseId: 'c', isError: false } as const

it.each([
  [{ ...base, type: 'user_message', content: 'Hi.' } as const, 'Hi.'],
  [
    {
      ...base,
      type: 'user_message',
      content: [{ type: 'text', text: 'a' }, image, { type: 'text', text: 'b' }],
    } as const,
    'a\nb',
  ],
  [{ ...result, output: 'done' } as const, 'done'],
  [{ ...result, output: [{ type: 'text', text: 'a' }, image, 'b'] } as const, 'a\nb'],
  [{ ...result, output: { content: [{ type: 'text', text: 'a' }] } } as const, 'a'],
  [{ ...result, output: 5 } as const, ''],
  [{ ...base, type: 'request', kind: 'permission', title: 'Bash: ls' } as const, 'Bash: ls'],
  [{ ...base, type: 'error', message: 'No tokens.' } as const, 'No tokens.'],
  [{ ...base, type: 'tool_use', toolName: 'Bash', toolUseId: 'c', input: {} } as const, ''],
])('returns the text of a block: %j', (block, text) => {
  expect(textOf(block)).toBe(text)
})

it('adds the tokens of an agent and all agents below it, final and provisional', () => {
  const state = fold(
    usage('m1', 1),
    spawn('T'),
    usage('m2', 2, { conversationId: 'T' }),
    usage('m3', 4, { conversationId: 'T', final: false }),
    upsert({ ...base, type: 'assistant_text', content: '' }),
  )
  expect(totalTokens(buildSessionTree(state))).toMatchObject({ messages: 3, outputTokens: 7 })
})
