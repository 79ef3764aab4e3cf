import fs from 'node:fs'
import { chmod, mkdir, symlink, utimes } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import process from 'node:process'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { sortedSessions } from '../../src/cli/list/filter.ts'
import { relativeTime } from '../../src/cli/list/summary-text.ts'
import { findReference } from '../../src/cli/session-reference.ts'
import { matchingChoices } from '../../src/cli/terminal/picker.ts'
import type { Choice, PickerTexts, Terminal } from '../../src/cli/terminal/terminal.ts'
import { readSession, type SessionSummary } from '../../src/entries/node.ts'
import { assistantMessage, endTurn, text, toText, userMessage } from '../wires/claude/messages.ts'
import { temporaryFolder } from './temporary.ts'
import { agentfold } from './terminal.ts'

const { inFolder, file } = temporaryFolder()

const time = '2026-01-01T00:00:01.000Z'
const session = (id: string, prompt: string) =>
  toText([
    { ...userMessage(prompt, { uuid: `${id}-u` }), sessionId: id, cwd: '/srv/demo', timestamp: time },
    {
      ...assistantMessage(`${id}-m`, text(`Answer of ${id}.`), { uuid: `${id}-a` }, endTurn),
      sessionId: id,
      timestamp: time,
    },
  ])

const projects = join('home', '.claude', 'projects', '-srv-demo')

beforeAll(async () => {
  await utimes(await file(join(projects, 'aa1.jsonl'), session('aa1', 'Old\t\u001b[31mquestion')), 100, 100)
  const titled = `${session('aa2', 'New question')}${toText([{ type: 'ai-title', aiTitle: 'Tea', sessionId: 'aa2' }])}`
  await utimes(await file(join(projects, 'aa2.jsonl'), titled), 200, 200)
})

const home = () => inFolder('home')

describe('agentfold list', () => {
  it('prints a line with tabs for each session, newest first', async () => {
    for (const args of [[], ['list'], ['list', '--all']]) {
      const { code, out, err } = await agentfold(args, { home: home() })
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(out.split('\n').map((line) => line.split('\t'))).toEqual([
        ['aa2', time, 'claude-code', '/srv/demo', expect.any(String), expect.any(String), '0', '', 'Tea'],
        [
          'aa1',
          time,
          'claude-code',
          '/srv/demo',
          expect.any(String),
          expect.any(String),
          '0',
          '',
          'Old �[31mquestion',
        ],
        [''],
      ])
    }
  })

  it('prints one JSON object per line, and no more than the limit', async () => {
    const { out } = await agentfold(['--json', '--limit', '1'], { home: home() })
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ id: 'aa2', title: 'Tea' }])
  })

  it('gives a session its title in every view, whether a path or an id names it', async () => {
    for (const name of [inFolder(projects, 'aa2.jsonl'), 'aa2']) {
      const shown = await agentfold(['show', name], { home: home() })
      expect(shown.out).toMatch(/^Tea\n/)
      const markdown = await agentfold(['show', name, '--markdown'], { home: home() })
      expect(markdown.out).toMatch(/^# Tea\n/)
    }
    const untitled = await agentfold(['show', inFolder(projects, 'aa1.jsonl'), '--markdown'])
    expect(untitled.out).toMatch(/^# Old .*question\n/)
  })

  it('lists the sessions of a folder, and `show` of such a folder does the same', async () => {
    const listed = await agentfold(['list', inFolder(projects)])
    expect(listed.out.split('\n').map((line) => line.split('\t')[0])).toEqual(['aa2', 'aa1', ''])
    expect(await agentfold(['show', inFolder(projects)])).toEqual(listed)
    for (const option of ['--markdown', '--agent=a1', '--html=page.html']) {
      const { code, err } = await agentfold(['show', inFolder(projects), option])
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('several sessions, choose one') })
    }
  })

  it('says where it looked if there is no session', async () => {
    expect(await agentfold([], { home: inFolder('nobody') })).toEqual({
      code: 0,
      out: '',
      err: expect.stringMatching(
        /^agentfold: no sessions in these places: pass a folder, [^\n]+\n( {2}[^\n]{1,78}\n){5,9}$/,
      ),
    })
    await mkdir(inFolder('bare'), { recursive: true })
    expect(await agentfold(['list', inFolder('bare')])).toMatchObject({
      code: 0,
      err: expect.stringContaining('no sessions in'),
    })
  })

  it('refuses a file and a missing folder', async () => {
    expect(await agentfold(['list', inFolder(projects, 'aa1.jsonl')])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/a file, not a folder: run agentfold show .*aa1\.jsonl\n$/),
    })
    expect(await agentfold(['list', inFolder('gone')])).toMatchObject({
      code: 1,
      err: expect.stringContaining('gone: no such file or folder'),
    })
  })

  it.skipIf(process.getuid?.() === 0)('names what it cannot read, and lists the rest', async () => {
    const path = await file(join('shut', 'a.jsonl'), session('aa3', 'Hi.'))
    await chmod(path, 0)
    await file(join('shut', 'b.jsonl'), session('aa4', 'Hi.'))
    const { code, out, err } = await agentfold(['list', inFolder('shut')])
    expect({ code, err }).toEqual({ code: 0, err: `agentfold: ${path}: no permission to read it\n` })
    expect(out).toMatch(/^aa4\t[^\n]+\n$/)
  })
})

