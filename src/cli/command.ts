import { parseArgs } from 'node:util'
import { type Architecture, allFormats, architectures, isArchitecture } from '../formats/all.ts'

export const USAGE: string = `usage: agentfold replay <path | -> [--json | --events] [--format F]
       agentfold parity <live> <stored> [--json]
       agentfold identify <path | -> [--system-prompt FILE] [--tools FILE] [--json] [--format F]

replay shows a recorded agent session as a tree of its agents; a pipe is shown while it goes on.
parity compares a live stream with what was stored of the same session: 0 if they are equal, 1 if not.

identify tells who each conversation of a session is, and who started it.

  <path>     one of these inputs, or a folder that holds one session's files:
${inputLines()}
  -          standard input
  --format   ${architectures()}, if the content does not show the format
  --system-prompt, --tools
             what the agents were told, and a JSON list of their tools; empty where they are left out
  --json     print { state, issues, ending }, or { differences, projected, issues }, as JSON
  --events   print the normalised events, one JSON object a line
`

function inputLines(): string {
  return allFormats()
    .map(({ inputs }) => `             ${inputs}`)
    .join('\n')
}

/** What is to be shown of a replayed session. */
type Output = 'tree' | 'json' | 'events'

/** What the command is asked to do. */
type Call = { readonly kind: 'help' } | Misuse | ReplayCommand | ParityCommand | IdentifyCommand

interface Misuse {
  readonly kind: 'misuse'
  readonly reason: string
}

export interface ReplayCommand {
  readonly kind: 'replay'
  readonly path: string
  readonly output: Output
  readonly format: Architecture | undefined
}

export interface ParityCommand {
  readonly kind: 'parity'
  readonly live: string
  readonly stored: string
  readonly isJson: boolean
}

export interface IdentifyCommand {
  readonly kind: 'identify'
  readonly path: string
  readonly format: Architecture | undefined
  /** A file. */
  readonly systemPrompt: string | undefined
  /** A file. */
  readonly tools: string | undefined
  readonly isJson: boolean
}

const OPTIONS = {
  json: { type: 'boolean' },
  events: { type: 'boolean' },
  format: { type: 'string' },
  'system-prompt': { type: 'string' },
  tools: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

type Parsed = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>

/** Reads the command's arguments. */
export function parseCommand(args: readonly string[]): Call {
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
  if (command === 'identify') return identifyCall(parsed)
  return misuse(command ? `unknown command ${command}` : 'no command')
}

function replayCall({ values, positionals }: Parsed): Call {
  const { json, events } = values
  const session = sessionArguments({ values, positionals })
  if ('kind' in session) return session
  const { path, format } = session
  if (json && events) return misuse('--json and --events exclude each other')
  if (isIdentifying(values)) return misuse('--system-prompt and --tools are for identify')
  const output = json ? 'json' : events ? 'events' : 'tree'
  return { kind: 'replay', path, output, format }
}

function identifyCall(parsed: Parsed): Call {
  const session = sessionArguments(parsed)
  if ('kind' in session) return session
  const { json, events, tools, 'system-prompt': systemPrompt } = parsed.values
  if (events) return misuse('--events is for replay')
  return { kind: 'identify', ...session, tools, systemPrompt, isJson: json === true }
}

function isIdentifying({ tools, 'system-prompt': systemPrompt }: Parsed['values']): boolean {
  return tools !== undefined || systemPrompt !== undefined
}

/** The one session that a command is about. */
function sessionArguments({
  values: { format },
  positionals: [, path, ...others],
}: Pick<Parsed, 'values' | 'positionals'>): Misuse | Pick<ReplayCommand, 'path' | 'format'> {
  if (path === undefined) return misuse('no path: name a file, a folder, or - for a pipe')
  if (others.length > 0) return misuse('one path at a time')
  if (format !== undefined && !isArchitecture(format))
    return misuse(`unknown format ${format}: use ${architectures()}`)
  return { path, format }
}

function parityCall({ values, positionals }: Parsed): Call {
  const [, live, stored, ...others] = positionals
  if (live === undefined || stored === undefined || others.length > 0)
    return misuse('two paths: the live stream, and what was stored')
  if (live === '-' && stored === '-') return misuse('one of the two can be a pipe')
  if (values.events || values.format !== undefined || isIdentifying(values))
    return misuse('parity takes --json only')
  return { kind: 'parity', live, stored, isJson: values.json === true }
}

function misuse(reason: string): Misuse {
  return { kind: 'misuse', reason }
}
