import { spawnSync } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import process from 'node:process'
import { beforeAll, describe, expect, it } from 'vitest'
import { modelAnswers, modelCalls, toText, userMessage } from '../wires/claude/messages.ts'
import { temporaryFolder } from './temporary.ts'
import { agentfold } from './terminal.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures')

const { inFolder, file } = temporaryFolder()
const time = '2026-01-01T10:20:30.000Z'
const now = () => Date.parse(time) + 86_400_000
const place = join('.claude', 'projects', 'p')

const session = (id: string, cwd: string) =>
  toText(
    [
      userMessage('Make tea.'),
      modelCalls('m1', 't1', 'Bash', { command: 'boil', description: 'Heat' }),
      modelAnswers('m2', 'Tea, and more tea.'),
      userMessage('Tea again.'),
    ].map((message, at) => ({ sessionId: id, cwd, uuid: `${id}-${at}`, ...message, timestamp: time })),
  )

beforeAll(async () => {
  await file(join('one', place, 'c1.jsonl'), session('c1', '/srv/tea'))
  await file(join('two', place, 'c2.jsonl'), session('c2', inFolder('worktree', 'src')))
  await mkdir(inFolder('repository', '.git', 'worktrees', 'w'), { recursive: true })
  await mkdir(inFolder('repository', 'src'), { recursive: true })
  await file(join('worktree', '.git'), `gitdir: ${inFolder('repository', '.git', 'worktrees', 'w')}\n`)
})

const ask = (...args: readonly string[]) => agentfold(args, { home: inFolder('one'), now })
const linesOf = (out: string) => out.split('\n').filter((line) => line !== '')
const each = [[], ['--no-index']]

