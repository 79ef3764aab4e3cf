import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { type ChildTask, kill, startChild } from './processes.ts'

/** The most processes that a fleet starts. */
const LIMIT = 120

/** Worker processes that are killed, stopped and started again. */
export class Fleet {
  readonly #program: string
  readonly #task: Omit<ChildTask & { kind: 'worker' }, 'kind' | 'owner'>
  readonly #running = new Set<ChildProcess>()
  /** Those that have a session. */
  readonly #ready = new Set<ChildProcess>()
  #isOver = false
  /** The processes that it has started. */
  started = 0
  /** The writes of stopped and resumed processes that the log has refused. */
  refused = 0

  constructor(program: string, task: Omit<ChildTask & { kind: 'worker' }, 'kind' | 'owner'>) {
    this.#program = program
    this.#task = task
  }

  /** Starts that many workers. A worker that ends is replaced. */
  start(count: number): void {
    for (let each = 0; each < count; each += 1) this.#startOne()
  }

  async killOne(next: () => number): Promise<void> {
    await kill(await this.#choose(next))
  }

  /** Stops a process for longer than its leases. */
  async stopAndResume(next: () => number): Promise<void> {
    const child = await this.#choose(next)
    child.kill('SIGSTOP')
    await pause(4 * this.#task.leaseMs)
    const resumed = Promise.race([once(child, 'message'), once(child, 'exit'), pause(5000)])
    child.kill('SIGCONT')
    await resumed
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all([...this.#running].map(kill))
  }

  /** Returns a worker that has a session. */
  async #choose(next: () => number): Promise<ChildProcess> {
    for (let tries = 0; tries < 200; tries += 1) {
      const children = [...this.#ready]
      const child = children[Math.floor(next() * children.length)]
      if (child) return child
      await pause(50)
    }
    throw new Error('no worker has a session')
  }

  #startOne(): void {
    if (this.#isOver) return
    this.started += 1
    if (this.started > LIMIT) throw new Error('too many workers have ended')
    const child = startChild(this.#program, {
      kind: 'worker',
      owner: `worker-${this.started}`,
      ...this.#task,
    })
    this.#running.add(child)
    child.on('message', ({ refused = 0 }: { readonly refused?: number }) => {
      this.#ready.add(child)
      this.refused += refused
    })
    child.on('exit', () => {
      this.#ready.delete(child)
      this.#running.delete(child)
      this.#startOne()
    })
  }
}
