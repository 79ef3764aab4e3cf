import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Entry } from './entry.ts'
import type { IndexScope } from './index-place.ts'

/** What all readings of a worker share. */
export interface WorkerFacts {
  readonly scope: IndexScope
  /** The keys of all sessions. */
  readonly keys: readonly string[]
  /** The time before the first stamp, in ms since the epoch. */
  readonly startedAt: number
}

interface WorkerTask extends WorkerFacts {
  /** The files to read, the newest first. */
  readonly files: readonly string[]
  readonly signal: AbortSignal | undefined
}

/** The next files of a worker. */
const AT_ONCE = 16

/** More workers than that wait for the disk. */
const MOST_WORKERS = 4

/** It takes longer to start workers than to read fewer sessions. */
const FEWEST_FILES = 256

/** Yields the entries of new files as workers read them. It leaves out files that only the main thread can read. */
export async function* readInWorkers({
  files,
  signal,
  ...facts
}: WorkerTask): AsyncGenerator<readonly Entry[], void> {
  const program = workerProgram()
  if (program === undefined || files.length < FEWEST_FILES) return
  const queue = new WorkerQueue(files)
  const stop = () => queue.stop()
  signal?.addEventListener('abort', stop)
  const count = Math.min(MOST_WORKERS, availableParallelism())
  const workers = Array.from({ length: count }, () => queue.start(new Worker(program, { workerData: facts })))
  try {
    yield* queue.entries()
  } finally {
    signal?.removeEventListener('abort', stop)
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
}

/** Returns the program of the workers, which stands beside this library's files. A bundle without it reads in one thread. */
function workerProgram(): string | undefined {
  try {
    const path = fileURLToPath(new URL('./session-index-worker.js', import.meta.url))
    return existsSync(path) ? path : undefined
  } catch {
    // A bundle of CommonJS has no address.
    return undefined
  }
}

/** Hands files to workers, and takes their entries. */
class WorkerQueue {
  #files: readonly string[]
  #running = 0
  #read: (readonly Entry[])[] = []
  #wake = () => {}

  constructor(files: readonly string[]) {
    this.#files = files
  }

  start(worker: Worker): Worker {
    this.#running += 1
    let isRunning = true
    const end = () => {
      if (isRunning) this.#running -= 1
      isRunning = false
      this.#wake()
    }
    const next = () => {
      const files = this.#files.slice(0, AT_ONCE)
      this.#files = this.#files.slice(AT_ONCE)
      if (files.length > 0) worker.postMessage(files)
      else end()
    }
    worker.on('message', (entries: readonly Entry[]) => {
      this.#read.push(entries)
      next()
      this.#wake()
    })
    // What it was to read stays for the main thread.
    worker.on('error', end).on('exit', end)
    next()
    return worker
  }

  stop(): void {
    this.#files = []
    this.#running = 0
    this.#wake()
  }

  async *entries(): AsyncGenerator<readonly Entry[], void> {
    for (;;) {
      const read = this.#read
      this.#read = []
      yield* read
      if (this.#running <= 0 && this.#read.length === 0) return
      if (this.#read.length > 0) continue
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
