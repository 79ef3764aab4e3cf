import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresIndex, openSessionIndex, pushSessions } from '../../../../src/entries/node.ts'
import { pushedKey } from '../../../../src/node/session-index/postgres/pushed-session.ts'
import { temporaryFolder } from '../../../cli/temporary.ts'
import { depth } from '../../../depth.ts'
import { modelAnswers, toText, userMessage } from '../../../wires/claude/messages.ts'
import { ChangingHome, histories } from '../histories.ts'
import { answersOf } from './answers.ts'
import { execute, type PostgresServer, skipReason, startPostgres } from './postgres-server.ts'

/** It is within node_modules, so that it finds its packages. */
const PROGRAM = join(process.cwd(), 'node_modules/.faults', `push-${process.pid}.mjs`)
const MACHINES = ['ann', 'bob', 'eve'] as const
const SESSIONS = 80

const { inFolder, file } = temporaryFolder()
const projects = (machine: string) => join(machine, '.claude', 'projects', '-srv-demo')

/** No file is too new then for its stamp to count. */
const now = () => Date.UTC(2040, 0, 1)

const session = (id: string, words: string, cwd = '/srv/demo', name = id) =>
  toText(
    [userMessage(`Make ${words}.`), modelAnswers(`m-${name}`, `Here is ${words}.`)].map((message, at) => ({
      ...{ ...message, uuid: `${name}-${at}`, sessionId: id, cwd },
      timestamp: '2026-01-03T10:20:30.000Z',
    })),
  )

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  if (child.exitCode === null && child.kill('SIGKILL')) await ended
}

