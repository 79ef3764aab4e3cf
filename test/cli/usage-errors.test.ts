import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { KNOWN_PROGRAMS } from '../known-programs.ts'
import { modelSays, toText } from '../wires/claude/messages.ts'
import { temporaryFolder } from './temporary.ts'
import { agentfold } from './terminal.ts'

const hello = toText([modelSays('m1', 'Hi.', { uuid: 'u1' })])
const { inFolder, file } = temporaryFolder()

// Each id begins with nothing. With one session on the machine, it was that one.
it.each(['show', 'follow', 'serve'])('%s refuses an empty name', async (command) => {
  const { code, err } = await agentfold([command, ''])
  expect(code).toBe(2)
  expect(err).toMatch(/^agentfold: no session: pass an id or a path\n/)
})

// It wrote a file with that name, and nothing was redacted.
it.each(['--redact', '-', ''])('refuses %j as the name of an HTML file', async (name) => {
  const { code, err } = await agentfold(['show', await file('ok.jsonl', hello), '--html', name])
  expect(code).toBe(2)
  expect(err).toContain('Use the name of the file to write.')
})

// An unset variable of a script listed all sessions, or wrote into the current folder.
it('refuses an empty value of each option, and names the option', async () => {
  const all = await agentfold(['--help'])
  const names = [...all.out.matchAll(/^ {2}([a-z]+) .*\[options\]/gm)].map(([, name = '']) => name)
  let count = 0
  for (const name of names) {
    const { out } = await agentfold([name, '--help'])
    for (const [, option = ''] of out.matchAll(/^ {2}(--[a-z-]+) </gm)) {
      const { code, err } = await agentfold([
        name,
        ...(/usage.*<session>/.test(out) ? ['x'] : []),
        ...(/<live>/.test(out) ? ['x', 'y'] : []),
        `${option}=`,
      ])
      expect([name, option, code]).toEqual([name, option, 2])
      expect(err).toContain(option)
      count += 1
    }
  }
  expect(count).toBeGreaterThan(40)
})

it.each(['list', 'stats', 'export --all', 'search x', 'index', 'serve', 'mcp', 'show x', 'cost x'])(
  '%s names a home folder that does not exist',
  async (command) => {
    for (const homes of [inFolder('gone'), `${inFolder()},${inFolder('gone')}`])
      expect(await agentfold([...command.split(' '), '--home', homes], { page: '<!doctype html>' })).toEqual({
        code: 1,
        out: '',
        err: `agentfold: --home: ${inFolder('gone')}: no such folder\n`,
      })
  },
)

it('ignores capitals in the values that an option lists', async () => {
  await mkdir(inFolder('quiet'), { recursive: true })
  for (const args of ['list --status Failed', 'list --sort COST', 'stats --by Day', 'search x --role User'])
    expect((await agentfold([...args.split(' '), '--home', inFolder('quiet')])).code).toBeLessThan(2)
})

it('says that a folder stands in the place of a file', async () => {
  const path = await file('ok.jsonl', hello)
  expect(await agentfold(['identify', path, '--system-prompt', inFolder()])).toMatchObject({
    code: 1,
    err: `agentfold: ${inFolder()}: a folder, not a file\n`,
  })
})

describe('an input that cannot be read', () => {
  // Several sessions have a line each.
  const oneLine = /^agentfold: [^\n]+\n(?: {2}[^\n]+\n)*$/

  it.each<[string, () => Promise<string>, RegExp]>([
    ['does not exist', async () => inFolder('nowhere.jsonl'), /no such file or folder/],
    ['is not a transcript', () => file('garbage.jsonl', 'garbage\nmore\n'), /not a transcript/],
    [
      'is a folder without a session',
      async () => {
        await mkdir(inFolder('bare'), { recursive: true })
        return inFolder('bare')
      },
      /no session/,
    ],
    [
      'is a folder with several sessions',
      async () => {
        await mkdir(inFolder('several'), { recursive: true })
        await file('several/a.jsonl', hello)
        await file('several/b.jsonl', toText([modelSays('m2', 'Other.', { uuid: 'u2' })]))
        return inFolder('several')
      },
      /several sessions/,
    ],
    ['has a file in the place of a folder', async () => join(await file('plain.jsonl', hello), 'x'), /./],
  ])('gives exit code 1 and one line: it %s', async (_, path, reason) => {
    const { code, out, err } = await agentfold(['replay', await path()])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(
      reason.source === 'several sessions' ? /^agentfold: [^\n]+:\n( {2}[^\n]+\n){2}$/ : oneLine,
    )
    expect(err).toMatch(reason)
  })

  // "claude-sdk or opencode or codex or pi or acp or ag-ui knows none of its lines (1 in all)"
  it.each([
    ['{"a":1}', '1 line'],
    ['tea\nmore\n', '2 lines'],
  ])('says that no known program wrote it: %j', async (content, lines) => {
    const unknown = (path: string) => ({
      code: 1,
      out: '',
      err: `agentfold: ${path}: not a transcript: no known program wrote it (${lines} read). The known ones are ${KNOWN_PROGRAMS}\n`,
    })
    const path = await file('unknown-file/unknown.jsonl', content)
    for (const input of [path, inFolder('unknown-file')])
      expect(await agentfold(['show', input])).toEqual(unknown(input))
    const given = await agentfold(['show', path, '--format', 'codex'])
    expect(given.err).toContain('codex knows none of its lines')
  })

  // It said "pass a folder" although a folder was passed.
  it('asks for another folder if a folder has no sessions', async () => {
    await mkdir(inFolder('without'), { recursive: true })
    expect((await agentfold(['list', inFolder('without')])).err).toMatch(
      /: pass another folder, or a file to/,
    )
  })

  it('gives exit code 1 if standard input is not a transcript', async () => {
    const { code, err } = await agentfold(['replay', '-'], { stdin: ['garbage'] })
    expect(code).toBe(1)
    expect(err).toMatch(oneLine)
  })
})

