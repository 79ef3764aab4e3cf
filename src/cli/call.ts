import { parseArgs } from 'node:util'
import { type Architecture, isArchitecture } from '../sources/architecture.ts'

export const USAGE = `usage: agentfold replay <path | -> [--json | --events] [--format F]
       agentfold parity <live> <stored> [--json]

replay shows a recorded agent session as a tree of its agents; a pipe is shown while it goes on.
parity compares a live stream with what was stored of the same session: 0 if they are equal, 1 if not.

  <path>     a recording of Claude Code (stream-json, or a session's .jsonl: its subagents' files are found
             beside it) or of OpenCode (bus events, an export, run --format json), or a folder that holds one
             session's files or exports
  -          standard input
  --format   claude-sdk or opencode, where the content does not tell
  --json     print { state, issues, ending }, or { differences, projected, issues }, as JSON
  --events   print the normalised events, one JSON object a line
`

/** What is to be shown of a replayed session. */
type Output = 'tree' | 'json' | 'events'

/** What the command is asked to do. */
export type Call =
  | { readonly kind: 'help' }
  | { readonly kind: 'misuse'; readonly reason: string }
  | ReplayCall
  | ParityCall

export interface ReplayCall {
  readonly kind: 'replay'
  readonly path: string
  readonly output: Output
  readonly format: Architecture | undefined
}

export interface ParityCall {
  readonly kind: 'parity'
  readonly live: string
  readonly stored: string
  readonly isJson: boolean
}

const OPTIONS = {
  json: { type: 'boolean' },
  events: { type: 'boolean' },
  format: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

type Parsed = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>

/** Reads the command's arguments. */
export function parseCall(args: readonly string[]): Call {
  let parsed: Parsed
  try {
    parsed = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    return misuse(error instanceof Error ? error.message : String(error))
  }
  const [command] = parsed.positionals
  if (parsed.values.help) return { kind: 'help' }
  if (command === 'replay') return replayCall(parsed)
  if (command === 'parity') return parityCall(parsed)
  return misuse(command ? `unknown command ${command}` : 'no command')
}

function replayCall({ values, positionals }: Parsed): Call {
  const [, path, ...others] = positionals
  const { json, events, format } = values
  if (path === undefined) return misuse('no path: name a file, a folder, or - for a pipe')
  if (others.length > 0) return misuse('one path at a time')
  if (json && events) return misuse('--json and --events exclude each other')
  if (format !== undefined && !isArchitecture(format))
    return misuse(`unknown format ${format}: claude-sdk or opencode`)
  const output = json ? 'json' : events ? 'events' : 'tree'
  return { kind: 'replay', path, output, format }
}

function parityCall({ values, positionals }: Parsed): Call {
  const [, live, stored, ...others] = positionals
  if (live === undefined || stored === undefined || others.length > 0)
    return misuse('two paths: the live stream, and what was stored')
  if (live === '-' && stored === '-') return misuse('one of the two can be a pipe')
  if (values.events || values.format !== undefined) return misuse('parity takes --json only')
  return { kind: 'parity', live, stored, isJson: values.json === true }
}

function misuse(reason: string): Call {
  return { kind: 'misuse', reason }
}
