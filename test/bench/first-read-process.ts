import { readFileSync } from 'node:fs'
import { type Architecture, parseTranscript } from '../../src/entries/index.ts'

/** What a process is to measure. */
export interface FirstTask {
  readonly kind: 'parse' | 'read'
  readonly path: string
  readonly architecture: Architecture
}

// Prints the CPU time of the task in ns, without that of the imports.
const { kind, path, architecture }: FirstTask = JSON.parse(process.argv[2] ?? '')
const text = readFileSync(path, 'utf8')
const start = process.cpuUsage()
if (kind === 'read') parseTranscript(architecture, text)
else for (const line of text.split('\n')) JSON.parse(line)
const { user, system } = process.cpuUsage(start)
process.stdout.write(String(1_000 * (user + system)))
