import { execFileSync } from 'node:child_process'
import { chmod, cp, mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { basename, join } from 'node:path'
import process from 'node:process'
import { describe, expect, it, vi } from 'vitest'
import {
  type ListIssue,
  type ListOptions,
  listSessions,
  readSession,
  type SessionSummary,
} from '../../src/entries/node.ts'
import { openSession } from '../../src/node/read/open-session.ts'
import { exportsOf } from '../checks/parity/sessions.ts'
import { assistantMessage, text, toText, userMessage } from '../wires/claude/messages.ts'
import { recordings, folder as recordingsFolder } from '../wires/recordings.ts'
import { inNewFolder } from './follow/growing-session.ts'
import { exported, file, writeStorage } from './opencode-storage.ts'

const time = '2026-01-01T00:00:01.000Z'
const session = (id: string, prompt: string) =>
  toText([
    { ...userMessage(prompt, { uuid: `${id}-u` }), sessionId: id, cwd: '/srv/demo', timestamp: time },
    { ...assistantMessage(`${id}-m`, text('Hi.'), { uuid: `${id}-a` }), sessionId: id, timestamp: time },
  ])

async function list(options: ListOptions): Promise<{ summaries: SessionSummary[]; issues: ListIssue[] }> {
  const issues: ListIssue[] = []
  const summaries: SessionSummary[] = []
  for await (const each of listSessions({ ...options, onIssue: (issue) => issues.push(issue) }))
    summaries.push(each)
  return { summaries, issues }
}

const projects = (home: string) => join(home, '.claude', 'projects')

describe('listSessions', () => {
  // They were left out without a word.
  it.runIf(process.platform === 'linux')('names files and folders whose names are not UTF-8', () =>
    inNewFolder(async (home) => {
      const folder = join(projects(home), 'p')
      await mkdir(folder, { recursive: true })
      const named = (start: string, end = '') =>
        Buffer.concat([Buffer.from(start), Buffer.from([0xff]), Buffer.from(end)])
      await writeFile(named(`${folder}/`, '.jsonl'), session('s1', 'Hello'))
      await mkdir(named(`${projects(home)}/`))
      const reason = expect.stringContaining('not UTF-8')
      for (const options of [{ home }, { roots: [projects(home)] }])
        expect((await list(options)).issues.filter(({ path }) => path.startsWith(folder))).toMatchObject([
          { code: 'unreadable', path: `${folder}/\ufffd.jsonl`, reason },
        ])
      expect((await list({ home })).issues).toContainEqual(
        expect.objectContaining({ path: `${projects(home)}/\ufffd`, reason }),
      )
    }),
  )

  it('lists the sessions of a home folder, newest first, with their facts', () =>
    inNewFolder(async (home) => {
      const old = await file(join(projects(home), 'a', 's1.jsonl'), session('s1', 'First question'))
      const titled = `${session('s2', 'Second')}${toText([{ type: 'ai-title', aiTitle: 'Tea', sessionId: 's2' }])}`
      const recent = await file(join(projects(home), 'b', 's2.jsonl'), titled)
      await file(join(projects(home), 'b', 's2', 'subagents', 'agent-a1.jsonl'), session('s2', 'Task'))
      await file(join(projects(home), 'b', 's2', 'subagents', 'agent-a1.meta.json'), '{}')
      await utimes(old, 100, 100)
      await utimes(recent, 200, 200)
      const { summaries, issues } = await list({ home })
      expect(issues).toEqual([])
      expect(summaries).toMatchObject([
        { id: 's2', path: recent, format: 'claude-sdk', title: 'Tea', firstPrompt: 'Second', agents: 1 },
        {
          id: 's1',
          path: old,
          firstPrompt: 'First question',
          cwd: '/srv/demo',
          startedAt: time,
          updatedAt: time,
        },
      ])
      expect(Object.keys(summaries[1] ?? {})).not.toContain('title')
      expect((await list({ home, limit: 1 })).summaries).toHaveLength(1)
    }))

  it.each([
    ['words', 'no JSON\nat all\n'],
    ['NUL bytes', '\0\0\0'],
  ])('reports a file of %s in the folder of a program', (_, content) =>
    inNewFolder(async (home) => {
      await file(join(projects(home), 'a', 's1.jsonl'), session('s1', 'Hello'))
      const damaged = await file(join(projects(home), 'a', 's2.jsonl'), content)
      await file(join(projects(home), 'a', 'empty.jsonl'), '')
      const { summaries, issues } = await list({ home })
      expect(summaries.map(({ id }) => id)).toEqual(['s1'])
      expect(issues).toEqual([
        { code: 'not-a-transcript', path: damaged, reason: 'damaged: it does not begin with JSON' },
      ])
      // A passed folder reported none.
      expect((await list({ roots: [home] })).issues).toEqual(issues)
    }),
  )

  // The links were skipped in silence.
  it('reports links that lead to nothing, in the folder of a program and in a passed one', () =>
    inNewFolder(async (home) => {
      await file(join(projects(home), 'a', 's1.jsonl'), session('s1', 'Hello'))
      const [gone, folder] = [join(projects(home), 'a', 'gone.jsonl'), join(projects(home), 'moved')]
      await symlink('no-such-file.jsonl', gone)
      await symlink('no-such-file.txt', join(projects(home), 'a', 'notes.txt'))
      await symlink('no-such-folder', folder)
      const issue = (path: string) => ({
        code: 'unreadable',
        path,
        reason: 'a link that leads to no file or folder',
      })
      const own = await list({ home })
      expect(own.summaries.map(({ id }) => id)).toEqual(['s1'])
      expect(own.issues).toEqual([issue(folder), issue(gone)])
      expect((await list({ roots: [home] })).issues).toEqual([issue(gone)])
      await rm(projects(home), { recursive: true })
      await symlink(join(home, 'elsewhere'), projects(home))
      expect((await list({ home })).issues).toEqual([issue(projects(home))])
    }))

  it('lists a file of UTF-16, and reports no settings with comments', () =>
    inNewFolder(async (home) => {
      const text = `\ufeff${session('s1', 'Hello')}`
      await writeFile(join(home, 's1.jsonl'), Buffer.from(text, 'utf16le'))
      await file(join(home, 'settings.json'), '// Settings\n{ "a": 1 }')
      const { summaries, issues } = await list({ roots: [home] })
      expect(summaries).toMatchObject([{ id: 's1', firstPrompt: 'Hello' }])
      expect(issues).toEqual([])
    }))

  it('finds every recorded session, and each can be read', () =>
    inNewFolder(async (home) => {
      for (const { name } of recordings)
        await cp(join(recordingsFolder, name, 'transcript'), projects(home), { recursive: true })
      const { summaries, issues } = await list({ home })
      expect(issues).toEqual([])
      expect(summaries).toHaveLength(recordings.length)
      for (const summary of summaries) {
        const { state } = await readSession(summary.path)
        expect({ id: summary.id, cwd: summary.cwd }).toEqual({ id: state.session.id, cwd: state.session.cwd })
        expect(summary.costUsd).toBe(state.session.costUsd)
        expect(summary.model).toBe(state.session.model)
        expect(summary.firstPrompt).toBeDefined()
      }
    }))

  it('skips broken, empty and foreign files, and folders with the name of a session', () =>
    inNewFolder(async (home) => {
      const good = await file(join(projects(home), 'a', 'good.jsonl'), session('good', 'Hi'))
      await file(join(projects(home), 'a', 'empty.jsonl'), '')
      await file(join(projects(home), 'a', 'broken.jsonl'), '{"type":"user","mess\n\u0000\u0001\n')
      await file(join(projects(home), 'a', 'foreign.jsonl'), '{"hello":"world"}\n[1,2]\n')
      await file(join(projects(home), 'notes.txt'), 'x')
      await mkdir(join(projects(home), 'a', 'folder.jsonl'))
      const { summaries, issues } = await list({ home })
      expect(summaries.map(({ path }) => path)).toEqual([good])
      expect(issues).toMatchObject([{ path: join(projects(home), 'a', 'broken.jsonl') }])
    }))

  it('ends in a circle of links, and lists a linked session once', () =>
    inNewFolder(async (home) => {
      const path = await file(join(projects(home), 'a', 's1.jsonl'), session('s1', 'Hi'))
      await symlink(projects(home), join(projects(home), 'circle'))
      await symlink(projects(home), join(projects(home), 'a', 'loop.jsonl'))
      await symlink(path, join(projects(home), 'a', 's2.jsonl'))
      await symlink('self.jsonl', join(projects(home), 'a', 'self.jsonl'))
      expect((await list({ home })).summaries).toHaveLength(1)
      expect((await list({ roots: [home] })).summaries).toHaveLength(1)
    }))

  it.skipIf(process.getuid?.() === 0)('reports a file that the system refuses to read (not as root)', () =>
    inNewFolder(async (home) => {
      const path = await file(join(projects(home), 'a', 's1.jsonl'), session('s1', 'Hi'))
      await chmod(path, 0)
      const { summaries, issues } = await list({ home })
      expect(summaries).toEqual([])
      expect(issues).toEqual([{ code: 'unreadable', path, reason: 'no permission to read it' }])
    }),
  )

  // The list was sorted by the times of the files, and printed the times of the last lines.
  it('sorts by the time that it prints', () =>
    inNewFolder(async (home) => {
      const at = (id: string, timestamp: unknown) =>
        toText([{ ...userMessage('Hi', { uuid: `${id}-u` }), sessionId: id, timestamp }])
      const times: readonly (readonly [unknown, string])[] = [
        ['2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
        ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
        // A time of another zone.
        ['2026-02-01T03:00:00.000+03:00', '2026-02-01T00:00:00.000Z'],
        // No time of its own: the file was changed in 1970.
        ['yesterday', '1970-01-01T00:05:00.000Z'],
        ['2026-99-01T00:00:00.000Z', '1970-01-01T00:05:00.000Z'],
        [12, '1970-01-01T00:05:00.000Z'],
      ]
      for (const [index, [stated]] of times.entries()) {
        const path = await file(join(projects(home), 'a', `s${index}.jsonl`), at(`s${index}`, stated))
        await utimes(path, 300, 300)
      }
      const { summaries } = await list({ home })
      const printed = summaries.map(({ updatedAt = '' }) => updatedAt)
      expect(printed).toEqual([...printed].sort().reverse())
      expect(Object.fromEntries(summaries.map(({ id, updatedAt }) => [id, updatedAt]))).toEqual(
        Object.fromEntries(times.map(([, expected], index) => [`s${index}`, expected])),
      )
      expect(summaries.find(({ id }) => id === 's3')).not.toHaveProperty('startedAt')
    }))

  it('finds the time before a last line that is very long', () =>
    inNewFolder(async (home) => {
      const long = toText([{ type: 'summary', summary: 'x'.repeat(10_000), sessionId: 's1' }])
      await file(join(projects(home), 'a', 's1.jsonl'), session('s1', 'Hi') + long)
      expect((await list({ home })).summaries).toMatchObject([{ updatedAt: time }])
    }))

  // A session that began with a screenshot was in no list.
  it('finds a session whose first prompt has pictures', () =>
    inNewFolder(async (home) => {
      const image = {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(300_000) },
      }
      const prompt = {
        ...userMessage('', { uuid: 'u1' }),
        message: { role: 'user', content: [text('Look.'), image] },
      }
      const lines = [
        { ...prompt, sessionId: 's1', timestamp: time },
        JSON.parse(session('s1', 'x').split('\n')[1] ?? ''),
      ]
      const mode = { type: 'mode', mode: 'normal', sessionId: 's1' }
      // More than 16 kB of other lines before it hid it.
      for (const start of [[], [mode], Array.from({ length: 400 }, () => mode)]) {
        await file(join(projects(home), 'a', 's1.jsonl'), toText([...start, ...lines, prompt]))
        expect((await list({ home })).summaries).toMatchObject([{ id: 's1', firstPrompt: 'Look.' }])
      }
    }))

  it('counts the agents as the session does, or not at all', () =>
    inNewFolder(async (home) => {
      for (const { name } of recordings)
        await cp(join(recordingsFolder, name, 'transcript'), projects(home), { recursive: true })
      const { summaries } = await list({ home })
      const counted = summaries.filter(({ agents }) => agents !== undefined)
      expect(counted.length).toBeGreaterThan(summaries.length / 2)
      for (const { path, agents } of counted)
        expect({ path, agents }).toEqual({ path, agents: (await readSession(path)).state.subagents.length })
    }))

  // An agent that compacts the conversation is no part of the session.
  it('does not count the agents that the program runs for itself', () =>
    inNewFolder(async (home) => {
      await file(join(projects(home), 'a', 's1.jsonl'), session('s1', 'Hi'))
      await file(join(projects(home), 'a', 's1', 'subagents', 'agent-acompact-1.jsonl'), session('s1', 'Sum'))
      expect((await list({ home })).summaries).toMatchObject([{ agents: 0 }])
    }))

  it('ends at the abort', () =>
    inNewFolder(async (home) => {
      for (const id of ['s1', 's2', 's3'])
        await file(join(projects(home), 'a', `${id}.jsonl`), session(id, 'Hi'))
      const controller = new AbortController()
      const found: string[] = []
      for await (const { id } of listSessions({ home, signal: controller.signal })) {
        found.push(id)
        controller.abort()
      }
      expect(found).toHaveLength(1)
    }))

  it('has no sessions without a folder', () =>
    inNewFolder(async (home) => {
      expect(await list({ home })).toEqual({ summaries: [], issues: [] })
      expect(await list({ roots: [join(home, 'none')] })).toMatchObject({
        summaries: [],
        issues: [{ code: 'unreadable' }],
      })
    }))
})

it('a pipe beside the files of a session is not read', () =>
  inNewFolder(async (home) => {
    const folder = join(home, '.claude', 'projects', 'demo')
    await file(join(folder, 's1.jsonl'), session('s1', 'Go.'))
    execFileSync('mkfifo', [join(folder, 'agent-a1.jsonl')])
    const { summaries } = await list({ home })
    expect(summaries).toMatchObject([{ id: 's1' }])
    expect((await readSession(join(folder, 's1.jsonl'))).state.blocks).toHaveLength(2)
  }))

describe('the storage of OpenCode before 1.2', () => {
  it('is listed without the sessions of subagents, and a session is read with them', () =>
    inNewFolder(async (home) => {
      await writeStorage(home, '04-subagent')
      const { summaries } = await list({ home })
      expect(summaries).toHaveLength(1)
      expect(summaries[0]).toMatchObject({ format: 'opencode', cwd: '/srv/demo' })
      const folder = join(home, 'export')
      for (const [path, json] of Object.entries(exportsOf('04-subagent')))
        await file(join(folder, path.replace(/.*\//, '')), json)
      const [{ path = '' } = {}] = summaries
      expect((await readSession(path)).state).toEqual((await readSession(folder)).state)
    }))

  // To read a pipe waits for a writer that may never come.
  it('is read without pipes between its files, and they are reported', () =>
    inNewFolder(async (home) => {
      const root = await writeStorage(home, '04-subagent')
      const [{ path = '' } = {}] = (await list({ home })).summaries
      const { state } = await readSession(path)
      const pipes = [
        join(root, 'session', 'global', 'ses_pipe.json'),
        join(root, 'message', basename(path, '.json'), 'msg_pipe.json'),
      ]
      for (const pipe of pipes) execFileSync('mkfifo', [pipe])
      expect((await readSession(path)).state).toEqual(state)
      const reported: string[] = []
      await openSession(path, { onUnreadable: (pipe) => reported.push(pipe) })
      expect(reported).toEqual(pipes)
      const { summaries, issues } = await list({ home })
      expect(summaries).toHaveLength(1)
      expect(issues).toEqual([{ code: 'unreadable', path: pipes[0], reason: 'not a regular file' }])
    }))
})

it.each([
  [{ type: 'summary', summary: 'Tea' }, 'Tea'],
  [{ type: 'custom-title', customTitle: 'My tea' }, 'My tea'],
  [{ type: 'other', summary: 'Tea' }, undefined],
])('takes the title of %j', (line, title) =>
  inNewFolder(async (home) => {
    await file(
      join(projects(home), 'a', 's1.jsonl'),
      session('s1', 'Hi') + toText([{ ...line, sessionId: 's1' }]),
    )
    expect((await list({ home })).summaries.map((summary) => summary.title)).toEqual([title])
  }),
)

it('lists the sessions of the home folder of this process', () =>
  inNewFolder(async (home) => {
    const path = await file(join(home, 'config', 'projects', 'a', 's1.jsonl'), session('s1', 'Hi'))
    vi.stubEnv('HOME', home)
    vi.stubEnv('CLAUDE_CONFIG_DIR', join(home, 'config'))
    try {
      expect((await list({})).summaries.map((summary) => summary.path)).toEqual([path])
    } finally {
      vi.unstubAllEnvs()
    }
  }))

it('asks for HOME if the user has no entry in the list of users', async () => {
  // A worker cannot change the variables of its process.
  const noHome = vi.spyOn(os, 'homedir').mockReturnValue('')
  const noEntry = vi.spyOn(os, 'userInfo').mockImplementation(() => {
    throw new Error('ENOENT')
  })
  syncBuiltinESMExports()
  try {
    await expect(list({})).rejects.toThrow('the user has no home folder: set HOME')
  } finally {
    noHome.mockRestore()
    noEntry.mockRestore()
    syncBuiltinESMExports()
  }
})

it('reports a folder whose name the system refuses', async () => {
  const root = join('/', 'x'.repeat(300))
  expect(await list({ roots: [root] })).toMatchObject({ issues: [{ code: 'unreadable', path: root }] })
})

it('refuses one folder as a text, whose characters would be folders', async () => {
  const listing: AsyncGenerator = Reflect.apply(listSessions, undefined, [{ roots: '/srv' }])
  await expect(listing.next()).rejects.toThrow(new TypeError('roots: pass a list of folders'))
})

it('an export without a known price has no cost in the listing, as in its state', () =>
  inNewFolder(async (root) => {
    const [main] = exported('06-nested')
    for (const cost of [0, 0.5]) {
      const path = await file(
        join(root, 'main.json'),
        JSON.stringify({ ...main, info: { ...main?.info, cost } }),
      )
      const [summary] = (await list({ roots: [root] })).summaries
      const { state } = await readSession(path)
      expect([summary?.costUsd, state.session.costUsd]).toEqual(
        cost === 0 ? [undefined, undefined] : [cost, cost],
      )
    }
  }))

// Its newline at the end made it a file that ends within its first value.
it.each(['', '\n'])('lists a long export on one line, with %j at its end', (end) =>
  inNewFolder(async (root) => {
    const [main] = exported('01-plain-text')
    const messages = Array.from({ length: 2_000 }, () => main?.messages ?? []).flat()
    await file(join(root, 'main.json'), JSON.stringify({ ...main, messages }) + end)
    expect(await list({ roots: [root] })).toMatchObject({ summaries: [{ id: main?.info.id }], issues: [] })
  }),
)
