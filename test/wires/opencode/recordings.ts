import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RequestAnswer } from '../../../src/entries/index.ts'
import type { CombinedTranscript } from '../../../src/reading/input/combined.ts'
import { opencodeTranscript } from '../../../src/wires/opencode/files/session-files.ts'
import { type Expected, type Replayed, replayAs } from '../recordings.ts'

/** Recorded sessions of OpenCode. `meta.json` describes how each one was made. Those with requests have no lines of `run`. */
const folders: readonly string[] = ['opencode', 'opencode-requests'].map((name) =>
  fileURLToPath(new URL(`../../../fixtures/${name}/`, import.meta.url)),
)

/** The expected result in a recording's `meta.json`. */
export interface ExpectedSession extends Omit<Expected, 'requests' | 'fileChanges'> {
  readonly requests?: readonly ExpectedRequest[]
  readonly fileChanges?: readonly ExpectedChange[]
  readonly retries?: number
}

export interface ExpectedRequest {
  readonly kind?: 'question'
  readonly tool?: string
  readonly answer: RequestAnswer
  /** The person gave a reason. */
  readonly message?: boolean
}

export interface ExpectedChange {
  /** Relative to the working folder. */
  readonly path: string
  readonly kind: 'add' | 'update' | 'delete'
  /** The tool, if it reports no changes itself. */
  readonly by?: string
}

interface Meta {
  readonly mainSession: string
  readonly expected: ExpectedSession
}

/** One session in three forms: the events of the bus, the exports, and the output of `run --format json`. */
export interface Recording {
  readonly name: string
  readonly mainSession: string
  readonly expected: ExpectedSession
  /** The text of `events.ndjson`. */
  readonly events: string
  /** The exports of main and its subagents, by path. */
  readonly files: Readonly<Record<string, string>>
  /** The exports as one combined transcript. */
  readonly disk: CombinedTranscript
  /** The output of all clients, one after the other. */
  readonly run: string
  /** A run without a server: another session, with its own export. */
  readonly standalone?: { readonly run: string; readonly exported: string }
}

export const recordings: readonly Recording[] = folders.flatMap((folder) =>
  readdirSync(folder)
    .sort()
    .map((name) => readRecording(folder, name)),
)

export function recording(name: string): Recording {
  const found = recordings.find((each) => each.name === name)
  if (!found) throw new RangeError(`no recording ${name}`)
  return found
}

function readRecording(folder: string, name: string): Recording {
  const read = (path: string) => readFileSync(join(folder, name, path), 'utf8')
  const paths = readdirSync(join(folder, name)).sort()
  const { mainSession, expected }: Meta = JSON.parse(read('meta.json'))
  const files = Object.fromEntries(
    readdirSync(join(folder, name, 'export'))
      .sort()
      .map((path) => [path, read(join('export', path))]),
  )
  return {
    name,
    mainSession,
    expected,
    events: read('events.ndjson'),
    files,
    disk: opencodeTranscript(files),
    run: paths
      .filter((path) => path.startsWith('run-'))
      .map(read)
      .join(''),
    ...(paths.includes('standalone.ndjson') && {
      standalone: { run: read('standalone.ndjson'), exported: read('standalone-export.json') },
    }),
  }
}

export function replay(raw: string | CombinedTranscript): Replayed {
  return replayAs('opencode', raw)
}
