import type { SessionEvent } from '../../../src/entries/index.ts'
import { createRedisLog, type RedisConnection } from '../../../src/entries/redis.ts'
import { compactEvents, snapshot } from '../../../src/entries/sync.ts'
import type { Architecture } from '../../../src/programs/program.ts'
import { connectTo, startRedis } from '../../server/log/faults/redis-server.ts'
import { heading, table } from '../gates.ts'
import { appendAll, batchesOf, count, foldOf, longSession, recordedEvents } from './sessions.ts'

/** The events of 100 ms, if a program sends 200 of them a second. */
const BATCH = 20

const RECORDINGS: readonly (readonly [name: string, architecture: Architecture, path: string])[] = [
  ['Claude Code, tools', 'claude-sdk', 'claude-code/03-tools/stream.ndjson'],
  [
    'Claude Code, a tool with a long input',
    'claude-sdk',
    'claude-code-requests/12-partial-input/stream.ndjson',
  ],
  ['OpenCode, plain text', 'opencode', 'opencode/01-plain-text/events.ndjson'],
]

interface Session {
  readonly name: string
  readonly events: readonly SessionEvent[]
}

function sessions(): readonly Session[] {
  const recorded = RECORDINGS.map(([name, ...recording]) => ({ name, events: recordedEvents(...recording) }))
  const long = { name: 'Claude Code, tools, repeated', events: longSession(10_000) }
  return [...recorded, { name: 'made: an answer of 2,000 tokens', events: tokenStream(2000) }, long]
}

/** A text of one block that arrives token by token. */
function tokenStream(tokens: number): readonly SessionEvent[] {
  const block = { id: 'message:0', type: 'assistant_text', content: '' } as const
  const words = Array.from({ length: tokens }, (_, at) => ` word${at % 10}`)
  return [
    { type: 'block:upsert', block: { ...block, status: 'pending' } },
    ...words.map((delta) => ({ type: 'block:delta', blockId: block.id, delta }) as const),
    { type: 'block:upsert', block: { ...block, status: 'complete', content: words.join('') } },
  ]
}

/** The events that are left of recordings with partial messages. */
export function benchCompaction(): void {
  heading('Events of recordings with partial messages, compacted')
  const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`
  table(
    ['session', 'events', 'of them deltas', `left, in batches of ${BATCH}`, 'left, as one batch'],
    sessions().map(({ name, events }) => {
      const deltas = events.filter(({ type }) => type === 'block:delta').length
      const left = compactedBatches(events).flat().length
      return [
        name,
        count(events.length),
        percent(deltas, events.length),
        percent(left, events.length),
        percent(compactEvents(events).length, events.length),
      ]
    }),
  )
}

function compactedBatches(events: readonly SessionEvent[]): readonly (readonly SessionEvent[])[] {
  return batchesOf(events, BATCH).map(compactEvents)
}

/** The bytes that Redis needs for a session, with its keys. */
export async function benchMemory(): Promise<void> {
  heading('Bytes of a session in Redis (`MEMORY USAGE` of its keys)')
  const server = await startRedis()
  const client = await connectTo(server.url)
  try {
    const rows: string[][] = []
    for (const session of sessions())
      rows.push([session.name, ...(await sizesOf(client, session)).map(kilobytes)])
    table(
      [
        'session',
        'its events as JSON',
        'as they are',
        `compacted in batches of ${BATCH}`,
        'and trimmed behind a snapshot',
      ],
      rows,
    )
  } finally {
    client.destroy()
    await server.stop()
  }
}

async function sizesOf(client: RedisConnection, { name, events }: Session): Promise<readonly number[]> {
  const log = createRedisLog(client)
  await appendAll(log, `${name} 1`, batchesOf(events, BATCH))
  const [id, epoch] = [`${name} 2`, 'epoch']
  const seq = await appendAll(log, id, compactedBatches(events))
  const [asTheyAre, compacted] = [await usageOf(client, `${name} 1`), await usageOf(client, id)]
  await log.saveSnapshot(id, snapshot({ epoch, seq, state: foldOf(events) }), { trim: true })
  const json = events.reduce((total, event) => total + Buffer.byteLength(JSON.stringify(event)), 0)
  return [json, asTheyAre, compacted, await usageOf(client, id)]
}

async function usageOf(client: RedisConnection, id: string): Promise<number> {
  let total = 0
  for (const part of ['meta', 'events', 'snapshot'])
    total += Number(
      await client.sendCommand(['MEMORY', 'USAGE', `agentfold:{${id}}:${part}`, 'SAMPLES', '0']),
    )
  return total
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toLocaleString('en-US', { maximumFractionDigits: 1 })} kB`
}