// It was an empty tree and exit code 0, so nobody saw that the program before the pipe had failed.
describe('an empty input', () => {
  it.each(['', ' \n\r\n', '\uFEFF'])('gives the message "empty input": %j', async (content) => {
    const path = await file('empty', content)
    const onlyError = (code: number, name: string) => ({
      code,
      out: '',
      err: `agentfold: ${name}: empty input\n`,
    })
    for (const args of [['replay'], ['replay', '--json'], ['replay', '--events'], ['identify'], ['scrub']]) {
      expect(await agentfold([...args, path])).toEqual(onlyError(1, path))
      expect(await agentfold([...args, '-'], { stdin: [content] })).toEqual(onlyError(1, '-'))
    }
    const session = await file('plain.jsonl', hello)
    expect(await agentfold(['parity', path, session])).toEqual(onlyError(2, path))
    expect(await agentfold(['parity', session, path])).toEqual(onlyError(2, path))
  })

  it('is a folder with an empty session too, and a session whose agents have no lines', async () => {
    const path = await file('nothing/s1.jsonl', '')
    await file('nothing/s1/subagents/agent-a1.jsonl', '\n')
    for (const input of [path, inFolder('nothing')])
      expect(await agentfold(['replay', input])).toMatchObject({
        code: 1,
        err: `agentfold: ${input}: empty input\n`,
      })
  })
})

describe('the name of a file', () => {
  const evil = 'evil\u001b]0;tea\u0007\u009b31m\n'

  it.each<[string, () => readonly string[], number]>([
    ['that is missing', () => ['replay', inFolder(evil)], 1],
    ['for parity', () => ['parity', inFolder('plain.jsonl'), inFolder(evil)], 2],
    ['for tools', () => ['identify', inFolder('plain.jsonl'), '--tools', inFolder(evil)], 1],
    ['in a folder with several sessions', () => ['replay', inFolder('two')], 1],
    ['instead of a command', () => [evil], 2],
  ])('is printed without its control characters: a file %s', async (_, args, code) => {
    await file('plain.jsonl', hello)
    await file(`two/${evil}.jsonl`, hello)
    await file('two/b.jsonl', toText([modelSays('m2', 'Other.', { uuid: 'u2' })]))
    const { err, ...rest } = await agentfold(args())
    expect(rest).toEqual({ code, out: '' })
    expect(err).toMatch(/^agentfold: .*evil�]0;tea��31m/s)
    expect(err.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })

  it('is clean in progress lines too', async () => {
    const path = await file(join('long', evil), hello.repeat(4_000_000 / hello.length + 1))
    const { err } = await agentfold(['replay', path], { showsProgress: true })
    expect(err).toContain('evil�]0;tea��31m: 100 % read')
    expect(err.replaceAll('\r\u001b[K', '')).not.toMatch(/\p{Cc}/u)
  })
})