describe('filters of a list', () => {
  const now = () => Date.parse(time) + 2 * 60 * 60_000
  const idsOf = async (...args: readonly string[]) => {
    const { code, out, err } = await agentfold(['list', ...args], { home: home(), now })
    expect(code).toBe(0)
    return out !== ''
      ? out
          .trim()
          .split('\n')
          .map((line) => line.split('\t')[0])
      : err
  }

  it.each([
    [
      ['--program', 'claude-code'],
      ['aa2', 'aa1'],
    ],
    [
      ['--program', 'CLAUDE-SDK'],
      ['aa2', 'aa1'],
    ],
    [
      ['--cwd', '/srv'],
      ['aa2', 'aa1'],
    ],
    [
      ['--cwd', '/srv/demo/'],
      ['aa2', 'aa1'],
    ],
    [
      ['--since', '3h'],
      ['aa2', 'aa1'],
    ],
    [
      ['--since', '2020-01-01'],
      ['aa2', 'aa1'],
    ],
  ])('%j', async (args, ids) => {
    expect(await idsOf(...args)).toEqual(ids)
  })

  it.each([
    [['--program', 'codex']],
    [['--since', '1h']],
    [['--since', '2w', '--program', 'pi']],
    [['--failed']],
  ])('say that no session matches: %j', async (args) => {
    expect(await idsOf(...args)).toBe('agentfold: no session matches\n')
  })

  it('finds the sessions whose last turn failed', async () => {
    const path = await file(
      join('failures', 'f1.jsonl'),
      `${session('f1', 'Hi.')}${toText([{ type: 'assistant', uuid: 'e', timestamp: time, sessionId: 'f1', isApiErrorMessage: true, message: { id: 'm9', role: 'assistant', model: '<synthetic>', content: [{ type: 'text', text: 'API Error: 500' }] } }])}`,
    )
    await file(join('failures', 'f2.jsonl'), session('f2', 'Hi.'))
    const { out } = await agentfold(['list', inFolder('failures'), '--failed', '--json'])
    expect(JSON.parse(out)).toMatchObject({ id: 'f1', path })
  })

  it('refuses a time that it cannot read', async () => {
    expect((await agentfold(['list', '--since', 'soon'], { home: home() })).code).toBe(2)
  })

  it('says that there are more sessions than it lists', async () => {
    const { err } = await agentfold(['list', '--limit', '1'], { home: home() })
    expect(err).toBe('agentfold: the 1 newest session of about 2: use --limit or --all\n')
    expect((await agentfold(['list', '--limit', '1', '--cwd', '/srv'], { home: home() })).err).toMatch(
      /, and maybe more: /,
    )
  })

  // It said that it lists the 2 newest sessions of about 2.
  it.each([[], ['--cwd', '/srv']])(
    'says nothing about more sessions if the limit is their number %j',
    async (...args) => {
      expect((await agentfold(['list', '--limit', '2', ...args], { home: home() })).err).toBe('')
    },
  )
})

