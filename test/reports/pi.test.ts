import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readSession } from '../../src/entries/node.ts'

const FOLDER = join(import.meta.dirname, '../../fixtures/reports/pi')

it('a call of a reply that broke off is taken back', async () => {
  const file = '2026-11-24T09-00-00-000Z_019fc0de-0004-7000-8000-00000000c0de.jsonl'
  const { state } = await readSession(join(FOLDER, 'context-edit', file))
  const calls = state.blocks.filter(({ type }) => type === 'tool_use')
  expect(calls).toMatchObject([{ input: { command: 'cat menu.txt' }, status: 'complete' }])
})
