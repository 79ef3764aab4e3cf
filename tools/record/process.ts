import { type ChildProcess, spawn } from 'node:child_process'

/** A process of a program, with what it has written. */
export interface Finished {
  readonly output: string
  readonly errors: string
  /** Why it ended: its exit code, its signal, or the end of its time. */
  readonly end: string
}

/** A process that runs in a group of its own. */
export interface Running {
  readonly child: ChildProcess
  readonly finished: Promise<Finished>
  /** Sends a signal to the process alone: a shell does the same with Ctrl+C in its foreground. */
  readonly interrupt: () => void
  readonly kill: () => void
}

export interface ProcessOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly limitMs: number
  readonly input?: 'pipe'
}

/** Nothing of this machine's environment, whose keys and settings would change a session. */
export const BASE_ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LANG: 'C.UTF-8',
  TZ: 'UTC',
  TERM: 'dumb',
  SHELL: '/bin/bash',
  NO_COLOR: '1',
}

/** Starts a process, which ends at the latest after its time. Its whole group ends with it. */
export function start(
  [file = '', ...args]: readonly string[],
  { cwd, env, limitMs, input }: ProcessOptions,
): Running {
  const child = spawn(file, args, { cwd, env, stdio: [input ?? 'ignore', 'pipe', 'pipe'], detached: true })
  const [output, errors]: [Buffer[], Buffer[]] = [[], []]
  child.stdout?.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk))
  child.stdin?.on('error', () => {})
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    killGroup(child)
  }, limitMs)
  const finished = new Promise<Finished>((resolve) => {
    const finish = (end: string) => {
      clearTimeout(timer)
      killGroup(child)
      resolve({
        output: text(output),
        errors: text(errors),
        end: isLate ? `stopped after ${limitMs} ms` : end,
      })
    }
    child.on('error', (error) => finish(error.message))
    child.on('close', (code, signal) => finish(signal ?? `exit ${code}`))
  })
  return { child, finished, interrupt: () => child.kill('SIGINT'), kill: () => killGroup(child) }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended.
  }
}

function text(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString('utf8')
}
