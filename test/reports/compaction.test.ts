import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { contextTokens } from '../../src/entries/index.ts'
import { readSession } from '../../src/entries/node.ts'
import { writablePrograms, writeSession } from '../../src/entries/writers.ts'

// After reports of strangers: the messages that a program keeps behind its compaction were lost in a hand-over.

const FOLDER = join(import.meta.dirname, '../../fixtures/reports')
const KEPT = join(FOLDER, 'handoff/kept-behind-compaction')
const CONTEXT = join(FOLDER, 'cli/context-after-compaction')
const PI = '2026-11-26T09-00-00-000Z_019fc0de-0007-7000-8000-00000000c0de.jsonl'

async function read(folder: string) {
  const { state, issues } = await readSession(folder)
  expect(issues).toEqual([])
  return state
}

/** Returns the words in the order of the written files. */
function order(files: object, words: readonly string[]): readonly string[] {
  const text = JSON.stringify(files)
  return words.toSorted((left, right) => text.lastIndexOf(left) - text.lastIndexOf(right))
}

describe('what a program keeps behind its compaction', () => {
  const pi = ['Sort the seeds.', 'sorted by size', 'Now by colour.', 'Sorted by colour.', 'Which are blue?']
  const codex = ['Watered.', 'Ferns and moss', 'Water the ferns.', 'And the moss.', 'And the cactus?']

  it('is named by the mark', async () => {
    const state = await read(join(KEPT, 'pi', PI))
    const mark = state.blocks.find(({ type }) => type === 'system')
    const kept = mark?.type === 'system' ? mark.keptBlockIds : []
    const contents = state.blocks.flatMap((block) =>
      kept?.includes(block.id) && 'content' in block ? [block.content] : [],
    )
    expect(contents).toEqual(['Now by colour.', 'Sorted by colour.'])
  })

  it.each(writablePrograms())('stands behind the summary in %s', async (program) => {
    const [first, second] = [await read(join(KEPT, 'pi', PI)), await read(join(KEPT, 'codex/sessions'))]
    expect(order(writeSession(first, { program }).files, pi.toReversed())).toEqual(pi)
    expect(order(writeSession(second, { program }).files, codex.toReversed())).toEqual(codex)
  })
})

it('what Claude Code keeps behind its compaction is named by the mark, and stands behind the summary', async () => {
  const file = 'claude-code/10-compact/transcript/-srv-demo/397d26a3-9e9c-413f-bd78-f32113423888.jsonl'
  const state = await read(join(FOLDER, '..', file))
  const mark = state.blocks.find(({ type, id }) => type === 'system' && id.startsWith('ecc0e706'))
  const kept = mark?.type === 'system' ? mark.keptBlockIds : []
  const contents = state.blocks.flatMap((block) =>
    kept?.includes(block.id) && 'content' in block ? [block.content] : [],
  )
  expect(contents).toEqual(['Listed.'])
  const words = ['This session is being continued', 'Listed.', 'Which word was it?']
  expect(order(writeSession(state, { program: 'codex' }).files, words.toReversed())).toEqual(words)
})

describe('the tokens in the context after a compaction', () => {
  it('are those that the program states, or unknown', async () => {
    const file = '2026-08-10T09-00-00-000Z_019fc0de-0023-7000-8000-00000000c0de.jsonl'
    expect(contextTokens(await read(join(CONTEXT, 'pi', file)))).toBeUndefined()
    expect(contextTokens(await read(join(CONTEXT, 'codex/sessions')))).toBe(13_131)
  })

  it('are those of the next reply', async () => {
    expect(contextTokens(await read(join(KEPT, 'pi', PI)))).toBe(120)
    expect(contextTokens(await read(join(KEPT, 'codex/sessions')))).toBe(105)
  })
})
