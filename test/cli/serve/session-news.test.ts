import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { newsOf } from '../../../src/cli/serve/machine/session-news.ts'
import { fileSource } from '../../../src/cli/serve/machine/session-source.ts'
import { temporaryFolder } from '../temporary.ts'

const MINUTE = 60_000
/** The first lines of the session and of its agent have this minute. */
const NOW = Date.parse('2026-11-21T20:36:34.100Z')
const ID = 'fb939cdc-9acc-4550-ba6a-6166abe7addf'
const FOLDER = 'fixtures/claude-code/07-background/transcript/-srv-demo'

const { file, inFolder } = temporaryFolder()

/** Writes the first lines of a session with an agent in the background, and of the agent's own file. */
async function written(name: string, lines: number, agentLines: number): Promise<string> {
  const first = (path: string, count: number) =>
    readFileSync(`${FOLDER}/${path}`, 'utf8').split('\n').slice(0, count).join('\n')
  const agent = `${ID}/subagents/agent-a9b3592e5e6db7c97`
  await file(`${name}/${agent}.jsonl`, first(`${agent}.jsonl`, agentLines))
  await file(`${name}/${agent}.meta.json`, readFileSync(`${FOLDER}/${agent}.meta.json`, 'utf8'))
  return file(`${name}/${ID}.jsonl`, first(`${ID}.jsonl`, lines))
}

/** The number of the line that reports the end of the agent. */
const NOTIFICATION = readFileSync(`${FOLDER}/${ID}.jsonl`, 'utf8')
  .split('\n')
  .findIndex((line) => line.includes('<task-notification>'))

/** The number of the line that ends the first turn. */
const END_OF_TURN = 26

/** Returns the status that many minutes after the session's last line. */
async function statusAt(path: string, minutes: number) {
  return (await newsAt(path, minutes))?.status
}

async function newsAt(path: string, minutes: number) {
  const updatedAt = new Date(NOW).toISOString()
  const state = await fileSource({}).read({ id: ID, format: 'claude-sdk', path })
  return state && newsOf(state, { updatedAt, now: NOW + minutes * MINUTE })
}

/** Writes more lines of the agent, as if they came that many minutes later. */
async function agentWorks(name: string, minutes: number): Promise<void> {
  const path = `${ID}/subagents/agent-a9b3592e5e6db7c97.jsonl`
  const lines = readFileSync(`${FOLDER}/${path}`, 'utf8').split('\n').slice(0, 15)
  const time = new Date(NOW + minutes * MINUTE).toISOString()
  const later = lines.map((line, at) =>
    at < 13 ? line : line.replace(/"timestamp":"[^"]*"/, `"timestamp":"${time}"`),
  )
  await file(`${name}/${path}`, later.join('\n'))
}

// The list said `finished` while an agent in the background worked on.
it('says that a session goes on whose agent works in the background', async () => {
  const path = await written('works', NOTIFICATION, 3)
  expect(await statusAt(path, 14)).toBe('background')
  expect(await statusAt(path, 16)).toBe('finished')
})

it('follows an agent that works on while the file of its session does not change', async () => {
  const path = await written('long', NOTIFICATION, 3)
  expect(await statusAt(path, 20)).toBe('finished')
  await agentWorks('long', 30)
  expect(await statusAt(path, 31)).toBe('background')
  expect(await statusAt(path, 50)).toBe('finished')
})

// The list said "3 min ago" while two agents wrote each second.
it('has the time of the agents, and what the agent does that wrote last', async () => {
  const path = await written('news', NOTIFICATION, 3)
  await agentWorks('news', 30)
  expect(await newsAt(path, 31)).toMatchObject({
    lastAt: new Date(NOW + 30 * MINUTE).toISOString(),
    doing: { text: expect.stringMatching(/^[^:]+: \S/), since: new Date(NOW + 30 * MINUTE).toISOString() },
  })
})

it('says that a session is over whose agent has reported its end', async () => {
  expect(await statusAt(await written('over', 1000, 1000), 1)).toBe('finished')
})

it('says that a turn goes on which has no end, and that nobody knows of one after a while', async () => {
  const path = await written('turn', END_OF_TURN, 3)
  expect(await statusAt(path, 14)).toBe('running')
  expect(await statusAt(path, 16)).toBe('interrupted')
})

it('has no status for a file that is gone', async () => {
  expect(await statusAt(inFolder('gone.jsonl'), 1)).toBeUndefined()
})
