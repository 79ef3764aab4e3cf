import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { uiMessageResponse } from '../../../src/entries/ai-sdk.ts'
import { createSessionHub, type HubSessionSummary, type SessionHub } from '../../../src/entries/hub.ts'
import { createFileLog } from '../../../src/entries/node.ts'
import { connectSession } from '../../../src/entries/sync.ts'
import { temporaryFolder } from '../../cli/temporary.ts'
import { hubPage } from '../../client/connect/hub-page.ts'
import { concatenated, open, text } from './readers.ts'

const { inFolder } = temporaryFolder()
const WORDS = 'The log of this session is damaged.'

/** A hub with the sessions a, b and c, whose server has restarted after `damage` had its way with the folder of b. */
async function damaged(name: string, damage: (folder: string) => void): Promise<SessionHub> {
  const folder = inFolder(name)
  const before = createFileLog(folder)
  const hub = createSessionHub({ log: before })
  for (const id of ['a', 'b', 'c']) for (const at of [1, 2, 3]) await hub.publish(id, [text(at)])
  await before.close()
  damage(join(folder, readdirSync(folder).find((each) => each.startsWith('b-')) ?? ''))
  const log = createFileLog(folder)
  onTestFinished(() => log.close())
  const restarted: SessionHub = createSessionHub({
    log,
    exists: async (id) => (await restarted.state(id)) !== undefined,
  })
  return restarted
}

const loseLine = (folder: string): void => {
  const file = join(folder, 'events.ndjson')
  const lines = readFileSync(file, 'utf8').split('\n')
  writeFileSync(file, lines.toSpliced(1, 1).join('\n'))
}

const makeFolder = (folder: string): void => {
  const file = join(folder, 'events.ndjson')
  rmSync(file)
  mkdirSync(file)
}

async function listOf(hub: SessionHub, count: number): Promise<readonly HubSessionSummary[]> {
  const found: HubSessionSummary[] = []
  for await (const summary of hub.sessions()) if (found.push(summary) === count) break
  return found
}

// One damaged file took the list and all pages down, and the server with them.
it.each([
  ['line', 422, loseLine],
  ['folder', 503, makeFolder],
])(
  'is in the list with its reason, among the others, and refused: a lost %s',
  async (name, status, damage) => {
    const hub = await damaged(`list ${name}`, damage)
    expect((await listOf(hub, 3)).map(({ id, status, error }) => [id, status, error])).toEqual([
      ['a', 'idle', undefined],
      ['b', 'failed', WORDS],
      ['c', 'idle', undefined],
    ])
    await expect(hub.pipe('b', [])).rejects.toThrow()
    const several = await open(hub, 'events?session=a&session=b')
    expect(await concatenated([several], 'refused')).toEqual([expect.stringContaining(WORDS)])
    await several.cancel()
    for (const response of [
      await hub.fetch(new Request('http://hub.example/b')),
      await uiMessageResponse(hub, 'b'),
    ])
      expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(WORDS)])
  },
)

it('is refused with its reason, and the pages of the others are live', async () => {
  const hub = await damaged('pages', loseLine)
  const shownOn = async (...ids: readonly string[]) => {
    const page = hubPage(() => hub)
    for (const id of ids) page.hub.session(id)
    const shown = () => ids.map((id) => [page.hub.view(id).status, page.hub.view(id).error])
    await expect.poll(() => shown().map(([status]) => status)).not.toContain('connecting')
    return shown()
  }
  expect(await shownOn('a', 'b')).toEqual([
    ['live', undefined],
    ['refused', WORDS],
  ])
  expect(await shownOn('b')).toEqual([['refused', WORDS]])
  const connection = connectSession('http://hub.example/b', { fetch: (url) => hub.fetch(new Request(url)) })
  await expect.poll(() => connection.status).toBe('refused')
  for (const [path, body] of [
    ['requests/r', { answer: 'allow' }],
    ['prompts', { prompt: 'Go on.' }],
  ] as const) {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    const response = await hub.fetch(new Request(`http://hub.example/b/${path}`, init))
    expect([response.status, await response.json()]).toEqual([422, { message: WORDS }])
  }
})

it('without a readable id hides no other one', async () => {
  const hub = await damaged('id', (folder) => writeFileSync(join(folder, 'session.json'), '{"i'))
  expect((await listOf(hub, 2)).map(({ id }) => id)).toEqual(['a', 'c'])
})
