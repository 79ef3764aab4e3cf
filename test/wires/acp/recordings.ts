import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { claudeTranscript } from '../../../src/entries/claude.ts'
import type { Architecture } from '../../../src/entries/index.ts'
import type { CombinedTranscript } from '../../../src/reading/input/combined.ts'
import { codexTranscript } from '../../../src/wires/codex/session-files.ts'
import { opencodeTranscript } from '../../../src/wires/opencode/files/session-files.ts'
import { messagesIn, type Replayed, replayAs } from '../recordings.ts'
import { named } from './messages.ts'

const FOLDER = join(import.meta.dirname, '../../../fixtures/acp')

export interface ExpectedAgent {
  /** `main` or the label of another agent. */
  readonly parent: string
  /** A label for `parent`. It is not the agent type. */
  readonly name?: string
  readonly prompt?: string
  readonly finalText?: string
}

/** The expected result in a recording's `meta.json`. */
export interface ExpectedSession {
  readonly finalTexts?: readonly string[]
  readonly subagents?: readonly ExpectedAgent[] | 0
  readonly toolUses?: number
  readonly toolErrors?: number
  readonly tools?: readonly (string | { readonly status: string; readonly files?: readonly string[] })[]
  readonly todos?: readonly (readonly [string, string])[][]
  readonly requests?: readonly { readonly tool: string; readonly answer: string }[]
  readonly compactBoundaries?: number
  readonly ending?: string | readonly string[]
}

/** A connection, a later connection that loads the same session, and the files that the agent stored. */
export interface Recording {
  readonly name: string
  readonly agent: 'claude' | 'opencode' | 'codex'
  readonly expected: ExpectedSession
  readonly live: string
  readonly load: string
  readonly stored: { readonly architecture: Architecture; readonly transcript: CombinedTranscript }
}

export const recordings: readonly Recording[] = readdirSync(FOLDER).sort().map(readRecording)

function readRecording(name: string): Recording {
  const folder = join(FOLDER, name)
  const { expected } = JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8'))
  const agent = name.includes('-claude-') ? 'claude' : name.includes('-opencode-') ? 'opencode' : 'codex'
  return {
    name,
    agent,
    expected,
    live: readFileSync(join(folder, 'live.ndjson'), 'utf8'),
    load: readFileSync(join(folder, 'load.ndjson'), 'utf8'),
    stored: combine(agent, filesIn(join(folder, 'files'))),
  }
}

function combine(agent: Recording['agent'], files: Readonly<Record<string, string>>): Recording['stored'] {
  if (agent === 'claude') return { architecture: 'claude-sdk', transcript: claudeTranscript(files) }
  if (agent === 'opencode') return { architecture: 'opencode', transcript: opencodeTranscript(files) }
  return { architecture: 'codex', transcript: codexTranscript(files) }
}

function filesIn(folder: string): Readonly<Record<string, string>> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path))
  const files = paths.filter((path) => statSync(path).isFile()).sort()
  return Object.fromEntries(files.map((path) => [path, readFileSync(path, 'utf8')]))
}

export function recording(name: string): Recording {
  const found = recordings.find((each) => each.name === name)
  if (!found) throw new RangeError(`no recording ${name}`)
  return found
}

/**
 * Returns the updates of a log without the log and the JSON-RPC around them. The first updates of OpenCode and Codex name no program, so the
 * messages that do come before them.
 */
export function bareUpdates(log: string): readonly unknown[] {
  const updates = messagesIn(log).flatMap((line) => {
    const { msg } = Object(line)
    return msg.method === 'session/update' ? [msg] : []
  })
  const program = /"name":"(OpenCode|@agentclientprotocol\/codex-acp)"/.exec(log)?.[1]
  return program === undefined ? updates : [...named(program), ...updates]
}

export const toLines = (messages: readonly unknown[]): string =>
  messages.map((message) => `${JSON.stringify(message)}\n`).join('')

export function replay(raw: string): Replayed {
  return replayAs('acp', raw)
}
