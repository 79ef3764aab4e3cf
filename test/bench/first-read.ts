import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FirstTask } from './first-read-process.ts'
import { heading, ratio, table, time } from './gates.ts'
import { WORKLOADS } from './reading.ts'

const LENGTHS = [100, 3_000]
const ROUNDS = 5

/** Measures the first reading of a new process. V8 has compiled nothing yet. */
export function benchFirstRead(): void {
  heading('The first reading of a new process')
  const folder = mkdtempSync(join(tmpdir(), 'agentfold-bench-'))
  const path = join(folder, 'session.jsonl')
  const rows: string[][] = []
  for (const { name, architecture, textOf } of WORKLOADS)
    for (const lines of LENGTHS) {
      writeFileSync(path, textOf(lines))
      const parse = bestOf({ kind: 'parse', path, architecture })
      const read = bestOf({ kind: 'read', path, architecture })
      rows.push([name, lines.toLocaleString('en-US'), time(read), time(parse), ratio(read / parse)])
    }
  rmSync(folder, { recursive: true })
  table(['recording', 'lines', 'file to state', '`JSON.parse` of its lines', 'state / parse'], rows)
}

/** In ns of CPU time. */
function bestOf(task: FirstTask): number {
  const program = fileURLToPath(new URL('./first-read-process.js', import.meta.url))
  const rounds = Array.from({ length: ROUNDS }, () =>
    Number(execFileSync(process.execPath, [program, JSON.stringify(task)], { encoding: 'utf8' })),
  )
  return Math.min(...rounds)
}
