import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseTranscript } from '../../src/entries/index.ts'
import { agentIdOfFile } from '../../src/wires/claude/files/session-files.ts'
import { atMost, goal, heading, ratio, table } from './gates.ts'
import { raceCpu } from './measure.ts'
import { parse } from './reading.ts'
import { repeated } from './repeated.ts'

/** The recordings of Claude Code in all versions. */
const FOLDERS = [
  'claude-code-1.0.128',
  'claude-code-2.0.77',
  'claude-code-2.1.197',
  'claude-code',
  'claude-code-requests',
  'public/claude-code',
].map((name) => `fixtures/${name}`)

/** Smaller files have too few kinds of lines. In bytes. */
const LEAST_SIZE = 40_000
const LINES = 10_000
const ROUNDS = 10

/** Measures the real files of Claude Code, each repeated to one long session. The other recordings are a choice of few. */
export function benchRealFiles(): void {
  heading(`Real files of Claude Code, each repeated to ${LINES.toLocaleString('en-US')} lines`)
  const files = FOLDERS.flatMap(filesIn)
  const ratios = files.map(({ text }) => {
    const long = repeated(text, valueIn(text, 'sessionId'), LINES)
    const times = raceCpu(
      { read: () => parseTranscript('claude-sdk', long), parse: () => parse(long) },
      ROUNDS,
    )
    return times.read / times.parse
  })
  table(
    ['file', 'version', 'bytes a line', 'state / parse'],
    files.map(({ name, text }, at) => [
      name,
      valueIn(text, 'version'),
      (text.length / text.split('\n').length).toFixed(0),
      ratio(ratios[at] ?? 0),
    ]),
  )
  const sorted = ratios.toSorted((left, right) => left - right)
  const [median = 0, slowest = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
  atMost('file to state against `JSON.parse`, the median of real files of Claude Code', median, 2.5)
  goal('file to state, the median of real files of Claude Code', median, 2)
  atMost('file to state against `JSON.parse`, the slowest of real files of Claude Code', slowest, 3)
}

interface RealFile {
  readonly name: string
  readonly text: string
}

/** Returns main's files in a folder that a plain loop can parse. Some have two objects on one line. */
function filesIn(folder: string): readonly RealFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.jsonl') && agentIdOfFile(path) === undefined)
    .sort()
    .map((path) => ({
      name: path.split('/')[0] ?? '',
      text: readFileSync(join(folder, path), 'utf8').trimEnd(),
    }))
    .filter(({ text }) => text.length >= LEAST_SIZE && isParsed(text))
}

function isParsed(text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}

/** Returns the first text of the field. */
function valueIn(text: string, field: string): string {
  return new RegExp(`"${field}":"([^"]+)"`).exec(text)?.[1] ?? ''
}
