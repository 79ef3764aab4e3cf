import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'

/** The task of a process. */
export type ChildTask =
  | {
      readonly kind: 'worker'
      readonly url: string
      readonly owner: string
      readonly sessions: readonly string[]
      readonly leaseMs: number
      readonly maxSessions: number
    }
  | {
      readonly kind: 'append'
      readonly folder: string
      readonly seed: number
      readonly count: number
      /** After so many events, the process waits until it is killed. */
      readonly waitAfter?: number
    }

/** Builds the program of the processes, and returns its path. */
export async function buildChild(): Promise<string> {
  // It is within node_modules, so that it finds its packages.
  const outfile = join(process.cwd(), 'node_modules/.faults', `child-${randomUUID()}.mjs`)
  await build({
    entryPoints: [join(import.meta.dirname, 'child.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'es2022',
  })
  return outfile
}

/** Starts a process. With a limit in kilobytes, no file that it writes may be longer. */
export function startChild(program: string, task: ChildTask, limit?: number): ChildProcess {
  const node = [process.execPath, program, JSON.stringify(task)]
  const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', 'ipc']
  if (limit === undefined) return spawn(node[0] ?? '', node.slice(1), { stdio })
  // `ulimit` counts 512 bytes. A shell that ignores the signal of the limit hands that on.
  const script = `trap '' XFSZ; ulimit -f ${limit * 2}; exec "$@"`
  return spawn('sh', ['-c', script, 'sh', ...node], { stdio })
}

/** Kills a process of this test, if it still runs. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
