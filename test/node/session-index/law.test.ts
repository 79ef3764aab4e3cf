import { existsSync } from 'node:fs'
import { appendFile, mkdtemp, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listSessions, openSessionIndex, readSession, type SessionIndex } from '../../../src/entries/node.ts'
import { findMatches } from '../../../src/node/search.ts'
import { searchPattern } from '../../../src/node/search-pattern.ts'
import { foundMatch } from '../../../src/node/session-index/session-questions.ts'
import { STATISTIC_KEYS } from '../../../src/node/session-index/statistics.ts'
import { depth } from '../../depth.ts'
import { ChangingHome, foundHistories, histories, type Step } from './histories.ts'

const TEXTS = ['tea', 'KÖLN', 'boil water', '天気', 'nothing has this', 'a']
/** No file is too new then for its stamp to count. In 2026, each session of a history is read again, because it changed just before. */
const LATER = Date.UTC(2040, 0, 3)
const NOW = Date.UTC(2026, 0, 3)

async function answersOf(index: SessionIndex): Promise<unknown> {
  await index.update()
  const searches = await Promise.all([
    ...TEXTS.map((text) => index.search(text)),
    index.search('', { tool: 'command' }),
    index.search('', { file: 'src/tea.ts' }),
    index.search('', { input: 'cat tea' }),
    index.search('tea', { role: 'user', limit: 2 }),
    index.search('', { failed: true }),
  ])
  const statistics = await Promise.all(STATISTIC_KEYS.map((by) => index.stats({ by, since: '2026-01-02' })))
  return {
    records: await index.records(),
    cwd: await index.sessions({ cwd: '/srv/project-1' }),
    searches,
    statistics,
  }
}

/** Asks the files themselves: no index, and no part of its code but the one that finds a text in a session. */
async function checkWithFiles(home: string, index: SessionIndex): Promise<void> {
  const listed: string[] = []
  const found: unknown[] = []
  for await (const session of listSessions({ home })) {
    const { path, title } = session
    listed.push(path)
    const { state } = await readSession(path)
    for (const match of findMatches({ title, state }, searchPattern('tea')))
      found.push(foundMatch(session, match))
  }
  expect((await index.sessions()).map(({ path }) => path)).toEqual(listed)
  expect(await index.search('tea')).toEqual(found)
}

class Machine {
  readonly #home: string
  readonly #files: ChangingHome
  readonly #path: string
  readonly #now: number
  #index: SessionIndex | undefined

  constructor(home: string, now: number) {
    this.#home = home
    this.#now = now
    this.#files = new ChangingHome(home)
    this.#path = join(home, '.cache', 'index.db')
  }

  async #open(path: string | false = this.#path): Promise<SessionIndex> {
    return openSessionIndex({ home: this.#home, path, now: () => this.#now })
  }

  async run(step: Step): Promise<void> {
    await this.#files.run(step)
    switch (step.operation) {
      case 'ask':
        return this.check()
      case 'reopen':
        await this.#index?.close()
        this.#index = undefined
        return
      case 'damage':
        return this.#damage(step.file, step.detail)
      case 'cut-index':
        return existsSync(this.#path) ? truncate(this.#path, step.detail * 40) : undefined
      case 'remove-index':
        return rm(this.#path, { force: true })
      case 'killed':
        return this.#leaveHalf()
      case 'second': {
        // Another process at the same time.
        const other = await this.#open()
        this.#index ??= await this.#open()
        await Promise.all([other.update(), this.#index.update()])
        await other.close()
        return
      }
      default:
        return undefined
    }
  }

  /** A process that was killed leaves half of a block, and the beginning of a file that it wrote anew. */
  async #leaveHalf(): Promise<void> {
    if (!existsSync(this.#path)) return
    const bytes = await readFile(this.#path)
    await appendFile(this.#path, bytes.subarray(0, bytes.length / 2))
    await writeFile(`${this.#path}.new`, bytes.subarray(0, bytes.length / 2))
    await utimes(`${this.#path}.new`, 1e9, 1e9)
  }

  async #damage(file: number, detail: number): Promise<void> {
    if (!existsSync(this.#path)) return
    const bytes = await readFile(this.#path)
    for (let at = (file * 997 + detail) % 4_096; at < bytes.length; at += 1 + 37 * (1 + (detail % 90)))
      bytes[at] = (bytes[at] ?? 0) ^ (1 + (detail % 200))
    await writeFile(this.#path, bytes)
  }

  async check(): Promise<void> {
    const without = await this.#open(false)
    await this.#checkList(without)
    this.#index ??= await this.#open()
    expect(await answersOf(this.#index)).toEqual(await answersOf(without))
    await checkWithFiles(this.#home, this.#index)
  }

  /** A list alone looks at fewer files. */
  async #checkList(without: SessionIndex): Promise<void> {
    for (const query of [{ limit: 2 }, { cwd: '/srv/project-1', limit: 3 }, {}]) {
      const index = await this.#open()
      const { isComplete } = await index.update({ forList: true })
      expect(isComplete).toBe(true)
      expect(await index.count({ cwd: '/srv/project-0' })).toBe(
        await without.count({ cwd: '/srv/project-0' }),
      )
      expect(await index.sessions(query)).toEqual(await without.sessions(query))
      await index.close()
    }
  }

  async close(): Promise<void> {
    await this.#index?.close()
  }
}

describe('a session index', () => {
  // Only the new lines were read, and the end of the file was as before.
  it('sees a change in the middle of a session that has grown before', async () => {
    const home = await mkdtemp(join(tmpdir(), 'agentfold-'))
    const machine = new Machine(home, LATER)
    const operations = ['write', 'second', 'append', 'second', 'same-size'] as const
    for (const operation of operations)
      await machine.run({ operation, file: 0, detail: operation === 'write' ? 22 : 0 })
    await machine.check()
    await machine.close()
    await rm(home, { recursive: true })
  })

  it(
    'answers as the files do, after any history',
    () =>
      fc.assert(
        fc.asyncProperty(histories, async (steps) => {
          const home = await mkdtemp(join(tmpdir(), 'agentfold-'))
          const machine = new Machine(home, steps.length % 4 === 0 ? NOW : LATER)
          try {
            for (const step of steps) await machine.run(step)
            await machine.check()
          } finally {
            await machine.close()
            await rm(home, { recursive: true })
          }
        }),
        { numRuns: depth({ few: 12, all: 160 }), examples: foundHistories.map((steps) => [steps]) },
      ),
    1_800_000,
  )
})
