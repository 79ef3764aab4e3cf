import { readFileSync } from 'node:fs'
import { createInitialConversationState, foldSessionEvents, readTranscript } from '../../src/index.ts'
import type { Architecture } from '../../src/sources/architecture.ts'
import { repeated } from './repeated.ts'

/** What a message costs to read, at several lengths of the session, and beside `JSON.parse` of the same lines. */
const LENGTHS = [1_000, 10_000, 100_000]
const RUNS = 5

interface Workload {
  readonly name: string
  readonly architecture: Architecture
  readonly path: string
  readonly sessionId: string
}

const WORKLOADS: readonly Workload[] = [
  {
    name: 'Claude Code, stream with subagents',
    architecture: 'claude-sdk',
    path: 'fixtures/claude-code/06-nested-forward/stream.ndjson',
    sessionId: '0a6eccd5-fb16-41c5-92bb-b1dd4b912bd8',
  },
  {
    name: 'Claude Code, stream with partial messages',
    architecture: 'claude-sdk',
    path: 'fixtures/claude-code/03-tools/stream.ndjson',
    sessionId: '14a4353a-7c99-4d30-a32a-8e21a7d43c30',
  },
  {
    name: 'Claude Code 1.0.128, file with subagents inside',
    architecture: 'claude-sdk',
    path: 'fixtures/claude-code-1.0.128/05b-three-parallel-default/transcript/-srv-demo/0d15f1b0-f664-49e9-bb9d-0d3ab68cb4c2.jsonl',
    sessionId: '0d15f1b0-f664-49e9-bb9d-0d3ab68cb4c2',
  },
  {
    name: 'OpenCode, bus with subagents',
    architecture: 'opencode',
    path: 'fixtures/opencode/06-nested/events.ndjson',
    sessionId: 'ses_e003aca10ffexB5exoP9UlJcxM',
  },
]

for (const workload of WORKLOADS) {
  process.stdout.write(`\n${workload.name}\n`)
  const texts = LENGTHS.map((length) =>
    repeated(readFileSync(workload.path, 'utf8'), workload.sessionId, length),
  )
  const first: number[] = []
  // One after the other in turn, so that a busy moment of the machine meets all of them.
  const times = texts.map((): { read: number; parse: number }[] => [])
  for (let run = 0; run < RUNS; run += 1)
    for (const [at, text] of texts.entries())
      times[at]?.push({ read: timeOf(() => read(workload, text)), parse: timeOf(() => parse(text)) })
  for (const [at, text] of texts.entries()) {
    const lines = text.split('\n').length
    const cost = (1000 * median(times[at]?.map(({ read }) => read) ?? [])) / lines
    const parsing = (1000 * median(times[at]?.map(({ parse }) => parse) ?? [])) / lines
    first.push(cost)
    const growth = (cost / (first[0] ?? cost)).toFixed(2)
    const beside = (cost / parsing).toFixed(1)
    process.stdout.write(
      `${String(lines).padStart(8)} lines: ${cost.toFixed(2)} µs a message, ${growth} × the shortest, ${beside} × JSON.parse\n`,
    )
  }
}

function read({ architecture }: Workload, text: string): void {
  foldSessionEvents(createInitialConversationState(), readTranscript(architecture, text).events)
}

function parse(text: string): void {
  for (const line of text.split('\n')) JSON.parse(line)
}

/** In ms. */
function timeOf(work: () => void): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0
}
