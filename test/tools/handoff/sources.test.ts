import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readSession } from '../../../src/entries/node.ts'
import { SOURCES } from '../../../tools/handoff/sources.ts'

it.each(SOURCES)('$name is one session', async ({ path }) => {
  const { state } = await readSession(join('fixtures', path))
  expect(state.blocks.length).toBeGreaterThan(1)
})