describe('agentfold list', () => {
  it.each(each)('finds a status, and an empty list is an answer %j', async (...index) => {
    const found = await ask('list', '--json', '--status', 'interrupted', ...index)
    expect(linesOf(found.out).map((line) => JSON.parse(line))).toMatchObject([
      { id: 'c1', status: 'interrupted', isProvisional: expect.any(Boolean), agents: 0 },
    ])
    const none = await ask('list', '--json', '--status', 'failed', ...index)
    expect(none).toEqual({ code: 0, out: '', err: 'agentfold: no session matches\n' })
  })

  // Without the index, a workflow had no agents, and a long session no tokens.
  it.each(['age', 'duration', 'cost', 'tokens', 'agents'])(
    'is the same without an index by %s',
    async (sort) => {
      const home = inFolder('recorded')
      const projects = join(home, '.claude', 'projects')
      await cp(join(FIXTURES, 'interactive/claude-code-tui/55a-workflow-phases/store/projects'), projects, {
        recursive: true,
      })
      await cp(join(FIXTURES, 'claude-code/12-large/transcript'), projects, { recursive: true })
      for (const form of [[], ['--json']]) {
        const list = ['list', '--sort', sort, ...form]
        const { out } = await agentfold(list, { home, now })
        expect((await agentfold([...list, '--no-index'], { home, now })).out).toBe(out)
        if (form.length === 0) expect(out).toMatch(/\t3\t0\.017654\t/)
      }
    },
  )

  it.each(each)('finds the sessions of several homes, and of a worktree %j', async (...index) => {
    const homes = ['--home', `${inFolder('one')},${inFolder('two')}`]
    const all = await ask('list', ...homes, ...index)
    expect(
      linesOf(all.out)
        .map((line) => line.slice(0, 2))
        .sort(),
    ).toEqual(['c1', 'c2'])
    const inRepository = await ask('list', ...homes, '--cwd', inFolder('repository', 'src'), ...index)
    expect(linesOf(inRepository.out).map((line) => line.slice(0, 2))).toEqual(['c2'])
  })

  it.each(each)('divides the sessions at a time %j', async (...index) => {
    const home = inFolder('one')
    const commands = ['list', 'export --ndjson', 'stats --json', 'search tea --json']
    for (const command of commands) {
      const outOf = async (...args: readonly string[]) =>
        (await agentfold([...command.split(' '), ...args, ...index], { home, now })).out
      const all = await outOf('--since', '2000-01-01')
      expect(all).not.toBe('')
      expect(await outOf('--until', '2026-01-02')).toBe(all)
      for (const args of [
        ['--until', '2026-01-01'],
        ...(command.startsWith('stats') ? [] : [['--until', time]]),
        ['--since', '2026-01-02'],
      ])
        expect(await outOf(...args)).toBe('')
    }
  })

  it('says that no session states a cost, and that a spreadsheet has one by prices', async () => {
    expect((await ask('list', '--sort', 'cost')).err).toBe(
      'agentfold: no session states a cost: agentfold stats takes --prices\n',
    )
    const home = inFolder('by-price')
    const name = 'codex/0.104.0-03-commands/app-server-sessions'
    await cp(join(FIXTURES, name), join(home, '.codex', 'sessions'), { recursive: true })
    const outOf = async (...args: readonly string[]) => (await agentfold(args, { home, now })).out
    const unpriced = JSON.parse(await outOf('export', '--all'))
    expect(unpriced.costUsd).toBeUndefined()
    const prices = { [unpriced.parts[0].model]: { input_cost_per_token: 1, output_cost_per_token: 2 } }
    const path = await file('prices.json', JSON.stringify(prices))
    const { costUsd } = JSON.parse(await outOf('stats', '--json', '--prices', path))
    expect(costUsd).toBeGreaterThan(0)
    expect(JSON.parse(await outOf('export', '--all', '--prices', path)).costUsd).toBe(costUsd)
  })

  // `show` said that two equal ids begin so, and took the first of two different files for a whole id.
  it('names the paths of different sessions with one id', async () => {
    const first = await file(join('copy', place, 'c1.jsonl'), session('c1', '/srv/tea'))
    const homes = ['--home', `${inFolder('one')},${inFolder('copy')}`]
    for (const id of ['c1', 'c']) expect((await ask('show', id, ...homes)).code).toBe(0)
    await writeFile(first, session('c1', '/srv/coffee'))
    for (const id of ['c1', 'c']) {
      const { code, err } = await ask('show', id, ...homes)
      expect(code).toBe(1)
      expect(err).toContain(`agentfold: ${id}: 2 sessions have that id: pass the path of one: `)
      for (const home of ['one', 'copy']) expect(err).toContain(inFolder(home, place, 'c1.jsonl'))
    }
  })

  // The folder showed the agent of a session beside it as a session of its own.
  it('lists the export of an agent only without that of its parent', async () => {
    const exportOf = (id: string, parentID?: string) => {
      const info = { id, parentID, directory: '/srv/tea', projectID: 'p', time: { created: 1, updated: 2 } }
      const message = { info: { id: `m${id}`, sessionID: id, role: 'user', time: { created: 1 } } }
      return JSON.stringify({
        info,
        messages: [{ ...message, parts: [{ id: 'p', type: 'text', text: 'Tea.' }] }],
      })
    }
    await file('exports/child.json', exportOf('ses_child', 'ses_main'))
    const idsIn = async () =>
      linesOf((await agentfold(['list', inFolder('exports')])).out).map((line) => line.split('\t')[0])
    expect(await idsIn()).toEqual(['ses_child'])
    await file('exports/main.json', exportOf('ses_main'))
    expect(await idsIn()).toEqual(['ses_main'])
  })

  it('takes several homes in a folder whose name has commas', async () => {
    for (const id of ['d1', 'd2'])
      await file(join('c,d, e', id, place, `${id}.jsonl`), session(id, '/srv/tea'))
    const homes = ['d1', 'd2'].map((id) => relative(process.cwd(), inFolder('c,d, e', id)))
    const { out } = await ask('list', '--home', homes.join(','))
    expect(
      linesOf(out)
        .map((line) => line.split('\t')[0])
        .sort(),
    ).toEqual(['d1', 'd2'])
  })

  it('prints whole paths for a relative home, and finds a file by its relative path', async () => {
    const { out } = await ask('list', '--json', '--home', relative(process.cwd(), inFolder('one')))
    expect(JSON.parse(out).path).toBe(inFolder('one', place, 'c1.jsonl'))
    const call = modelCalls('m1', 't1', 'Read', { file_path: '/srv/tea/src/tea.ts' })
    await file(
      join('reads', place, 'r1.jsonl'),
      toText(
        [userMessage('Go'), call].map((line, at) => ({
          sessionId: 'r1',
          uuid: `r${at}`,
          ...line,
          timestamp: time,
        })),
      ),
    )
    for (const index of each)
      expect(
        (await ask('search', '--file', './src/tea.ts', '--home', inFolder('reads'), ...index)).code,
      ).toBe(0)
  })

  it('shows an example on a terminal without sessions', async () => {
    const pick = async () => undefined
    const { code, out, err } = await agentfold([], { home: inFolder('nobody'), pick })
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('no sessions in') })
    expect(out).toContain('Why does the kettle test fail?')
  })
})