describe('the order of a list', () => {
  const reply = (id: string, total: number, words = 'Hi.') => ({
    type: 'message',
    id,
    message: {
      role: 'assistant',
      content: [{ type: 'text', text: words }],
      model: 'm-1',
      usage: { input: 10 * total, output: total, cost: { total } },
    },
  })
  const piSession = (id: string, ...replies: readonly object[]) =>
    toText([
      { type: 'session', version: 3, id, timestamp: time, cwd: '/srv/demo' },
      { type: 'message', id: 'u', message: { role: 'user', content: 'Hello' } },
      ...replies,
    ])
  const long = [reply('a', 4), reply('b', 4, 'x'.repeat(200_000)), reply('c', 4)]

  beforeAll(async () => {
    const write = (name: string, content: string) => file(join('sorted', `${name}.jsonl`), content)
    await utimes(await write('p-long', piSession('p-long', ...long)), 100, 100)
    await utimes(await write('p-low', piSession('p-low', reply('a', 2))), 200, 200)
    await utimes(await write('p-high', piSession('p-high', reply('a', 30))), 300, 300)
    await utimes(await write('aa1', session('aa1', 'No cost')), 400, 400)
  })

  const sorted = async (...args: readonly string[]) => {
    const { out, err } = await agentfold(['list', inFolder('sorted'), ...args])
    return {
      rows: out
        .trim()
        .split('\n')
        .map((line) => line.split('\t')),
      err,
    }
  }

  // The last reply of a long session passed for the whole: it cost 4. By age, it had no cost.
  it.each([
    ['age', ['aa1', 'p-high', 'p-low', 'p-long'], ['', '30', '2', '12']],
    ['cost', ['p-high', 'p-long', 'p-low', 'aa1'], ['30', '12', '2', '']],
    ['tokens', ['p-high', 'p-long', 'p-low', 'aa1'], ['30', '12', '2', '']],
    ['agents', ['aa1', 'p-high', 'p-low', 'p-long'], ['', '30', '2', '12']],
  ])('is the one of --sort %s', async (key, ids, costs) => {
    const { rows } = await sorted('--sort', key)
    expect(rows.map(([id]) => id)).toEqual(ids)
    expect(rows.map((row) => row[7])).toEqual(costs)
  })

  it('has a limit, and says that it is not the newest that are listed', async () => {
    const { rows, err } = await sorted('--sort', 'cost', '--limit', '1')
    expect(rows.map(([id]) => id)).toEqual(['p-high'])
    expect(err).toBe('agentfold: the first 1 session of about 4: use --limit or --all\n')
  })

  it('keeps a session that is gone, without the value', async () => {
    async function* sessions(): AsyncGenerator<SessionSummary> {
      yield { id: 's1', path: inFolder('gone.jsonl'), format: 'pi' }
      yield { id: 's2', path: '', format: 'pi', costUsd: 1 }
    }
    const ids: string[] = []
    for await (const { id } of sortedSessions(sessions(), 'cost')) ids.push(id)
    expect(ids).toEqual(['s2', 's1'])
  })

  it('refuses another key, and names all', async () => {
    const { code, err } = await agentfold(['list', '--sort', 'size'])
    expect(code).toBe(2)
    expect(err).toContain('age, duration, cost, tokens, agents')
  })
})

it('says that the folder of a filter does not exist', async () => {
  const { err } = await agentfold(['list', '--cwd', inFolder('nowhere')], { home: home() })
  // A name that is only the beginning of another one is no folder above it.
  expect((await agentfold(['list', '--cwd', '/srv/dem'], { home: home() })).code).toBe(0)
  expect(err).toBe(`agentfold: no session matches: ${inFolder('nowhere')}: no such folder\n`)
})

