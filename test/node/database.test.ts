import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { describe, expect, it, vi } from 'vitest'
import {
  followSession,
  type ListIssue,
  listSessions,
  readSession,
  type SessionSummary,
} from '../../src/entries/node.ts'
import { hasDatabaseReader } from '../../src/node/files/database.ts'
import { exportsOf } from '../checks/parity/sessions.ts'
import { inNewFolder } from './follow/growing-session.ts'
import { exported, file } from './opencode-storage.ts'
import { withSqlite, writeDatabase } from './sqlite.ts'

async function list(home: string): Promise<{ summaries: SessionSummary[]; issues: ListIssue[] }> {
  const issues: ListIssue[] = []
  const summaries: SessionSummary[] = []
  for await (const each of listSessions({ home, onIssue: (issue) => issues.push(issue) }))
    summaries.push(each)
  return { summaries, issues }
}

/** Runs a test with the database of a person's home folder. */
const withDatabase = (
  names: readonly string[],
  run: (path: string, home: string) => Promise<void>,
): Promise<void> =>
  inNewFolder(async (home) => {
    const path = join(home, '.local', 'share', 'opencode', 'opencode.db')
    await mkdir(dirname(path), { recursive: true })
    await writeDatabase(path, names)
    await withSqlite(true, () => run(path, home))
  })

/** Writes the exports of a recording. */
async function writeExports(folder: string, name: string): Promise<string> {
  for (const [each, json] of Object.entries(exportsOf(name)))
    await file(join(folder, each.replace(/.*\//, '')), json)
  return folder
}

describe('the database of OpenCode', () => {
  it('is an issue where Node cannot read it', () =>
    inNewFolder(async (home) => {
      const path = await file(join(home, '.local', 'share', 'opencode', 'opencode.db'), 'SQLite format 3')
      await withSqlite(false, async () => {
        expect(hasDatabaseReader()).toBe(false)
        expect(await list(home)).toMatchObject({
          summaries: [],
          issues: [{ code: 'no-database-reader', path }],
        })
        await expect(readSession(`${path}#ses_1`)).rejects.toMatchObject({ code: 'no-database-reader' })
      })
    }))

  it('is an issue in a Node without modules to ask for', async () => {
    const known = process.getBuiltinModule
    try {
      Reflect.set(process, 'getBuiltinModule', undefined)
      expect(hasDatabaseReader()).toBe(false)
    } finally {
      Reflect.set(process, 'getBuiltinModule', known)
    }
  })

  it('is listed, and a session is read with its subagents', () =>
    withDatabase(['04-subagent'], async (path, home) => {
      const { summaries, issues } = await list(home)
      expect(issues).toEqual([])
      expect(summaries).toMatchObject([
        {
          format: 'opencode',
          agents: 1,
          cwd: '/srv/demo',
          firstPrompt: expect.any(String),
          tokens: { inputTokens: 10, outputTokens: 5 },
        },
      ])
      const folder = await writeExports(join(home, 'export'), '04-subagent')
      expect((await readSession(summaries[0]?.path ?? '')).state).toEqual((await readSession(folder)).state)
      await expect(readSession(`${path}#none`)).rejects.toMatchObject({ code: 'no-session' })
    }))

  it('opens without a choice if it has one main session, and names several', async () => {
    await withDatabase(['04-subagent'], async (path, home) => {
      const { summaries } = await list(home)
      const { state } = await readSession(summaries[0]?.path ?? '')
      expect((await readSession(path)).state).toEqual(state)
      expect((await readSession(dirname(path))).state).toEqual(state)
    })
    await withDatabase(['04-subagent', '09-multi-turn'], async (path, home) => {
      const sessions = (await list(home)).summaries.map((each) => each.path)
      expect(sessions).toHaveLength(2)
      await expect(readSession(path)).rejects.toMatchObject({
        code: 'several-sessions',
        sessions: expect.arrayContaining(sessions),
        message: expect.stringMatching(/^\S+: several sessions, choose one:\n {2}\S+#\w+\n {2}\S+#\w+$/),
      })
    })
    await withDatabase([], (path) => expect(readSession(path)).rejects.toMatchObject({ code: 'no-session' }))
  })

  it('is followed', () =>
    withDatabase(['09-multi-turn'], async (path, home) => {
      const id = exported('09-multi-turn').find(({ info }) => info.parentID === undefined)?.info.id
      const folder = await writeExports(join(home, 'export'), '09-multi-turn')
      const updates = followSession(`${path}#${id}`, { pollMs: 20 })[Symbol.asyncIterator]()
      expect((await updates.next()).value.state).toEqual((await readSession(folder)).state)
      await updates.return?.()
    }))

  it('that is broken is an issue', () =>
    withDatabase([], async (path, home) => {
      await writeFile(path, 'no database')
      expect(await list(home)).toMatchObject({ summaries: [], issues: [{ code: 'unreadable', path }] })
    }))

  it('that Node cannot open is an issue', () =>
    withDatabase([], async (path, home) => {
      vi.mocked(process.getBuiltinModule).mockImplementation((() => ({
        DatabaseSync: class {
          constructor() {
            throw new Error('unable to open database file')
          }
        },
      })) as never)
      const reason = 'unable to open database file'
      expect(await list(home)).toMatchObject({
        summaries: [],
        issues: [{ code: 'unreadable', path, reason }],
      })
    }))
})
