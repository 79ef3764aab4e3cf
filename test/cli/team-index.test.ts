import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ListLine } from '../../src/cli/serve/machine/listed-session.ts'
import { redactAll, redactSession } from '../../src/entries/markdown.ts'
import { openPostgresIndex, openSessionIndex, pushSessions } from '../../src/entries/node.ts'
import { connectSession } from '../../src/entries/sync.ts'
import { answersOf } from '../node/session-index/postgres/answers.ts'
import {
  execute,
  type PostgresServer,
  skipReason,
  startPostgres,
} from '../node/session-index/postgres/postgres-server.ts'
import { KINDS, randomFrom, showsPart, visiblePart } from '../redaction/kinds.ts'
import { modelAnswers, modelCalls, toolResult, toText, userMessage } from '../wires/claude/messages.ts'
import { temporaryFolder } from './temporary.ts'
import { agentfold, type Ran } from './terminal.ts'

const { inFolder, file } = temporaryFolder()
const time = '2026-01-03T10:20:30.000Z'
const now = () => Date.parse(time) + 86_400_000

/** A session with words in each of its texts. */
const session = (id: string, words: string, cwd = '/home/ann/tea') =>
  toText([
    ...[
      userMessage(`Look at ${words}`),
      modelCalls(`${id}-1`, `${id}-t`, 'Bash', { command: `echo ${words}`, env: { note: words } }),
      toolResult(`${id}-t`, `found: ${words}`),
      modelAnswers(`${id}-2`, `Done with ${words}`),
    ].map((message, at) => ({ ...message, uuid: `${id}-${at}`, timestamp: time, sessionId: id, cwd })),
    { type: 'ai-title', aiTitle: `About ${words}`, sessionId: id },
  ])

const projects = (home: string) => join(home, '.claude', 'projects', '-home-ann-tea')

