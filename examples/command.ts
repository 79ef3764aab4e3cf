import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** An example that runs in a process of its own. */
export interface RunningExample {
  readonly url: string
  /** Returns the next line that it prints. */
  readonly nextLine: () => Promise<string>
  readonly stop: () => Promise<void>
  /** Ends it as `kill -9` does. */
  readonly kill: () => Promise<void>
}

/** Runs an example as a reader of the docs does, and waits for its address. */
export async function runExample(name: string, ...args: readonly string[]): Promise<RunningExample> {
  // A group of its own, because npm starts further processes.
  const child = spawn('npm', ['run', '--silent', `example:${name}`, '--', ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`${name} has ended`)
    return value
  }
  return {
    url: await nextLine(),
    nextLine,
    stop: () => stop(child, 'SIGTERM'),
    kill: () => stop(child, 'SIGKILL'),
  }
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = once(child, 'exit')
  process.kill(-child.pid, signal)
  await ended
}