// `list` had a session of Copilot and Codex, and `show` refused it.
it.each([
  [
    '.copilot/session-state/s1/events.jsonl',
    'copilot/05-todos/store/session-state/0fb7c910-63b8-497d-ae87-9d6a425410a4/events.jsonl',
    100,
  ],
  [
    '.codex/sessions/2026/11/22/rollout-2026-11-22T17-24-13-01a20449-7837-7ff2-8723-c78ae5a2672d.jsonl',
    'codex/0.104.0-03-commands/app-server-sessions/2026/11/22/rollout-2026-11-22T17-24-13-01a20449-7837-7ff2-8723-c78ae5a2672d.jsonl',
    420,
  ],
  [join(place, 's1.jsonl'), undefined, 200_000],
])(
  'no command takes a file that ends within its first line for a session: %s',
  async (name, recording, length) => {
    const long = session('s1', '/srv/tea').replace('Make tea.', 'tea '.repeat(60_000))
    const text = recording === undefined ? long : await readFile(join(FIXTURES, recording), 'utf8')
    const home = inFolder('cut', basename(name))
    const path = await file(join('cut', basename(name), name), text.slice(0, length))
    const { err } = await agentfold(['show', path], { home, now })
    expect(err).toMatch(/: not a transcript: it ends within its first JSON value\. .*\n$/)
    for (const command of [
      ['list', '--json'],
      ['search', '--failed'],
      ['stats', '--json'],
      ['export', '--all'],
    ])
      for (const index of each) {
        const answer = await agentfold([...command, ...index], { home, now })
        expect(answer.out).toBe('')
        expect(answer.err).toContain(err)
      }
    await writeFile(path, text)
    expect((await agentfold(['show', path], { home, now })).code).toBe(0)
    for (const index of each) {
      const { out, err } = await agentfold(['list', ...index], { home, now })
      expect([linesOf(out).length, err]).toEqual([1, ''])
    }
  },
)

// `show` said "no such file or folder", and so did `list` of a folder in a passed one.
it.runIf(process.platform === 'linux')('each command says that a name is not UTF-8', async () => {
  const home = inFolder('names')
  const folder = join(home, '.claude', 'projects')
  await mkdir(folder, { recursive: true })
  await mkdir(Buffer.concat([Buffer.from(`${folder}/q`), Buffer.of(0xff)]))
  const named = join(folder, 'q\ufffd')
  const commands = [
    ['list'],
    ['list', home],
    ['search', 'tea', home],
    ['export', '--all'],
    ['show', named],
    ['cost', named],
  ]
  for (const command of commands) {
    const { err } = await agentfold(command, { home, now })
    expect(err).toContain(`agentfold: ${named}: its name is not UTF-8, so rename it\n`)
  }
})

describe('agentfold search', () => {
  it.each(each)('prints JSON alone %j', async (...index) => {
    const { code, out } = await ask('search', 'tea', '--json', '--each', '1', ...index)
    expect(code).toBe(0)
    expect(linesOf(out).map((line) => JSON.parse(line))).toMatchObject([
      { session: 'c1', kind: 'prompt', place: { conversationId: 'main' } },
    ])
  })

  it.each(each)('finds the calls of a tool, or with an input %j', async (...index) => {
    for (const filter of [
      ['--tool', 'command'],
      ['--input', 'boil'],
      ['--input', ' oi '],
      ['bash', '--input', 'boil'],
    ]) {
      const { out } = await ask('search', ...filter, '--json', ...index)
      expect(linesOf(out).map((line) => JSON.parse(line))).toMatchObject([
        { tool: 'Bash', input: { command: 'boil', description: 'Heat' }, excerpt: 'Bash boil Heat' },
      ])
    }
    // The name of the tool is no input, two fields are not one, and capitals count.
    for (const input of ['bash', 'boil heat', 'Boil'])
      expect((await ask('search', '--input', input, ...index)).code).toBe(1)
    const byRole = await ask('search', 'tea', '--role', 'assistant', '--json', ...index)
    expect(linesOf(byRole.out).map((line) => JSON.parse(line).kind)).toEqual(['answer'])
  })
})