describe('wrong usage', () => {
  it.each<[string, readonly string[]]>([
    ['a folder and more', ['list', 'a', 'b']],
    ['no number', ['--limit', 'x']],
    ['a limit with --all', ['--limit', '1', '--all']],
    ['an unknown command', ['brew', 'x']],
    ['no path', ['replay']],
    ['two paths', ['replay', 'a', 'b']],
    ['an unknown option', ['replay', 'a', '--tea']],
    ['--json with --events', ['replay', 'a', '--json', '--events']],
    // `--status` was dropped.
    ['--failed with --status', ['list', '--failed', '--status', 'waiting']],
    ['--tail with --markdown', ['show', 'a', '--tail', '1', '--markdown']],
    ['--tail with --html', ['show', 'a', '--tail', '1', '--html', 'a.html']],
    ['--format with --index', ['show', 'a', '--format', 'codex', '--index', 'postgres://a@b/c']],
    ['--format without a session', ['serve', '--format', 'codex']],
    ['a session with --index', ['serve', 'a', '--index', 'postgres://a@b/c']],
    ['--all with a choice', ['export', '--all', '--until', '7d']],
    ['the prices of tools', ['stats', '--by', 'Tool', '--prices', 'p.json']],
    ['an index without itself', ['index', '--no-index']],
    ['no choice', ['export']],
    ['no program', ['list', '--program', 'nope']],
    ['no program', ['export', '--program', 'nope']],
    ...[[], ['--since', '1d'], ['--limit', '3']].map((args): [string, readonly string[]] => [
      'no text',
      ['search', ...args],
    ]),
    ...[['--prune'], ['--whole'], ['--machine', 'x'], ['--exclude', '/x']].map(
      (args): [string, readonly string[]] => ['a part of a push alone', ['index', ...args]],
    ),
    ...['list', 'search x'].flatMap((command): [string, readonly string[]][] => [
      ['a folder with --home', [...command.split(' '), '/', '--home', '/srv']],
      ['a folder with --index', [...command.split(' '), '/', '--index', 'postgres://a@b/c']],
    ]),
    ...['list', 'search x', 'stats', 'export'].flatMap((command) =>
      ['7', 'last 7', '2026-02-30', '999999999999d'].map((time): [string, readonly string[]] => [
        'no time',
        [...command.split(' '), '--since', time],
      ]),
    ),
  ])('gives exit code 2, and prints the reason and the usage on stderr: %s', async (_, args) => {
    const { code, out, err } = await agentfold(args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(/^agentfold: [^\n]+\n/)
    expect(err).toContain('usage: agentfold')
  })

  it('suggests the command that a person probably meant', async () => {
    expect((await agentfold(['shwo'])).err).toMatch(
      /^agentfold: unknown command 'shwo' \(Did you mean show\?\)\n/,
    )
    const path = await file('plain.jsonl', hello)
    expect(await agentfold([path])).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        `to read that file or folder, run agentfold show ${path}\n\nusage: agentfold `,
      ),
    })
  })

  it('prints the usage of all commands if no command is named', async () => {
    const { code, err } = await agentfold(['--tea'])
    expect(code).toBe(2)
    expect(err).toMatch(
      /unknown option '--tea'.*\n\nusage: agentfold \[options\] \[command\]\nRun `agentfold --help`/,
    )
  })

  it('is not help about a command', async () => {
    expect(await agentfold(['help'])).toEqual(await agentfold(['--help']))
    expect(await agentfold(['help', 'show'])).toEqual(await agentfold(['show', '--help']))
    expect(await agentfold(['help', 'brew'])).toMatchObject({
      code: 2,
      err: expect.stringContaining("unknown command 'brew'"),
    })
  })

  it('does not include a request for help', async () => {
    for (const args of [['--help'], ['-h'], ['replay', '--help']])
      expect(await agentfold(args)).toMatchObject({
        code: 0,
        err: '',
        out: expect.stringContaining('usage: agentfold'),
      })
  })
})

// `replay` prints colours, but refused `--color`, with an error that named `--color=always`.
describe('--color', () => {
  const commands = ['show', 'follow', 'replay', 'identify', 'parity', 'list', 'search', 'serve', 'continue']

  it.each(commands)('is an option of %s', async (command) => {
    const { out } = await agentfold([command, '--help'])
    // It named a form that failed: `--color never`.
    expect(out).toContain('--color[=when]')
    expect(out).toContain('--no-color')
  })

  it('decides for replay, and for agentfold alone', async () => {
    const path = await file('plain.jsonl', hello)
    const styled = '\u001b['
    expect((await agentfold(['replay', path, '--color'])).out).toContain(styled)
    expect((await agentfold(['replay', path], { isStyled: true })).out).toContain(styled)
    for (const option of ['--no-color', '--color=never'])
      expect((await agentfold(['replay', path, option], { isStyled: true })).out).not.toContain(styled)
    expect((await agentfold(['replay', path, '--color=auto'])).out).not.toContain(styled)
    expect((await agentfold(['--no-color'], { home: inFolder('nobody') })).err).toContain('no sessions in')
  })
})

describe('a session in place of a command or of an option', () => {
  it('names the command for an id', async () => {
    expect(await agentfold(['0a6eccd5'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /^agentfold: unknown command '0a6eccd5': to read a session by its id, run agentfold show 0a6eccd5\n/,
      ),
    })
  })

  // `--color` took the session as its value.
  it('stays an argument behind --color', async () => {
    const path = await file('plain.jsonl', hello)
    const { code, out } = await agentfold(['show', '--color', path])
    expect(code).toBe(0)
    expect(out).toContain('\u001b[')
    expect(await agentfold(['show', path, '--color=blue'])).toMatchObject({ code: 2 })
    expect((await agentfold(['search', '--', '--color', inFolder()])).err).toMatch(
      /no match in \d+ files? that may hold a session\n$/,
    )
  })
})
