import { appendFile, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openSessionIndex } from '../../../src/entries/node.ts'
import { temporaryFolder } from '../../cli/temporary.ts'
import {
  assistantMessage,
  modelAnswers,
  toolResult,
  toolUse,
  toText,
  userMessage,
} from '../../wires/claude/messages.ts'

const { inFolder, file } = temporaryFolder()
const place = join('.claude', 'projects', 'p')

/** A clock that is ahead: no file is too new for its stamp to count. */
const now = () => Date.UTC(2040, 0, 1)

const lines = (id: string, words: string, facts = {}) =>
  toText(
    [
      userMessage(`Make ${words}.`),
      assistantMessage(`m-${words}`, toolUse(`t-${words}`, 'Task', { prompt: 'Go.' }), {}),
      modelAnswers(`n-${words}`, words),
    ].map((message, at) => ({
      ...{ ...message, uuid: `${id}-${words}-${at}`, sessionId: id, cwd: '/srv/tea', ...facts },
      timestamp: '2026-01-01T10:20:30.000Z',
    })),
  )

/** Writes sessions, one with an agent, and makes the index of all at once. */
async function indexedHome(name: string, count: number) {
  const home = inFolder(name)
  const own = (id: string) => join(name, place, `${id}.jsonl`)
  const agent = (id: string, agentId: string) => join(name, place, id, 'subagents', `agent-${agentId}.jsonl`)
  const writeAgent = (id: string, agentId: string, words = 'milk') =>
    file(agent(id, agentId), lines(id, words, { agentId, isSidechain: true }))
  for (let at = 1; at <= count; at += 1) {
    const path = await file(own(`s${at}`), lines(`s${at}`, `tea${at}`))
    await utimes(path, 1_000 + at, 1_000 + at)
  }
  await writeAgent('s1', 'a1')
  const path = join(home, '.cache', 'index')
  const open = (kept: string | false = path) => openSessionIndex({ home, path: kept, now })
  const before = await open()
  const rows = await before.sessions()
  await before.close()
  return { own, agent, writeAgent, open, rows }
}

type Home = Awaited<ReturnType<typeof indexedHome>>

// One pass looks at the files of all sessions. Each of its parts must see what only that part looks at.
it.each<readonly [string, number, (home: Home) => Promise<unknown>]>([
  ['a line of a session', 3, ({ own }) => appendFile(inFolder(own('s2')), lines('s2', 'cake'))],
  ['an agent beside the first one', 3, ({ writeAgent }) => writeAgent('s1', 'a2', 'cake')],
  ['the first agent of the only session', 1, ({ writeAgent }) => writeAgent('s1', 'a2', 'cake')],
  ['the first agent of a session without one', 2, ({ writeAgent }) => writeAgent('s2', 'a2', 'cake')],
  ['the first agent of one of many sessions', 9, ({ writeAgent }) => writeAgent('s7', 'a2', 'cake')],
  ['an agent that is gone', 9, ({ agent }) => rm(inFolder(agent('s1', 'a1')))],
  ['a session that is gone', 9, ({ own }) => rm(inFolder(own('s4')))],
  ['a new session', 9, ({ own }) => file(own('s10'), lines('s10', 'cake'))],
])('sees %s, of %i', async (name, count, change) => {
  const home = await indexedHome(name, count)
  await change(home)
  const anew = await home.open(false)
  const rows = await anew.sessions()
  expect(JSON.stringify([rows, await anew.search('cake')])).not.toBe(JSON.stringify([home.rows, []]))

  for (const limit of [1, count, 99]) {
    const list = await home.open()
    await list.update({ forList: true })
    expect(await list.sessions({ limit })).toEqual(rows.slice(0, limit))
    await list.close()
  }
  const whole = await home.open()
  expect(await whole.records()).toEqual(await anew.records())
  expect(await whole.search('cake')).toEqual(await anew.search('cake'))
  await whole.close()
})

it('looks at the other files before an answer that needs them, after a look for a list', async () => {
  const home = await indexedHome('later', 3)
  const index = await home.open()
  await index.update({ forList: true })
  await home.writeAgent('s2', 'a2', 'cake')
  expect((await index.search('cake')).map(({ session }) => session)).toEqual(['s2', 's2'])
  await index.close()
})

// A fork repeats a call of another session, whose folder then gets the file of the call's agent.
it('has the agents of a fork that come with the files of another session', async () => {
  const home = inFolder('fork')
  const own = (id: string) => join('fork', place, `${id}.jsonl`)
  const call = (id: string) =>
    [
      userMessage('Make tea.'),
      assistantMessage('m', toolUse('t1', 'Task', { prompt: 'Go.' }), {}),
      toolResult('t1', 'done', { toolUseResult: { agentId: 'a1', status: 'completed' } }),
    ].map((message, at) => ({
      ...{ ...message, uuid: `u${at}`, sessionId: id, cwd: '/srv/tea' },
      timestamp: `2026-01-01T10:00:0${at}.000Z`,
    }))
  const further = {
    ...{ ...userMessage('And cake.'), uuid: 'u9', sessionId: 'f', cwd: '/srv/tea' },
    timestamp: '2026-01-02T10:00:00.000Z',
  }
  await file(own('s'), toText(call('s')))
  await file(join('fork', place, 's', 'tool-results', 'x.txt'), 'x')
  await file(own('f'), toText([...call('f'), further]))
  const path = join(home, '.cache', 'index')
  const open = (kept: string | false = path) => openSessionIndex({ home, path: kept, now })
  for (let turn = 0; turn < 2; turn += 1) {
    const before = await open()
    await before.update()
    await before.close()
  }
  await file(
    join('fork', place, 's', 'subagents', 'agent-a1.jsonl'),
    lines('s', 'milk', { agentId: 'a1', isSidechain: true }),
  )
  const [index, files] = [await open(), await open(false)]
  await index.update({ forList: true })
  const [row] = await index.sessions({ limit: 1 })
  expect(row?.id).toBe('f')
  expect(row).toEqual((await files.sessions({ limit: 1 }))[0])
  await index.close()
  await files.close()
})