// `export` was silent, and `stats` named no folder.
describe('an answer without a session', () => {
  const commands = [['list'], ['stats', '--json'], ['export', '--ndjson']]

  it.each(commands.flatMap((command) => each.map((index) => [...command, ...index])))(
    'names what is not there: %s %s %s',
    async (...command) => {
      const nowhere = inFolder('nowhere')
      const gone = { code: 0, out: '', err: `agentfold: no session matches: ${nowhere}: no such folder\n` }
      expect(await ask(...command, '--cwd', nowhere)).toEqual(gone)
      const all = command[0] === 'export' ? ['--all'] : []
      const empty = await agentfold([...command, ...all], { home: inFolder('empty') })
      expect(empty.err).toMatch(/^agentfold: no sessions in these places: .*\n {2}~\/\.claude\/projects · /)
    },
  )
})

it.each(['show', 'cost', 'replay', 'identify', 'scrub'])(
  '%s opens a session of another home',
  async (command) => {
    const home = ['--home', inFolder('two')]
    const { code, err } = await ask(command, 'c2', ...home)
    expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining('no session') })
    expect((await ask(command, 'c2')).code).toBe(1)
  },
)

it.each(each)('prints the duration of a list by duration %j', async (...index) => {
  const start = {
    ...userMessage('Old'),
    sessionId: 'd1',
    uuid: 'd',
    cwd: '/srv/d',
    timestamp: '2026-01-01T09:00:00Z',
  }
  await file(join('lasting', place, 'd1.jsonl'), toText([start]) + session('d1', '/srv/d'))
  const home = inFolder('lasting')
  const { out } = await agentfold(['list', '--sort', 'duration', ...index], { home, now })
  expect(out).toMatch(/\tOld\t1 h 20 min\n$/)
  const { out: json } = await agentfold(['list', '--json', ...index], { home, now })
  expect(JSON.parse(json).durationMs).toBe(4_830_000)
})

describe('agentfold stats and cost', () => {
  it.each(each)('says that no session matches %j', async (...index) => {
    const stats = await ask('stats', '--since', '1h', '--json', ...index)
    expect(stats).toEqual({ code: 0, out: '', err: 'agentfold: no session matches\n' })
  })

  it('take prices of LiteLLM', async () => {
    const prices = { 'x/claude-opus-5-5': { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 } }
    const path = await file('prices.json', JSON.stringify(prices))
    const rows = async (...args: readonly string[]) =>
      linesOf((await ask(...args, '--json')).out).map((line) => JSON.parse(line))
    const [day] = await rows('stats', '--prices', path)
    expect(day).toMatchObject({ key: '2026-01-01', sessions: 1, turns: 2 })
    const cost = await rows('cost', 'c1', '--prices', path)
    expect(cost.map(({ kind, key }) => `${kind} ${key}`)).toEqual([
      'agent main',
      'agent-type main',
      'session ',
    ])
    expect((await ask('stats', '--prices', await file('none.json', '[]'))).code).toBe(1)
  })

  // An agent of a model without a price cost $0.00, and a sum did not say what it lacks.
  it('mark a sum that lacks the cost of some tokens', async () => {
    const known = { input_cost_per_token: 1e-3, output_cost_per_token: 1e-3 }
    const prices = await file('one.json', JSON.stringify({ known }))
    const reply = (model: string, at: number, models: readonly string[]) => ({
      ...{ type: 'message', id: model, parentId: models[at - 1] ?? 'u', timestamp: time },
      message: {
        role: 'assistant',
        content: [{ type: 'text', text: 'Hi.' }],
        model,
        usage: { input: 500, output: 500 },
      },
    })
    const write = (id: string, ...models: readonly string[]) =>
      file(
        `priced/.pi/agent/sessions/p/2026-11-25T21-19-27-395Z_01a21493-e8a3-79ec-87e8-${id}.jsonl`,
        toText([
          { type: 'session', version: 3, id, timestamp: time, cwd: '/srv/tea' },
          {
            type: 'message',
            id: 'u',
            parentId: null,
            timestamp: time,
            message: { role: 'user', content: 'Hello' },
          },
          ...models.map(reply),
        ]),
      )
    const home = inFolder('priced')
    await write('000000000001', 'known')
    const none = await write('000000000002', 'new')
    const some = await write('000000000003', 'known', 'new')
    const costs = async (...args: readonly string[]) =>
      linesOf((await agentfold([...args, '--prices', prices], { home, now })).out).map(
        (line) => /\S+$/.exec(line)?.[0],
      )
    expect(await costs('stats', '--by', 'model')).toEqual(['cost', '$2.00', '?'])
    expect(await costs('stats')).toEqual(['cost', '$2.00+'])
    expect(await costs('cost', some)).toEqual(['$1.00+', '$1.00+', '$1.00+'])
    expect(await costs('cost', none)).toEqual(['?', '?', '?'])
  })
})