describe('the picker', () => {
  it('filters the sessions behind the limit too, which it reads once', async () => {
    let shown: string | undefined
    const pick: Terminal['pick'] = async (choices, _, further) => {
      const others = (await further?.()) ?? []
      expect([choices.length, others.length]).toEqual([1, 1])
      shown = others[0]?.value
      return shown
    }
    const { code, out } = await agentfold(['list', '--limit', '1'], { home: home(), pick })
    expect(code).toBe(0)
    expect(out).toContain('question')
  })

  const now = () => Date.parse(time) + 2 * 60 * 60_000

  it('offers each session on one line, and shows the chosen one', async () => {
    let offered: readonly Choice[] = []
    const pick = async (choices: readonly Choice[]) => {
      offered = choices
      return choices[0]?.value
    }
    const { code, out } = await agentfold([], { home: home(), pick, now, columns: 50 })
    expect(code).toBe(0)
    expect(out).toContain('Tea\n')
    expect(out).toContain('Answer of aa2.')
    expect(offered.map(({ name }) => name)).toEqual([
      '2 h ago              Tea',
      '2 h ago              Old �[31mquestion',
    ])
    await agentfold([], { home: home(), pick, now, columns: 80 })
    expect(offered[0]?.name).toBe('2 h ago              demo                Tea')
    expect(offered[0]?.description).toMatch(/^claude-code · .* · \/srv\/demo · aa2$/)
    expect((await agentfold([], { home: home(), pick })).code).toBe(0)
  })

  // It filtered the newest sessions alone, and said nothing about the others.
  it('says which sessions it filters', async () => {
    const messages: string[] = []
    const pick = async (_: unknown, { message, noMatch }: PickerTexts) => {
      messages.push(`${message} – ${noMatch}`)
      return undefined
    }
    for (const args of [['--limit', '1'], ['--all'], []]) await agentfold(args, { home: home(), pick })
    const keys =
      '(type to filter all, Esc to leave) – No session matches: agentfold search looks at all texts.'
    const all = `Sessions ${keys}`
    expect(messages).toEqual([`1 newest session of about 2 ${keys}`, all, all])
  })

  it('gives exit code 130 if the person chooses none, and shows an example if there is nothing to choose', async () => {
    expect((await agentfold([], { home: home(), pick: async () => undefined })).code).toBe(130)
    expect((await agentfold([], { home: inFolder('nobody'), pick: async () => undefined })).code).toBe(0)
  })

  it('filters by words', () => {
    const choice = (name: string) => ({ value: name, name, description: 'Opus' })
    const choices = [choice('Green tea'), choice('Black coffee')]
    expect(matchingChoices(choices)).toEqual(choices)
    expect(matchingChoices(choices, 'TEA opus')).toEqual([choices[0]])
    expect(matchingChoices(choices, 'tea coffee')).toEqual([])
  })
})

describe('agentfold show with an id', () => {
  const manyIds = join('ids', '.claude', 'projects', '-srv-demo')
  it('finds a session by its id, or by the beginning of it', async () => {
    for (const id of ['aa2', 'aa1']) {
      const { out } = await agentfold(['show', id], { home: home() })
      expect(out).toContain(`Answer of ${id}.`)
    }
    await file(join(manyIds, 'bb-long-id.jsonl'), session('bb-long-id', 'Third'))
    expect((await agentfold(['show', 'bb'], { home: inFolder('ids') })).out).toContain(
      'Answer of bb-long-id.',
    )
  })

  it('names the sessions if several ids begin so, and says what to do if none does', async () => {
    expect(await agentfold(['show', 'aa'], { home: home() })).toEqual({
      code: 1,
      out: '',
      err: 'agentfold: aa: 2 sessions have an id that begins so: aa2 (Tea), aa1 (Old �[31mquestion)\n',
    })
    // Ids differ in capitals from what people type.
    expect((await agentfold(['show', 'AA2'], { home: home() })).out).toContain('Answer of aa2.')
    for (let at = 0; at < 6; at += 1) await file(join(manyIds, `cc${at}.jsonl`), session(`cc${at}`, 'Many'))
    expect((await agentfold(['show', 'cc'], { home: inFolder('ids') })).err).toMatch(
      /: 6 sessions .* and 1 more\n$/,
    )
    expect(await agentfold(['show', 'zz'], { home: home() })).toMatchObject({
      code: 1,
      err: 'agentfold: zz: no such file or folder, and no session with that id: run agentfold to see the sessions\n',
    })
    expect((await agentfold(['show', './zz'], { home: home() })).err).toMatch(
      /\.\/zz: no such file or folder\n$/,
    )
  })
})

describe('an id that no session has', () => {
  // The session may be in that database.
  it('names the places that cannot be read', async () => {
    const database = await file(join('broken', '.local', 'share', 'opencode', 'opencode.db'), 'no database')
    const { code, err } = await agentfold(['show', 'ses_1'], { home: inFolder('broken') })
    expect(code).toBe(1)
    expect(err).toContain('no session with that id')
    expect(err).toContain(`; not read: ${database}: `)
  })

  it('names five of many such places', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
      const folder = inFolder('looped', '.claude', 'projects', name)
      await mkdir(folder, { recursive: true })
      // The name is too long for the system.
      await symlink('x'.repeat(300), join(folder, 's.jsonl'))
    }
    const { err } = await agentfold(['show', 'ses_1'], { home: inFolder('looped') })
    expect(err).toMatch(/; not read: .*; and 2 more\n$/)
  })
})

