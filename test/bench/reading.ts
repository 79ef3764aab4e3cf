import { readFileSync } from 'node:fs'
import { parseTranscript } from '../../src/entries/index.ts'
import type { Architecture } from '../../src/programs/program.ts'
import { readByHand } from './by-hand.ts'
import { atMost, goal, heading, ratio, table, time } from './gates.ts'
import { raceCpu, type Times } from './measure.ts'
import { realLines } from './real-lines.ts'
import { repeated } from './repeated.ts'

const LENGTHS = [1_000, 10_000, 100_000]
/** V8 has compiled everything after some rounds. A round of a short recording takes a twentieth of a second. */
const ROUNDS = 3
const SHORT_ROUNDS = 24

export interface Workload {
  readonly name: string
  readonly architecture: Architecture
  readonly textOf: (lines: number) => string
  readonly isStream?: true
  /** The greatest ratio to `JSON.parse` that the check allows for the longest input. */
  readonly limit: number
}

/** A recording's lines, over and over. */
const recording = (path: string, sessionId: string) => (lines: number) =>
  repeated(readFileSync(path, 'utf8'), sessionId, lines)

/** The goal for the longest input, in times of `JSON.parse`. */
const GOAL = 2.5

/** The greatest ratio to a loop by hand that the check allows for the longest input. */
const BY_HAND_LIMIT = 3

export const WORKLOADS: readonly Workload[] = [
  {
    name: 'Claude Code, stream with subagents',
    architecture: 'claude-sdk',
    isStream: true,
    textOf: recording(
      'fixtures/claude-code/06-nested-forward/stream.ndjson',
      '0a6eccd5-fb16-41c5-92bb-b1dd4b912bd8',
    ),
    limit: 4.5,
  },
  {
    name: 'Claude Code, stream with partial messages',
    architecture: 'claude-sdk',
    isStream: true,
    textOf: recording('fixtures/claude-code/03-tools/stream.ndjson', '14a4353a-7c99-4d30-a32a-8e21a7d43c30'),
    limit: 3,
  },
  {
    name: 'Claude Code 1.0.128, file with subagents inside',
    architecture: 'claude-sdk',
    textOf: recording(
      'fixtures/claude-code-1.0.128/05b-three-parallel-default/transcript/-srv-demo/0d15f1b0-f664-49e9-bb9d-0d3ab68cb4c2.jsonl',
      '0d15f1b0-f664-49e9-bb9d-0d3ab68cb4c2',
    ),
    limit: 6,
  },
  {
    name: 'Claude Code 2.1.49, file with progress of agents',
    architecture: 'claude-sdk',
    textOf: recording(
      'fixtures/public/claude-code/04-background-stopped/3ac8d18c-727d-4ee4-aec4-7aea182d222e.jsonl',
      '3ac8d18c-727d-4ee4-aec4-7aea182d222e',
    ),
    limit: 3.5,
  },
  {
    name: 'Claude Code 2.1.330, file with large results',
    architecture: 'claude-sdk',
    textOf: recording(
      'fixtures/claude-code/12-large/transcript/-srv-demo/7821cb38-ddaf-4aa8-b5f4-bc74bd8b5911.jsonl',
      '7821cb38-ddaf-4aa8-b5f4-bc74bd8b5911',
    ),
    limit: 2.5,
  },
  {
    name: 'Claude Code, file with real line sizes',
    architecture: 'claude-sdk',
    textOf: realLines,
    limit: 3.5,
  },
  {
    name: 'Codex, rollout',
    architecture: 'codex',
    textOf: recording(
      'fixtures/codex/03-commands/sessions/2026/11/22/rollout-2026-11-22T17-07-41-01a2043a-54d5-7623-b5a0-6930625e4466.jsonl',
      '01a2043a-54d5-7623-b5a0-6930625e4466',
    ),
    limit: 2.5,
  },
  {
    name: 'OpenCode, bus with subagents',
    architecture: 'opencode',
    isStream: true,
    textOf: recording('fixtures/opencode/06-nested/events.ndjson', 'ses_e003aca10ffexB5exoP9UlJcxM'),
    limit: 3,
  },
]

/** Measures how long a file takes to become a state, per line, for every program's format and several lengths. */
export function benchReading(): void {
  heading('A recording, from file to state, per line')
  const rows: string[][] = []
  for (const workload of WORKLOADS) rows.push(...rowsOf(workload))
  table(
    [
      'recording',
      'lines',
      'file to state',
      '`JSON.parse` of its lines',
      'state / parse',
      'its lines in a list',
      'state / list',
      'by hand',
      'state / by hand',
      'against 1,000 lines',
    ],
    rows,
  )
}

function rowsOf(workload: Workload): readonly string[][] {
  const { architecture } = workload
  const rows: string[][] = []
  let first: number | undefined
  for (const length of LENGTHS) {
    const text = workload.textOf(length)
    const lines = text.split('\n').length
    const rounds = lines > 20_000 ? ROUNDS : SHORT_ROUNDS
    const race = raceCpu({ read: () => read(workload, text), parse: () => parse(text) }, rounds)
    // A race of its own: V8 would collect the long list while the next candidate runs.
    const times = { ...race, ...raceCpu({ list: () => parseToList(text) }, rounds) }
    const byHand =
      architecture === 'claude-sdk' ? raceCpu({ byHand: () => readByHand(text) }, rounds).byHand : undefined
    const cost = times.read / lines
    first ??= cost
    if (length === LENGTHS.at(-1)) addGates(workload, times, byHand)
    rows.push([
      workload.name,
      lines.toLocaleString('en-US'),
      time(cost),
      time(times.parse / lines),
      ratio(times.read / times.parse),
      time(times.list / lines),
      ratio(times.read / times.list),
      byHand === undefined ? '–' : time(byHand / lines),
      byHand === undefined ? '–' : ratio(times.read / byHand),
      ratio(cost / first),
    ])
  }
  return rows
}

function addGates(
  { name, limit }: Workload,
  { read, parse, list }: Times<'read' | 'parse' | 'list'>,
  byHand: number | undefined,
): void {
  atMost(`file to state against \`JSON.parse\`, ${name}`, read / parse, limit)
  goal(`file to state, ${name}`, read / parse, GOAL)
  goal(`file to state against a list of its lines, ${name}`, read / list, GOAL)
  if (byHand !== undefined)
    atMost(`file to state against a loop by hand, ${name}`, read / byHand, BY_HAND_LIMIT)
}

function read({ architecture }: Workload, text: string): void {
  parseTranscript(architecture, text)
}

/** Parses each line. */
export function parse(text: string): void {
  for (const line of text.split('\n')) JSON.parse(line)
}

/** The usual way to have a file's content. A state has most of the content too, so the memory costs both of them time. */
function parseToList(text: string): readonly unknown[] {
  return text.split('\n').map((line): unknown => JSON.parse(line))
}