// One message whose input and output are one figure took the cost of all messages of its model.
it('agentfold cost adds up what it knows beside tokens that may be input or output', async () => {
  const prices = { 'claude-opus-5-5': { input_cost_per_token: 1e-5, output_cost_per_token: 2e-5 } }
  const name = '07d-send-message/transcript/-srv-demo/2b2fae7f-75e9-4784-a667-d289507f2998.jsonl'
  const path = await file('unsplit.jsonl', await readFile(join(FIXTURES, 'claude-code', name), 'utf8'))
  const { out, err } = await ask('cost', path, '--prices', await file('opus.json', JSON.stringify(prices)))
  const [main, agent] = ['$0.16', '$0.02+']
  expect(linesOf(out).map((line) => line.split('\t').at(-1))).toEqual([main, agent, main, agent, '$0.08'])
  expect(err).toBe('')
})

it('agentfold cost knows no cost of unknown tokens', async () => {
  const path = await file(
    'unknown.jsonl',
    toText([
      { type: 'session', version: 3, id: 'p1', timestamp: time, cwd: '/srv/tea' },
      { type: 'message', id: 'u', message: { role: 'user', content: 'Hello' } },
      { type: 'message', id: 'a', message: { role: 'assistant', content: [], model: 'm-1' } },
    ]),
  )
  const prices = await file(
    'known.json',
    JSON.stringify({ 'm-1': { input_cost_per_token: 1e-6, output_cost_per_token: 1e-6 } }),
  )
  const { out, err } = await ask('cost', path, '--prices', prices)
  expect(linesOf(out)).toEqual(
    ['agent', 'agent-type', 'session'].map((kind) =>
      [kind, kind === 'session' ? '' : 'main', '', '? in', '? out', ''].join('\t'),
    ),
  )
  expect(err).toBe('agentfold: the program states no tokens\n')
})

describe('agentfold export', () => {
  it('writes a session a line, or a list', async () => {
    const lines = linesOf((await ask('export', '--all')).out).map((line) => JSON.parse(line))
    expect(lines).toMatchObject([
      {
        id: 'c1',
        tools: [{ tool: 'Bash', calls: 1 }],
        calls: [{ tool: 'Bash', target: 'boil' }],
        subagents: [],
      },
    ])
    expect(JSON.parse((await ask('export', '--all', '--json')).out)).toEqual(lines)
    expect((await ask('export', '--all', '--csv')).out.split('\r\n')).toHaveLength(3)
  })
})

describe('agentfold show --json', () => {
  it('prints the state', async () => {
    const { state } = JSON.parse((await ask('show', 'c1', '--json')).out)
    expect(state.session.id).toBe('c1')
  })
})

describe('agentfold completion', () => {
  it('completes commands and options in bash', async () => {
    const { out } = await ask('completion', 'bash')
    const run = (words: string) =>
      spawnSync(
        'bash',
        [
          '-c',
          `${out}\nCOMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _agentfold; echo "\${COMPREPLY[@]}"`,
        ],
        {
          encoding: 'utf8',
        },
      )
    expect(run('agentfold sta')).toMatchObject({ stdout: 'stats\n', stderr: '' })
    expect(run('agentfold stats --b')).toMatchObject({ stdout: '--by\n', stderr: '' })
    // They offered files.
    expect(run('agentfold completion ""').stdout).toMatch(/^bash zsh fish /)
    expect(run('agentfold help sta').stdout).toBe('stats\n')
    // A person had to look up the values.
    expect(run('agentfold stats --by ""').stdout).toBe('day project program model agent-type tool\n')
    expect(run('agentfold stats --by ag').stdout).toBe('agent-type\n')
    expect(run('agentfold list --program co').stdout).toMatch(/^codex.*\n/)
    expect(run('agentfold list --status wa').stdout).toBe('waiting\n')
    expect(run('agentfold show --format cla').stdout).toBe('claude-sdk\n')
    expect(run('agentfold stats --prices package.js').stdout).toBe('package.json\n')
    expect(run('agentfold stats --json --c').stdout).toBe('--cwd --csv --color\n')
  })

  it.each([
    ['zsh', ':value:(day project program model agent-type tool)'],
    ['fish', "-l by -x -a 'day project program model agent-type tool'"],
  ])('names each command and the values of options in %s', async (shell, values) => {
    const { code, out } = await ask('completion', shell)
    expect(out).toContain(values)
    expect(code).toBe(0)
    for (const name of ['list', 'stats', 'mcp']) expect(out).toContain(name)
  })
})
