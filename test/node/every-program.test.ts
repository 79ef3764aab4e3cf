import { existsSync, statSync } from 'node:fs'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listSessions, readSession, type SessionSummary } from '../../src/entries/node.ts'
import { allPrograms } from '../../src/programs/all.ts'
import { storageOf } from '../../src/programs/storages.ts'
import { agentfold } from '../cli/terminal.ts'
import { STEP_PROGRAMS } from '../wires/steps/programs.ts'
import { writeStore } from '../wires/steps/write-store.ts'
import { inNewFolder } from './follow/growing-session.ts'
import { withSqlite, writeDatabase } from './sqlite.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures')

/** A recorded store of each program, and the place of its files below a home folder. */
const STORES: readonly (readonly [program: string, from: string, to: string])[] = [
  ['claude-code', 'claude-code/04-subagent-forward/transcript', '.claude/projects'],
  ['codex', 'codex/01-plain-text/sessions', '.codex/sessions'],
  ['pi', 'pi/10-subagent-fails/store/.pi', '.pi'],
  ['oh-my-pi', 'pi/omp-06-subagent/store/.omp', '.omp'],
  ['kimi', 'kimi/12d-abort-web/store/sessions', '.kimi-code/sessions'],
  ['copilot', 'copilot/13c-killed-subagent/store/session-state', '.copilot/session-state'],
  ['gemini', 'gemini/06-subagent/store', '.gemini/tmp'],
  ['qwen', 'qwen/06-subagent/store/.qwen', '.qwen'],
  ['cline', 'cline/07-three/store/.cline', '.cline'],
  ['grok', 'grok/08-nested/sessions', '.grok/sessions'],
  ['kilo', 'kilo/06-subagent/kilo.db', '.local/share/kilo/kilo.db'],
]

/** Runs a test on a machine with a session of each program. */
const onMachine = (run: (home: string) => Promise<void>): Promise<void> =>
  inNewFolder(async (home) => {
    for (const [, from, to] of STORES) await cp(join(FIXTURES, from), join(home, to), { recursive: true })
    const database = join(home, '.local/share/opencode/opencode.db')
    await mkdir(join(database, '..'), { recursive: true })
    await writeDatabase(database, ['04-subagent'])
    for (const { stored } of STEP_PROGRAMS) await writeStore(home, stored)
    await withSqlite(true, () => run(home))
  })

const programs = [
  ...STORES.map(([program]) => program),
  ...STEP_PROGRAMS.map(({ architecture }) => architecture),
  'opencode',
].sort()

it('lists the sessions of all programs of a machine, each once and with its program', () =>
  onMachine(async (home) => {
    const found: SessionSummary[] = []
    const issues: unknown[] = []
    for await (const each of listSessions({ home, onIssue: (issue) => issues.push(issue) })) found.push(each)
    expect(issues).toEqual([])
    expect(found.map(({ program }) => program).sort()).toEqual(programs)
    for (const { path, program } of found) {
      const { state } = await readSession(path)
      expect([program, state.session.program]).toEqual([program, program])
    }
  }))

const afterFirst = (text: string) => text.slice(text.indexOf('\n'))

// A session with half of a first line was gone from the list, and `show` read it.
it.each<[string, (text: string) => string]>([
  ['half of its first line', (text) => text.slice(0, text.indexOf('\n') / 2) + afterFirst(text)],
  ['an open object before it', (text) => `{\n${text}`],
  ['an open list in its first line', (text) => `[${afterFirst(text)}`],
  ['no end', (text) => text.slice(0, text.length / 2)],
  ['the beginning of its first line alone', (text) => text.slice(0, text.indexOf('\n') / 2)],
  ['nothing', () => ''],
])('lists what a reading reads of files with %s', (_, damage) =>
  onMachine(async (home) => {
    const paths: string[] = []
    for await (const { path } of listSessions({ home }))
      if (existsSync(path) && statSync(path).isFile()) paths.push(path)
    expect(paths.length).toBeGreaterThan(8)
    const read: string[] = []
    for (const path of paths) {
      const text = damage(await readFile(path, 'utf8'))
      await writeFile(path, text)
      if ((await agentfold(['show', '-'], { stdin: [text] })).code === 0) read.push(path)
    }
    const listed: string[] = []
    for await (const { path } of listSessions({ home })) if (paths.includes(path)) listed.push(path)
    expect(listed.sort()).toEqual(read.sort())
  }),
)

it.each([
  ['no database', 'Some text.'],
  ['empty', ''],
])('says that it passes over the database of a channel that cannot be read: %s', (_, content) =>
  onMachine(async (home) => {
    const path = join(home, '.local/share/opencode/opencode-dev.db')
    await writeFile(path, content)
    const { out, err } = await agentfold(['list', '--all', '--no-index'], { home })
    expect(out).toContain('opencode')
    expect(err).toContain(path)
  }),
)

it('lists the databases of channels', () =>
  onMachine(async (home) => {
    const folder = join(home, '.local/share/opencode')
    await cp(join(folder, 'opencode.db'), join(folder, 'opencode-dev.db'))
    await cp(join(folder, 'opencode.db'), join(folder, 'opencode-backup.db.old'))
    const paths: string[] = []
    for await (const { path, program } of listSessions({ home })) if (program === 'opencode') paths.push(path)
    const files = paths.map((path) => path.slice(folder.length + 1).replace(/#.*$/, ''))
    expect(files.sort()).toEqual(['opencode-dev.db', 'opencode.db'])
    expect((await readSession(folder)).state.session.program).toBe('opencode')
    for (const path of paths) expect((await readSession(path)).state.session.program).toBe('opencode')
  }))

it('prints the program of each', () =>
  onMachine(async (home) => {
    const { out } = await agentfold(['list', '--all'], { home })
    const lines = out.trim().split('\n')
    expect(lines.map((line) => line.split('\t')[2]).sort()).toEqual(programs)
  }))

// The filter reads no session whose file does not have the words of the folder.
it('finds the sessions of a folder, whichever program wrote them', () =>
  onMachine(async (home) => {
    const all: SessionSummary[] = []
    for await (const each of listSessions({ home })) all.push(each)
    for (const folder of ['/srv', '/srv/demo']) {
      const inFolder = all.filter(({ cwd }) => cwd === folder || cwd?.startsWith(`${folder}/`))
      expect(inFolder.length).toBeGreaterThan(8)
      const { out } = await agentfold(['list', '--all', '--json', '--cwd', folder], { home })
      const paths = out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).path)
      expect(paths.sort()).toEqual(inFolder.map(({ path }) => path).sort())
    }
    expect((await agentfold(['list', '--cwd', '/srv/other'], { home })).code).toBe(0)
  }))

it('has a store of each program that stores sessions', () => {
  const stored = allPrograms().flatMap(({ names: [name] }) => (storageOf(name) ? [name] : []))
  // Its files are those of Pi. No recording is of its own.
  expect(stored.filter((name) => !programs.includes(name))).toEqual(['openclaw'])
})