it('finds a session by its id without reading the others', async () => {
  const path = await file(join('many', '.claude', 'projects', 'a', 'aa1.jsonl'), session('aa1', 'One'))
  for (const id of ['bb1', 'bb2'])
    await file(join('many', '.claude', 'projects', 'a', `${id}.jsonl`), session(id, 'Two'))
  const opened = vi.spyOn(fs, 'openSync')
  syncBuiltinESMExports()
  try {
    expect((await findReference('aa', { home: inFolder('many') })).path).toBe(path)
    expect(new Set(opened.mock.calls.map(([name]) => name))).toEqual(new Set([path]))
  } finally {
    opened.mockRestore()
    syncBuiltinESMExports()
  }
})

// Its file has another name.
it('finds a session whose file does not show its id', async () => {
  await file(join('renamed', '.claude', 'projects', 'a', 'copy.jsonl'), session('dd1', 'Copied'))
  const { out } = await agentfold(['show', 'dd'], { home: inFolder('renamed') })
  expect(out).toContain('Answer of dd1.')
})

describe('relativeTime', () => {
  const at = Date.parse(time)
  it.each([
    [0, 'just now'],
    [5 * 60_000, '5 min ago'],
    [3 * 3_600_000, '3 h ago'],
    [4 * 86_400_000, '4 days ago'],
    [40 * 86_400_000, '2026-01-01'],
  ])('%d ms later is %s', (passed, expected) => {
    expect(relativeTime(time, at + passed)).toBe(expected)
  })

  it('of an unknown time is empty', () => {
    expect(relativeTime(undefined, at)).toBe('')
    expect(relativeTime('noon', at)).toBe('')
  })
})

describe('a session by its id', () => {
  it.each([['replay'], ['identify']])('is an argument of %s', async (command) => {
    const byId = await agentfold([command, 'aa2'], { home: home() })
    expect(byId).toEqual(await agentfold([command, inFolder(projects, 'aa2.jsonl')]))
    expect(byId.code).toBe(0)
  })

  it('is an argument of parity, which says that two ids differ', async () => {
    expect(await agentfold(['parity', 'aa2', 'aa2'], { home: home() })).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^equal\n/),
    })
    const { code, out } = await agentfold(['parity', 'aa1', inFolder(projects, 'aa2.jsonl')], {
      home: home(),
    })
    expect(code).toBe(1)
    expect(out).toMatch(/^different sessions: aa1 and aa2\n\d+ differences?\n/)
  })
})

describe('an agent of a session', () => {
  const path = join(import.meta.dirname, '../../fixtures/claude-code/06-nested-forward/transcript')

  // The head showed the time between the agent's first and last block.
  it('has one duration in the whole session and alone', async () => {
    const whole = await agentfold(['show', path])
    const alone = await agentfold(['show', path, '--agent', 'toolu_01n'])
    expect(whole.out).toContain('Docs check · done · 709 ms')
    expect(alone.out.split('\n')[1]).toMatch(/ · 709 ms$/)
  })

  it('needs an id that no other agent begins with', async () => {
    expect((await agentfold(['show', path, '--agent', 'toolu_'])).err).toMatch(
      /^agentfold: 2 agents begin with toolu_: toolu_\w+, toolu_\w+\n$/,
    )
  })
})

it('names the path of a database once', async () => {
  const path = await file('sessions.db', 'no database')
  const { err } = await agentfold(['show', path])
  expect(err.split(path)).toHaveLength(2)
})

describe('a folder inside that cannot be read', () => {
  // The listing of the folder ended there.
  it('is skipped with a line on standard error', async () => {
    await file(join('partly', 'a.jsonl'), session('ee1', 'Hi.'))
    const bad = inFolder('partly', 'bad')
    await symlink('x'.repeat(300), bad)
    for (const command of ['list', 'show']) {
      const { code, out, err } = await agentfold([command, inFolder('partly')])
      expect(code).toBe(0)
      expect(out).toContain('ee1')
      expect(err).toMatch(/^agentfold: [^\n]*bad: ENAMETOOLONG[^\n]*\n$/)
    }
    await expect(readSession(inFolder('partly'))).rejects.toThrow('ENAMETOOLONG')
  })

  it.runIf(process.platform === 'linux')('is not one of the kernel', async () => {
    const linked = inFolder('linked')
    await file(join('linked', 'a.jsonl'), session('ee2', 'Hi.'))
    await symlink('/proc', join(linked, 'proc'))
    await symlink('/sys', join(linked, 'sys'))
    expect(await agentfold(['show', linked])).toMatchObject({ code: 0, err: '' })
  })
})
