import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import type { WorkerMessage, WorkerTask } from './worker.ts'

/** The most time that the group waits for its workers, in milliseconds. */
const LIMIT_MS = 60_000

/** Worker processes that start and end together. */
export class WorkerGroup {
  readonly #children: ChildProcess[] = []
  readonly #counts = new Map<WorkerMessage, number>()
  #onMessage = (): void => {}

  start(task: WorkerTask): void {
    const child = fork(process.argv[1] ?? '', [JSON.stringify(task)])
    child.on('message', (message: WorkerMessage) => {
      this.#counts.set(message, this.#countOf(message) + 1)
      this.#onMessage()
    })
    child.on('exit', () => this.#onMessage())
    this.#children.push(child)
  }

  /** Resolves after so many messages of the workers. Rejects if a worker ends before, and after a minute. */
  received(message: WorkerMessage, count: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (reason: string): void =>
        reject(new Error(`${reason} after ${this.#countOf(message)} of ${count} messages: ${message}`))
      const timer = setTimeout(() => fail('the time is over'), LIMIT_MS)
      this.#onMessage = () => {
        if (this.#countOf(message) < count && !this.#children.some(hasEnded)) return
        clearTimeout(timer)
        if (this.#countOf(message) >= count) resolve()
        else fail('a worker has ended')
      }
      this.#onMessage()
    })
  }

  /** Lets the workers start, or end. */
  signal(): void {
    for (const child of this.#children) child.send('')
  }

  /** Resolves when the workers have saved their states and ended. */
  async finish(): Promise<void> {
    const ended = this.#children.map((child) =>
      once(child, 'exit', { signal: AbortSignal.timeout(LIMIT_MS) }),
    )
    this.signal()
    for (const [code] of await Promise.all(ended)) if (code !== 0) throw new Error('a worker has failed')
  }

  kill(): void {
    for (const child of this.#children) if (!hasEnded(child)) child.kill('SIGKILL')
  }

  #countOf(message: WorkerMessage): number {
    return this.#counts.get(message) ?? 0
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}