describe.skipIf(skipReason)(`an index of several machines in Postgres ${skipReason ?? ''}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
    await build({
      ...{ entryPoints: [join(import.meta.dirname, 'push-child.ts')], outfile: PROGRAM, bundle: true },
      ...{ packages: 'external', platform: 'node', format: 'esm', target: 'es2022' },
    })
  })
  afterAll(async () => {
    await server?.stop()
    await rm(PROGRAM, { force: true })
  })

  it('has each session once after three machines were killed while they pushed', async () => {
    const address = await server.database()
    for (const machine of MACHINES)
      for (let at = 0; at < SESSIONS; at += 1) {
        const id = `${machine}-${String(at).padStart(3, '0')}`
        await file(join(projects(machine), `${id}.jsonl`), session(id, at % 2 ? 'tea' : 'Köln'))
      }
    const push = (machine: string) =>
      spawn(process.execPath, [PROGRAM, address, inFolder(machine), machine], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
    const children = MACHINES.map(push)
    // Each has pushed a part, and is killed within the next one.
    await Promise.all(
      children.map(async (child) => {
        await once(child.stdout, 'data')
        await kill(child)
      }),
    )
    const [{ sessions: before } = {}] = await execute(
      address,
      'select count(*)::integer as sessions from agentfold_sessions',
    )
    expect(before).toBeGreaterThanOrEqual(3)
    expect(before).toBeLessThan(MACHINES.length * SESSIONS)

    const results = await Promise.all(
      MACHINES.map((machine) =>
        pushSessions(address, { home: inFolder(machine), machine, whole: true, now }),
      ),
    )
    for (const { pushed, unchanged, isComplete } of results) {
      expect(isComplete).toBe(true)
      expect(pushed + unchanged).toBe(SESSIONS)
      expect(unchanged).toBeGreaterThan(0)
    }
    const [team, local] = [
      await openPostgresIndex(address),
      await openSessionIndex({ home: MACHINES.map((machine) => inFolder(machine)).join(','), path: false }),
    ]
    const rows = await team.sessions()
    expect(new Set(rows.map(({ id }) => id)).size).toBe(MACHINES.length * SESSIONS)
    expect(rows).toHaveLength(MACHINES.length * SESSIONS)
    expect(new Set(rows.map(({ machine }) => machine))).toEqual(new Set(MACHINES))
    expect(await answersOf(team)).toEqual(await answersOf(local))

    const pages: string[] = []
    for (let after: (typeof rows)[number] | undefined, isFirst = true; isFirst || after; isFirst = false) {
      const page = await team.sessions({ limit: 7, ...(after && { after }) })
      pages.push(...page.map(({ path }) => path))
      after = page.at(-1)
    }
    expect(pages).toEqual(rows.map(({ path }) => path))
    await Promise.all([team.close(), local.close()])
  })

  it('pushes nothing twice, and what has changed again', async () => {
    const address = await server.database()
    const path = await file(join(projects('one'), 's1.jsonl'), session('s1', 'tea'))
    await file(join(projects('one'), 's2.jsonl'), session('s2', 'cake'))
    const push = () => pushSessions(address, { home: inFolder('one'), machine: 'one', now })
    const whole = { machine: 'one', removed: 0, isRemovalSkipped: false, isComplete: true }
    expect(await push()).toEqual({ ...whole, pushed: 2, unchanged: 0 })
    expect(await push()).toEqual({ ...whole, pushed: 0, unchanged: 2 })
    const team = await openPostgresIndex(address)
    expect(await team.search('coffee')).toEqual([])
    await appendFile(path, session('s1', 'coffee', '/srv/demo', 'later'))
    expect(await push()).toMatchObject({ pushed: 1, unchanged: 1 })
    await team.update()
    expect(await team.search('coffee')).toMatchObject([{ session: 's1' }, { session: 's1' }])
    await team.close()
  })

  // Whoever pushed could take the name of another machine, and overwrite its sessions.
  it('protects the sessions of a machine with the statements of the documentation', async () => {
    const [address, places] = [await server.database(), join('rights', '.claude', 'projects', 'p')]
    const own = (machine: string) => address.replace('//agentfold@', `//${machine}@`)
    const push = (login: string, machine: string) =>
      pushSessions(own(login), { home: inFolder('rights'), machine, path: false, now })
    await pushSessions(address, { home: inFolder('rights'), machine: 'owner', path: false, now })
    const guide = await readFile('docs/team-index.md', 'utf8')
    const [rules = '', rights = ''] = [...guide.matchAll(/```sql\n(.*?)```/gs)].map(([, sql = '']) => sql)
    for (const sql of [rules, ...['ann', 'eve'].map((name) => rights.replaceAll('anns-laptop', name))])
      await execute(address, sql)
    const path = await file(join(places, 's1.jsonl'), session('s1', 'tea'))
    // With the key of a session that was not there yet, eve could keep ann from pushing it.
    await expect(
      execute(
        own('eve'),
        `insert into agentfold_sessions (key, origin, machine, id, stamp, revision)
          values ('${pushedKey('ann', path)}', '', 'eve', 's1', '', 1)`,
      ),
    ).rejects.toThrow('row-level security')
    expect(await push('ann', 'ann')).toMatchObject({ pushed: 1 })
    await file(join(places, 's1.jsonl'), session('s1', 'poison'))

    await expect(push('eve', 'ann')).rejects.toMatchObject({ code: 'refused' })

    const shown = async () => {
      const index = await openPostgresIndex(own('eve'))
      const rows = await index.sessions()
      await index.close()
      return rows.map(({ machine, firstPrompt }) => [machine, firstPrompt])
    }
    expect(await shown()).toEqual([['ann', 'Make tea.']])
    expect(await push('eve', 'eve')).toMatchObject({ pushed: 1 })
    expect(await push('ann', 'ann')).toMatchObject({ pushed: 1 })
    expect(new Set(await shown())).toEqual(
      new Set([
        ['ann', 'Make poison.'],
        ['eve', 'Make poison.'],
      ]),
    )
  })

  it('keeps a session whose file is gone until it is pruned, and has one that moved once', async () => {
    const address = await server.database()
    const home = inFolder('moving')
    const push = (options = {}) => pushSessions(address, { home, machine: 'one', ...options })
    const paths = [1, 2, 3].map((at) =>
      file(join(projects('moving'), `s${at}.jsonl`), session(`s${at}`, 'tea')),
    )
    const [first = '', second = ''] = await Promise.all(paths)
    await file(join(projects('moving'), 'hidden.jsonl'), session('hidden', 'tea', '/srv/private/deep'))
    await push()
    await rm(first)
    await file(join('moving', '.claude', 'projects', '-srv-other', 'x.jsonl'), '')
    await rename(second, inFolder('moving', '.claude', 'projects', '-srv-other', 's2.jsonl'))
    expect(await push()).toMatchObject({ removed: 1 })
    const team = await openPostgresIndex(address)
    const ids = async () => {
      await team.update()
      return (await team.sessions()).map(({ id }) => id).sort()
    }
    expect(await ids()).toEqual(['hidden', 's1', 's2', 's3'])
    // Another home of the same machine prunes its own sessions alone.
    await pushSessions(address, { home: inFolder('nobody'), machine: 'one', prune: true })
    expect(await ids()).toEqual(['hidden', 's1', 's2', 's3'])
    expect(await push({ prune: true, exclude: ['/srv/private'] })).toMatchObject({ removed: 2 })
    expect(await ids()).toEqual(['s2', 's3'])
    const texts = await execute(address, "select key from agentfold_sessions where state like '%private%'")
    expect(texts).toEqual([])
    await team.close()
  })

  it('finds a session of a worktree in the folder of its repository, without the files of its machine', async () => {
    const address = await server.database()
    const worktree = inFolder('worktree', 'src')
    await file(join('worktree', '.git'), `gitdir: ${inFolder('repository', '.git', 'worktrees', 'w')}\n`)
    await file(join(projects('tree'), 't1.jsonl'), session('t1', 'tea', worktree))
    await pushSessions(address, { home: inFolder('tree'), machine: 'one' })
    await rm(inFolder('worktree'), { recursive: true })
    const team = await openPostgresIndex(address)
    for (const [cwd, count] of [
      [inFolder('repository', 'src'), 1],
      [inFolder('repository', 'sr'), 0],
      [worktree, 1],
    ] as const)
      expect(await team.sessions({ cwd })).toHaveLength(count)
    await team.close()
  })

  it.each(['{', 'null', '{}', '[]', '"tea"', '{"id":1}', '{"id":"f","format":"claude-sdk"}'])(
    'answers without a foreign row, and names it: %s',
    async (foreign) => {
      const address = await server.database()
      for (const id of ['f1', 'f2']) await file(join(projects('foreign'), `${id}.jsonl`), session(id, 'tea'))
      await pushSessions(address, { home: inFolder('foreign'), machine: 'one' })
      await execute(address, `update agentfold_sessions set facts = '${foreign}' where id = 'f2'`)
      const team = await openPostgresIndex(address)
      const issues: string[] = []
      await team.update({ onIssue: ({ code, reason }) => issues.push(`${code}: ${reason}`) })
      expect(issues).toEqual([expect.stringContaining('unreadable: another program')])
      expect((await team.sessions()).map(({ id }) => id)).toEqual(['f1'])
      expect(await team.search('tea')).toHaveLength(2)
      await execute(
        address,
        `update agentfold_sessions set "row" = '${foreign}', parts = '${foreign}', tools = '${foreign}', details = '${foreign}'`,
      )
      for (const ask of [() => team.sessions(), () => team.records(), () => team.stats({ by: 'day' })])
        expect(await ask()).toEqual([])
      await team.close()
    },
  )

  it('lists a session of a format that only a newer version knows', async () => {
    const address = await server.database()
    await file(join(projects('newer'), 'n1.jsonl'), session('n1', 'tea'))
    await pushSessions(address, { home: inFolder('newer'), machine: 'one' })
    await execute(address, "update agentfold_sessions set facts = replace(facts, 'claude-sdk', 'brand-new')")
    const team = await openPostgresIndex(address)
    expect((await team.sessions()).map(({ id }) => id)).toEqual(['n1'])
    await team.close()
  })

  it('has each session at any time, also while a machine pushes it again', async () => {
    const address = await server.database()
    await file(join(projects('busy'), 'r1.jsonl'), session('r1', 'tea'))
    await pushSessions(address, { home: inFolder('busy'), machine: 'one' })
    const again = `with next as (update agentfold_index set revision = revision + 1 returning revision)
      update agentfold_sessions set revision = (select revision from next)`
    let isPushing = true
    const pushing = execute(address, Array(500).fill(again).join('; begin; commit; ')).finally(() => {
      isPushing = false
    })
    const counts = new Set<number>()
    while (isPushing) {
      const team = await openPostgresIndex(address)
      counts.add(await team.count())
      await team.update()
      counts.add(await team.count())
      await team.close()
    }
    await pushing
    expect([...counts]).toEqual([1])
  })

  it('follows the changes of other machines', async () => {
    const address = await server.database()
    const home = inFolder('watched')
    await file(join(projects('watched'), 'w1.jsonl'), session('w1', 'tea'))
    await pushSessions(address, { home, machine: 'one' })
    const team = await openPostgresIndex(address)
    const stop = new AbortController()
    const changes = team.watch({ signal: stop.signal })[Symbol.asyncIterator]()
    const next = changes.next()
    await file(join(projects('watched'), 'w2.jsonl'), session('w2', 'cake'))
    // The first look may come before or after the push.
    await team.update()
    await pushSessions(address, { home, machine: 'one' })
    const seen = [await next, await changes.next()].map(({ value }) => value?.id)
    expect(seen).toContain('w2')
    stop.abort()
    await team.close()
  })

  it(
    'answers as an index of the files does, after any history',
    () =>
      fc.assert(
        fc.asyncProperty(fc.array(histories, { minLength: 1, maxLength: 3 }), async (parts) => {
          const home = await mkdtemp(join(tmpdir(), 'agentfold-'))
          const address = await server.database()
          const [team, local] = [
            await openPostgresIndex(address),
            await openSessionIndex({ home, path: join(home, '.cache', 'own') }),
          ]
          const files = new ChangingHome(home)
          try {
            for (const steps of parts) {
              for (const step of steps) await files.run(step)
              await pushSessions(address, {
                ...{ home, path: join(home, '.cache', 'index'), machine: 'one', whole: true, prune: true },
              })
              expect(await answersOf(team)).toEqual(await answersOf(local))
            }
          } finally {
            await Promise.all([team.close(), local.close()])
            await rm(home, { recursive: true })
          }
        }),
        { numRuns: depth({ few: 4, all: 60 }) },
      ),
    1_800_000,
  )
})