describe.skipIf(skipReason)(`the index of a team ${skipReason ?? ''}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server?.stop())
  const stops: AbortController[] = []
  afterEach(() => {
    for (const stop of stops.splice(0)) stop.abort()
  })

  const ask = (...args: readonly string[]) =>
    agentfold(args, { home: inFolder('nobody'), now, page: '<!doctype html>' })

  it('answers list, search, stats, show, export and serve as on the machine of the sessions', async () => {
    const address = await server.database()
    await file(join(projects('ann'), 'a1.jsonl'), session('a1', 'green tea'))
    await file(join(projects('bob'), 'b1.jsonl'), session('b1', 'black tea'))
    const push = async (name: string, ...options: readonly string[]) =>
      agentfold(['index', '--to', address, '--machine', name, ...options], { home: inFolder(name), now })
    expect(await push('ann')).toEqual({
      code: 0,
      out: 'ann: 1 session pushed, without secrets of known forms; 0 unchanged\n',
      err: '',
    })
    expect((await push('bob', '--whole')).out).toBe('bob: 1 session pushed, with secrets; 0 unchanged\n')

    const list = await ask('list', '--index', address, '--json')
    const rows = list.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows.map(({ id, machine, cwd, file: path }) => [id, machine, cwd, path])).toEqual(
      expect.arrayContaining([
        ['a1', 'ann', '~/tea', expect.stringMatching(/-~-tea\/a1\.jsonl$/)],
        ['b1', 'bob', '/home/ann/tea', expect.stringMatching(/-home-ann-tea\/b1\.jsonl$/)],
      ]),
    )
    expect((await ask('search', 'green', '--index', address)).out).toMatch(/About green tea .* a1\n/)
    expect((await ask('search', 'coffee', '--index', address)).err).toBe(
      'agentfold: no match in 2 sessions\n',
    )
    // Whoever asks has another home folder.
    const stats = await ask(
      'stats',
      '--by',
      'program',
      '--cwd',
      '/home/bob/tea',
      '--index',
      address,
      '--json',
    )
    expect(JSON.parse(stats.out)).toMatchObject({ key: 'claude-code', sessions: 1, turns: 1 })
    expect((await ask('show', 'b1', '--index', address)).out).toContain('❯ Look at black tea')
    expect((await ask('export', '--all', '--index', address)).out.trim().split('\n')).toHaveLength(2)
    const chosen = await agentfold(['list', '--index', address], {
      ...{ home: inFolder('nobody'), now },
      pick: async ([first]) => first?.value,
    })
    expect(chosen.out).toMatch(/❯ Look at (?:green|black) tea/)
    for (const wrong of [
      await ask('list', '--index', address, '--home', '/srv'),
      await ask('serve', 'a1', '--index', address),
    ])
      expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('leave') })
  })

  it('says that it removes nothing while something cannot be read', async () => {
    const address = await server.database()
    const gone = await file(join(projects('tidy'), 't1.jsonl'), session('t1', 'tea'))
    const prune = () =>
      agentfold(['index', '--to', address, '--machine', 'ann', '--prune'], { home: inFolder('tidy'), now })
    await prune()
    await rm(gone)
    const broken = join(projects('tidy'), 't2.jsonl')
    await symlink(inFolder('nowhere'), inFolder(broken))
    expect((await prune()).out).toMatch(/; 0 unchanged; none removed: something could not be read\n$/)
    await rm(inFolder(broken))
    expect((await prune()).out).toMatch(/; 1 removed\n$/)
  })

  it('serves the list and the sessions of all machines, and shows what is pushed later', async () => {
    const address = await server.database()
    const home = inFolder('served')
    await file(join(projects('served'), 'a1.jsonl'), session('a1', 'green tea'))
    await pushSessions(address, { home, machine: 'ann' })
    const stop = new AbortController()
    stops.push(stop)
    let written = ''
    const served = agentfold(['serve', '--index', address], {
      ...{ home: inFolder('nobody'), page: '<!doctype html>', interruption: () => stop.signal },
      onWrite: (part) => {
        written += part
      },
    })
    await expect.poll(() => written).toMatch(/\n$/)
    const url = written.trim()
    const lines = async (path: string): Promise<readonly ListLine[]> =>
      (await (await fetch(new URL(path, url))).text())
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    const listed = (await lines('../list')).flatMap((line) => ('session' in line ? [line.session] : []))
    expect(listed.at(-1)).toMatchObject({ title: 'About green tea', status: 'finished' })
    expect(await lines('../search?text=found')).toMatchObject([
      { id: listed[0]?.id, context: ['', 'found', ': green tea'], place: { conversationId: 'main' } },
    ])
    const costs = await (await fetch(new URL('../costs?by=program', url))).json()
    expect(costs).toMatchObject({ rows: [{ key: 'claude-code', sessions: 1 }], isPartial: false })
    const connection = connectSession(new URL(`../events/${listed[0]?.id}`, url).href)
    const words = () => JSON.stringify(connection.store.getState())
    await expect.poll(words).toContain('Done with green tea')
    await file(join(projects('served'), 'a1.jsonl'), session('a1', 'white tea, at last'))
    await pushSessions(address, { home, machine: 'ann' })
    await expect.poll(words).toContain('Done with white tea, at last')
    connection.close()
    stop.abort()
    expect(await served).toMatchObject({ code: 0, err: '' })
  })

  it('has no secret of a known form, unless the person pushes sessions whole', async () => {
    const address = await server.database()
    const secrets = KINDS.map((kind, at) => [kind, kind.make(randomFrom(at + 1))] as const)
    for (const [at, [kind, secret]] of secrets.entries())
      await file(join(projects('secret'), `s${at}.jsonl`), session(`s${at}`, kind.write(secret)))
    const home = inFolder('secret')
    await pushSessions(address, { home, machine: 'ann', now })
    const leaks = async () => {
      const rows = await execute(
        address,
        'select id, concat_ws(chr(10), facts, "row", parts, tools, details, state) as words from agentfold_sessions',
      )
      expect(rows).toHaveLength(secrets.length)
      return rows.flatMap(({ id, words }) => {
        const [kind, secret] = secrets[Number(String(id).slice(1))] ?? []
        return kind && secret !== undefined && showsPart(String(words), visiblePart(kind, secret))
          ? [kind.name]
          : []
      })
    }
    expect(await leaks()).toEqual([])
    // A home folder is in the paths of most sessions.
    expect(
      await execute(
        address,
        'select id from agentfold_sessions where concat(facts, "row", state) like \'%ann/tea%\'',
      ),
    ).toEqual([])

    // A search of what was pushed finds what a search of the redacted sessions finds.
    const [team, local] = [
      await openPostgresIndex(address, { now }),
      await openSessionIndex({ home, path: false, now }),
    ]
    const view = (state: Parameters<typeof redactSession>[0]) => redactSession(state, redactAll)
    const [pushed, own] = [await answersOf(team), await answersOf(local, { view })]
    expect(pushed).toMatchObject({
      ...own,
      records: expect.anything(),
      cwd: [],
      statistics: expect.anything(),
    })
    for (const by of ['day', 'program', 'model', 'agent-type', 'tool'] as const)
      expect(await team.stats({ by })).toEqual(await local.stats({ by }))
    await Promise.all([team.close(), local.close()])

    await pushSessions(address, { home, machine: 'ann', whole: true, now })
    expect((await leaks()).length).toBeGreaterThan(secrets.length * 0.9)
    // The next push hides them again.
    await pushSessions(address, { home, machine: 'ann', now })
    expect(await leaks()).toEqual([])
  })

  it.each([
    ['no-index', '', 'no index of agentfold: push sessions with agentfold index --to'],
    [
      'wrong-schema',
      'update agentfold_index set schema = 99',
      'the index has schema 99, and this version of agentfold reads schema 1: update agentfold',
    ],
    [
      'wrong-schema',
      'update agentfold_index set schema = 0',
      'the index has schema 0, and this version of agentfold reads schema 1: drop the tables agentfold_index and agentfold_sessions, and push again',
    ],
  ])('names what is wrong: %s %s', async (code, statement, sentence) => {
    const address = await server.database()
    if (statement !== '') {
      await pushSessions(address, { home: inFolder('nobody') })
      await execute(address, statement)
      const pushed = await ask('index', '--to', address)
      expect(pushed).toMatchObject({ code: 1, err: expect.stringContaining(sentence) })
    }
    for (const command of [
      ['list'],
      ['search', 'tea'],
      ['stats'],
      ['serve'],
      ['show', 'a1'],
      ['export', '--all'],
    ])
      expect(await ask(...command, '--index', address)).toEqual(failure(address, sentence, code))
  })

  const failure = (address: string, sentence: string, code: string): Ran => {
    const { host, pathname } = new URL(address)
    const err = `agentfold: postgres://${decodeURIComponent(host)}${pathname}: ${sentence} (${code})\n`
    return { code: 1, out: '', err }
  }

  it('names a database that is not there, and one of another encoding', async () => {
    const address = await server.database("template template0 encoding 'LATIN1'")
    expect(await ask('index', '--to', address)).toEqual(
      failure(address, 'the database keeps LATIN1: make one with the encoding UTF8', 'wrong-encoding'),
    )
    const missing = address.replace(/[^/]*$/, 'nothing')
    const refused = 'the server refuses: database "nothing" does not exist'
    expect(await ask('list', '--index', missing)).toEqual(failure(missing, refused, 'refused'))
  })
})

