import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { atMost, heading, table } from './gates.ts'
import type { Kept, MemoryTask, Read } from './memory-worker.ts'
import { repetition } from './repeated.ts'

const MB = 1024 ** 2
const SESSION = 200 * MB
const ALLOWANCE = 64 * MB

const RECORDINGS = [
  {
    name: 'stream with partial messages',
    path: 'fixtures/claude-code/03-tools/stream.ndjson',
    sessionId: '14a4353a-7c99-4d30-a32a-8e21a7d43c30',
  },
  {
    name: 'file with subagents inside',
    path: 'fixtures/claude-code-1.0.128/05b-three-parallel-default/transcript/-srv-demo/0d15f1b0-f664-49e9-bb9d-0d3ab68cb4c2.jsonl',
    sessionId: '0d15f1b0-f664-49e9-bb9d-0d3ab68cb4c2',
  },
]

/** What the heap holds while a long session is read, and what states cost that are kept. */
export async function benchMemory(): Promise<void> {
  await benchReadingMemory()
  await benchKept()
}

/** Each reading has a thread, and with it a heap, of its own. */
async function benchReadingMemory(): Promise<void> {
  heading('What the heap holds while a session of 200 MB is read, chunk by chunk')
  const rows: string[][] = []
  const folder = await mkdtemp(join(tmpdir(), 'agentfold-bench-'))
  for (const recording of RECORDINGS) {
    const path = join(folder, 'session.jsonl')
    await writeSession(path, recording)
    const { state, peak } = await inThread<Read>({ kind: 'read', path })
    await rm(path)
    const limit = 1.5 * state + ALLOWANCE
    atMost(`heap while 200 MB are read, ${recording.name}, against 1.5 × state + 64 MB`, peak / limit, 1)
    rows.push([recording.name, megabytes(state), megabytes(peak), megabytes(limit)])
  }
  await rm(folder, { recursive: true })
  table(['session', 'final state', 'at most held', '1.5 × state + 64 MB'], rows)
}

async function writeSession(
  path: string,
  { path: recording, sessionId }: (typeof RECORDINGS)[number],
): Promise<void> {
  const once = await readFile(recording, 'utf8')
  for (let at = 0, written = 0; written < SESSION; ) {
    const portion: string[] = []
    for (let length = 0; length < MB; at += 1) {
      const text = repetition(once, sessionId, at)
      portion.push(text)
      length += text.length
    }
    const text = portion.join('')
    await appendFile(path, text)
    written += text.length
  }
}

async function benchKept(): Promise<void> {
  heading('Every 100th state of a stream of deltas, kept')
  const rows: string[][] = []
  for (const blocks of [100, 10_000]) {
    const { each, list, copy } = await inThread<Kept>({ kind: 'kept', blocks })
    rows.push([blocks.toLocaleString('en-US'), ...[each, list, copy].map(kilobytes)])
    // Beside the list: the state, the block, and the words that the text has grown by.
    atMost(
      `a kept state at ${blocks.toLocaleString('en-US')} blocks, against its list and 16 kB`,
      each / (list + 16_384),
      1,
    )
  }
  table(['blocks', 'each state', 'of it the list of blocks', 'a deep copy'], rows)
}

function inThread<Result>(task: MemoryTask): Promise<Result> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./memory-worker.js', import.meta.url), { workerData: task })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

const megabytes = (bytes: number): string => `${(bytes / MB).toFixed(0)} MB`
const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} kB`
