import { createReadStream } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parentPort, workerData } from 'node:worker_threads'
import { claudeSource } from '../../src/entries/claude.ts'
import {
  decodeLines,
  endLines,
  initialLines,
  reduceSessionEvent,
  type SessionConversationState,
} from '../../src/entries/index.ts'
import { delta, lastBlock, stateOf } from './workloads.ts'

/** What a thread is to do: read a session and say how large its state is, or keep states. */
export type MemoryTask =
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'kept'; readonly blocks: number }

/** In bytes: the state that was read, and the most that was held on the way to it. */
export interface Read {
  readonly state: number
  readonly peak: number
}

/** In bytes. */
export interface Kept {
  readonly each: number
  readonly list: number
  readonly copy: number
}

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

async function run(task: MemoryTask): Promise<Read | Kept> {
  switch (task.kind) {
    case 'read':
      return measured(task.path)
    case 'kept':
      return keep(task.blocks)
  }
}

/** How many bytes more the heap holds once the value is there. */
async function sizeOf(make: () => unknown): Promise<number> {
  const before = used()
  const value = await make()
  const size = used() - before
  held.push(value)
  return size
}

/** What is measured must not be collected before it is. */
const held: unknown[] = []

function used(): number {
  collect()
  return process.memoryUsage().heapUsed
}

async function measured(path: string): Promise<Read> {
  const before = used()
  let peak = before
  held.push(
    await read(path, () => {
      peak = Math.max(peak, used())
    }),
  )
  // What the reading remembered is gone with it.
  return { state: used() - before, peak: peak - before }
}

/** How often the heap is looked at, in bytes of the file. */
const PORTION = 4 * 1024 ** 2

/** As a program reads a file that is too long for one text. */
async function read(path: string, look: () => void): Promise<SessionConversationState> {
  let lines = initialLines
  let session = claudeSource.open()
  const take = (decoded: readonly { readonly message: unknown }[]): void => {
    const messages = decoded.map(({ message }) => message)
    session = claudeSource.read(session, messages).session
  }
  let bytes = 0
  for await (const chunk of createReadStream(path)) {
    const decoded = decodeLines(lines, chunk)
    lines = decoded.memory
    take(decoded.lines)
    bytes += chunk.length
    if (bytes % PORTION < chunk.length) look()
  }
  take(endLines(lines).lines)
  return claudeSource.end(session).session.state
}

const STATES = 100
/** Short lists are small beside what else the heap does. */
const LISTS = 2_000
const COPIES = 20
const EVERY = 100

async function keep(blocks: number): Promise<Kept> {
  let state = stateOf(blocks)
  const event = delta(lastBlock(state))
  const each = await sizeOf(() =>
    Array.from({ length: STATES }, () => {
      for (let at = 0; at < EVERY; at += 1) state = reduceSessionEvent(state, event)
      return state
    }),
  )
  const list = await sizeOf(() => Array.from({ length: LISTS }, () => [...state.blocks]))
  const copies = await sizeOf(() => Array.from({ length: COPIES }, () => structuredClone(state)))
  return { each: each / STATES, list: list / LISTS, copy: copies / COPIES }
}

const task: MemoryTask = workerData
parentPort?.postMessage(await run(task))