it('names a server that does not answer, without the password', async () => {
  const ran = await agentfold(['list', '--index', 'postgres://ann:hunter2@127.0.0.1:1/team'], {
    home: inFolder('nobody'),
  })
  expect(ran).toEqual({
    code: 1,
    out: '',
    err: 'agentfold: postgres://127.0.0.1:1/team: no server answers (ECONNREFUSED) (unreachable)\n',
  })
})

// A password may have a slash, a question mark or a hash, and the scheme may be written with a capital.
it.each([
  'postgres://team:sec/hunter2@db/x',
  'postgres://team:s3c#hunter2@db/x',
  'postgres://team:123/hunter2@db/x',
  'postgres://team:123?hunter2@db/x',
  'postgres://team:123#hunter2@db/x',
  'postgres://team:a@hunter2/b@db/x',
  'Postgres://team:hunter2@db/x',
  'postgres://%zz/hunter2',
  'postgres://team:%zzhunter2@db/x',
  '/hunter2',
])('refuses the address %s without a word of it', async (address) => {
  for (const command of [
    ['list', '--index'],
    ['stats', '--index'],
    ['serve', '--index'],
    ['show', 'a1', '--index'],
    ['index', '--to'],
  ])
    expect(
      await agentfold([...command, address], { home: inFolder('nobody'), page: '<!doctype html>' }),
    ).toEqual({
      code: 1,
      out: '',
      err:
        'agentfold: not the address of a Postgres database: use one such as postgres://user@host/database, ' +
        'with the password in PGPASSWORD or percent-encoded (wrong-address)\n',
    })
})

it('says that the package pg is not installed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agentfold-'))
  // Outside of this folder, no package is found but those in the bundle.
  await build({
    ...{ entryPoints: ['src/cli/main.ts'], outfile: join(folder, 'cli.mjs'), bundle: true, external: ['pg'] },
    ...{ platform: 'node', format: 'esm', target: 'es2022' },
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  })
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  const ran = await new Promise<string>((resolve) => {
    const args = [join(folder, 'cli.mjs'), 'list', '--index', 'postgres://ann@127.0.0.1:1/team']
    execFile(process.execPath, args, { cwd: folder }, (error, _, err) => resolve(`${error?.code}: ${err}`))
  })
  await rm(folder, { recursive: true })
  expect(ran).toBe(
    '1: agentfold: postgres://127.0.0.1:1/team: the package pg is not installed: run npm install pg (no-driver)\n',
  )
})
