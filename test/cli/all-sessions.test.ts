import { spawnSync } from 'node:child_process'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
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
      modelCalls('m1', 't1', 'Bash', { command: 'boil' }),
      modelAnswers('m2', 'Tea, and more tea.'),
      userMessage('Tea again.'),
    ].map((message, at) => ({ uuid: `${id}-${at}`, ...message, timestamp: time, sessionId: id, cwd })),
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
  it.each(['age', 'cost', 'tokens', 'agents'])('is the same without an index by %s', async (sort) => {
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
  })

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

  it('shows an example on a terminal without sessions', async () => {
    const pick = async () => undefined
    const { code, out, err } = await agentfold([], { home: inFolder('nobody'), pick })
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('no sessions in') })
    expect(out).toContain('Why does the kettle test fail?')
  })
})

describe('agentfold search', () => {
  it.each(each)('prints JSON alone %j', async (...index) => {
    const { code, out } = await ask('search', 'tea', '--json', '--each', '1', ...index)
    expect(code).toBe(0)
    expect(linesOf(out).map((line) => JSON.parse(line))).toMatchObject([
      { session: 'c1', kind: 'prompt', place: { conversationId: 'main' } },
    ])
  })

  it.each(each)('finds the calls of a tool with their input %j', async (...index) => {
    const { out } = await ask('search', '--tool', 'command', '--json', ...index)
    expect(linesOf(out).map((line) => JSON.parse(line))).toMatchObject([
      { tool: 'Bash', input: { command: 'boil' }, excerpt: 'Bash boil' },
    ])
    const byRole = await ask('search', 'tea', '--role', 'assistant', '--json', ...index)
    expect(linesOf(byRole.out).map((line) => JSON.parse(line).kind)).toEqual(['answer'])
  })
})

describe('agentfold stats and cost', () => {
  it.each(each)('says that no session matches %j', async (...index) => {
    const stats = await ask('stats', '--cwd', inFolder('nowhere'), '--json', ...index)
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
    expect((await ask('export')).code).toBe(1)
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
