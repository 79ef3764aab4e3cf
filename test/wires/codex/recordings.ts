import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { CombinedTranscript } from '../../../src/reading/input/combined.ts'
import { codexTranscript } from '../../../src/wires/codex/session-files.ts'
import { type Replayed, replayAs } from '../recordings.ts'

const FOLDER = join(import.meta.dirname, '../../../fixtures/codex')

/** A result that may differ between the run of `codex exec` and that of the app-server. */
type EitherRun<Value> = Value | { readonly exec: Value; readonly app: Value }

export interface ExpectedAgent {
  readonly name?: string
  readonly parent: string
  readonly prompt?: string
  readonly status: EitherRun<'completed' | 'failed' | 'interrupted'>
  readonly finalText?: string
}

export interface ExpectedTool {
  readonly kind: 'command' | 'fileChange' | 'mcp'
  readonly status: 'completed' | 'failed'
  readonly tool?: string
  readonly files?: readonly string[]
}

type ExpectedEnding = EitherRun<string | readonly string[]>

/** The expected result in a recording's `meta.json`. */
export interface ExpectedSession {
  readonly finalTexts: EitherRun<readonly string[]>
  readonly subagents?: readonly ExpectedAgent[] | 0
  readonly tools?: readonly ExpectedTool[]
  readonly todos?: readonly (readonly [string, string])[][]
  readonly requests?: readonly { readonly kind: string; readonly answer: string }[]
  readonly ending: ExpectedEnding
  readonly error?: string
}

/** The output of one run of a program, and the rollouts that it stored. */
export interface RecordedRun {
  readonly live: string
  readonly files: Readonly<Record<string, string>>
  readonly disk: CombinedTranscript
}

/** One conversation in its forms. Each run is a session of its own. */
export interface Recording {
  readonly name: string
  readonly version: '0.169.0' | '0.104.0'
  readonly expected: ExpectedSession
  readonly exec?: RecordedRun
  readonly app: RecordedRun
}

export const recordings: readonly Recording[] = readdirSync(FOLDER).sort().map(readRecording)

function readRecording(name: string): Recording {
  const folder = join(FOLDER, name)
  const { expected } = JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8'))
  const outputs = readdirSync(folder).filter((each) => each.startsWith('stdout'))
  const exec = outputs.length > 0 ? readRun(folder, outputs.sort(), 'sessions') : undefined
  const version = name.startsWith('0.104.0') ? '0.104.0' : '0.169.0'
  return {
    name,
    version,
    expected,
    ...(exec && { exec }),
    app: readRun(folder, ['app-server.ndjson'], 'app-server-sessions'),
  }
}

function readRun(folder: string, outputs: readonly string[], sessions: string): RecordedRun {
  const home = join(folder, sessions)
  const paths = existsSync(home) ? readdirSync(home, { recursive: true, encoding: 'utf8' }).sort() : []
  const files = Object.fromEntries(
    paths
      .map((path) => join(home, path))
      .filter((path) => statSync(path).isFile())
      .map((path) => [path, readFileSync(path, 'utf8')]),
  )
  return {
    live: outputs.map((output) => readFileSync(join(folder, output), 'utf8')).join(''),
    files,
    disk: codexTranscript(files),
  }
}

export function recording(name: string): Recording {
  const found = recordings.find((each) => each.name === name)
  if (!found) throw new RangeError(`no recording ${name}`)
  return found
}

/** The forms of a recording by their names. */
export function formsOf({
  exec,
  app,
}: Recording): readonly (readonly [string, 'exec' | 'app', string | CombinedTranscript])[] {
  return [
    ...(exec ? [['exec', 'exec', exec.live] as const, ['exec, files', 'exec', exec.disk] as const] : []),
    ['app-server', 'app', app.live],
    ['app-server, files', 'app', app.disk],
  ]
}

export function replay(raw: string | CombinedTranscript): Replayed {
  return replayAs('codex', raw)
}

/** Returns the result of one run. */
export function ofRun<Value>(value: EitherRun<Value>, run: 'exec' | 'app'): Value {
  return typeof value === 'object' && value !== null && 'exec' in value ? value[run] : (value as Value)
}
