import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'
import { expect } from 'vitest'
import { createFileLog } from '../../../../src/entries/node.ts'
import type { LockResult } from './lock-task.ts'

/** Builds the program of the processes and threads that want a folder, and returns its path. */
export async function buildLockChild(format: 'esm' | 'cjs'): Promise<string> {
  // It is within node_modules, so that it finds its packages. Several test files of this process build one.
  const name = `lock-child-${randomUUID()}.${format === 'esm' ? 'mjs' : 'cjs'}`
  const outfile = join(process.cwd(), 'node_modules/.faults', name)
  await build({
    entryPoints: [join(import.meta.dirname, 'lock-child.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format,
    target: 'es2022',
  })
  return outfile
}

/** Returns what the process reports. It runs on, so that it keeps its lock, until the test kills it. */
export async function resultOf(child: ChildProcess): Promise<LockResult> {
  let text = ''
  for await (const chunk of child.stdout ?? []) {
    text += chunk
    if (text.includes('\n')) break
  }
  return JSON.parse(text)
}

/** Each confirmed event is there once, and no other event is. */
export async function expectReadable(folder: string, results: readonly LockResult[]): Promise<void> {
  const log = createFileLog(folder)
  const read: number[] = []
  for await (const { seq } of log.read('s', 0)) read.push(seq)
  await log.close()
  expect(read).toEqual(results.flatMap(({ confirmed }) => confirmed).sort((left, right) => left - right))
}
