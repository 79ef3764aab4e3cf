import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { followSession, readSession } from '../../../src/entries/node.ts'
import { loadProgress, saveProgress } from '../../../src/node/follow/progress.ts'
import { claudeSource } from '../../../src/wires/claude/source.ts'
import { runs } from '../../depth.ts'
import { recordings as opencodeRecordings } from '../../wires/opencode/recordings.ts'
import { messagesIn, recording } from '../../wires/recordings.ts'
import { inNewFolder } from './growing-session.ts'

const WRONG: readonly unknown[] = [null, 7, -1, 'x', [], {}]

it('a saved progress with a wrong value is loaded or refused, and throws nothing', async () => {
  const messages = messagesIn(recording('01-plain-text').disk.main)
  const { session } = claudeSource.read(claudeSource.open(), messages)
  const facts = { line: 0, transcript: 'a', message: {} }
  const numbers = { offset: 3, lineStart: 3, lineCount: 1, entryCount: 1 }
  const place = { path: 'a.jsonl', ...numbers, head: 'x', tail: 'x', firstTime: 't', time: 't', facts }
  const lines: object = { path: 'a.jsonl', threads: [place, place], last: { time: 't', rank: 'r', index: 1 } }
  const saved: unknown = JSON.parse(
    JSON.stringify({ ...saveProgress({ architecture: 'claude-sdk', session }), lines }),
  )
  expect(await loadProgress(saved)).toHaveProperty('lines')
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 40 }), fc.constantFrom(...WRONG), async (at, wrong) => {
      let left = at
      const spoil = (value: unknown, depth: number): unknown => {
        if (left-- === 0) return wrong
        if (depth > 3 || typeof value !== 'object' || value === null) return value
        if (Array.isArray(value)) return value.map((item) => spoil(item, depth + 1))
        return Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, item]) => [key, spoil(item, depth + 1)]),
        )
      }
      const loaded = await loadProgress(spoil(saved, 0))
      if (loaded) expect(loaded.session.state).toHaveProperty('blocks')
    }),
    { numRuns: runs(300) },
  )
})

it('an export that is written again, removed and written anew is followed', () =>
  inNewFolder(async (folder) => {
    const [first, second] = opencodeRecordings
    if (!first || !second) throw new Error('no recordings')
    const path = join(folder, 'session.json')
    await writeFile(path, first.disk.main)
    const ids = new Set<string | undefined>()
    const last = (await readSession(await copyOf(join(folder, 'second.json'), second.disk.main))).state
      .session.id
    for await (const { state } of followSession(path, { pollMs: 20 })) {
      ids.add(state.session.id)
      if (state.session.id === last) break
      await rm(path, { force: true })
      await writeFile(path, second.disk.main)
    }
    expect(ids.size).toBe(2)
  }))

async function copyOf(path: string, content: string): Promise<string> {
  await writeFile(path, content)
  return path
}
