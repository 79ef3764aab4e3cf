import { join } from 'node:path'
import { expect, it } from 'vitest'
import { branches } from '../../src/entries/index.ts'
import { readSession } from '../../src/entries/node.ts'

const FOLDER = join(import.meta.dirname, '../../fixtures/reports/gemini')

it('a rewind to the result of a call keeps the call, and what followed is a branch', async () => {
  const file = 'chats/session-2026-11-25T09-00-5d0c0de1.jsonl'
  const { state, issues } = await readSession(join(FOLDER, 'rewind-to-result', file))
  const texts = state.blocks.flatMap((block) =>
    block.type === 'user_message' || block.type === 'assistant_text' ? [block.content] : [],
  )
  expect(texts).toEqual([
    ...['Lay the table.', 'Laid.', 'Pour the tea.', 'I pour.'],
    ...['Add some milk.', 'White now.'],
  ])
  expect(state.blocks.filter(({ type }) => type === 'tool_result')).toMatchObject([{ output: 'poured' }])
  const [branch] = branches(state)
  expect(branch?.blocks).toMatchObject([{ content: 'The tea is poured.' }])
  expect(issues).toEqual([])
})
