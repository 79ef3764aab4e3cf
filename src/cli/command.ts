import { parseArgs } from 'node:util'
import { type Architecture, allFormats, architectures, isArchitecture } from '../formats/all.ts'

export const USAGE: string = `usage: agentfold replay <path | -> [--json | --events] [--format F]
       agentfold parity <live> <stored> [--json]
       agentfold identify <path | -> [--system-prompt FILE] [--tools FILE] [--json] [--format F]
       agentfold --version

replay    shows a recorded session as a tree of its agents, and updates the tree
          while it reads from a pipe
parity    compares a live stream with the stored files of the same session;
          the exit code is 0 if they are equal, 1 if not
identify  prints the hash of each conversation of a session and the hash of the
          conversation that started it

  <path>     one of these inputs, or a folder with the files of one session:
${inputLines()}
  -          standard input
  --format   ${architectures()}; needed only if the content does not show the format
  --system-prompt, --tools
             files with the agents' system prompt and a JSON list of their tools;
             the default is an empty prompt and no tools
  --json     print the result as JSON
  --events   print the session's events, one JSON object per line
  --version  print the version of agentfold
`

function inputLines(): string {
  return allFormats()
    .map(({ inputs }) => `             ${inputs}`)
    .join('\n')
}

/** The form in which `replay` prints a session. */
type Output = 'tree' | 'json' | 'events'

/** The command that the arguments describe. */
type Command =
  | { readonly kind: 'help' | 'version' }
  | UsageError
  | ReplayCommand
  | ParityCommand
  | IdentifyCommand

interface UsageError {
  readonly kind: 'usage-error'
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
  /** The path of a file with the prompt. */
  readonly systemPrompt: string | undefined
  /** The path of a file with a JSON list. */
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
  version: { type: 'boolean' },
} as const

type Parsed = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>

/** Returns the command for the arguments of the command line. */
export function parseCommand(args: readonly string[]): Command {
  let parsed: Parsed
  try {
    parsed = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    return usageError(error instanceof Error ? error.message : String(error))
  }
  const [command] = parsed.positionals
  if (parsed.values.help) return { kind: 'help' }
  if (parsed.values.version) return { kind: 'version' }
  if (command === 'replay') return replayCommand(parsed)
  if (command === 'parity') return parityCommand(parsed)
  if (command === 'identify') return identifyCommand(parsed)
  return usageError(command ? `unknown command ${command}` : 'no command')
}

function replayCommand({ values, positionals }: Parsed): Command {
  const { json, events } = values
  const session = sessionArguments({ values, positionals })
  if ('kind' in session) return session
  const { path, format } = session
  if (json && events) return usageError('use --json or --events, not both')
  if (hasIdentifyOptions(values)) return usageError('only identify takes --system-prompt and --tools')
  const output = json ? 'json' : events ? 'events' : 'tree'
  return { kind: 'replay', path, output, format }
}

function identifyCommand(parsed: Parsed): Command {
  const session = sessionArguments(parsed)
  if ('kind' in session) return session
  const { json, events, tools, 'system-prompt': systemPrompt } = parsed.values
  if (events) return usageError('only replay takes --events')
  return { kind: 'identify', ...session, tools, systemPrompt, isJson: json === true }
}

function hasIdentifyOptions({ tools, 'system-prompt': systemPrompt }: Parsed['values']): boolean {
  return tools !== undefined || systemPrompt !== undefined
}

/** Returns the path and the format of the one session that a command reads. */
function sessionArguments({
  values: { format },
  positionals: [, path, ...others],
}: Pick<Parsed, 'values' | 'positionals'>): UsageError | Pick<ReplayCommand, 'path' | 'format'> {
  if (path === undefined) return usageError('no path: pass a file, a folder, or - for a pipe')
  if (others.length > 0) return usageError('too many paths: pass one')
  if (format !== undefined && !isArchitecture(format))
    return usageError(`unknown format ${format}: use ${architectures()}`)
  return { path, format }
}

function parityCommand({ values, positionals }: Parsed): Command {
  const [, live, stored, ...others] = positionals
  if (live === undefined || stored === undefined || others.length > 0)
    return usageError('parity needs two paths: the live stream and the stored files')
  if (live === '-' && stored === '-') return usageError('only one of the two paths can be a pipe')
  if (values.events || values.format !== undefined || hasIdentifyOptions(values))
    return usageError('parity takes no option but --json')
  return { kind: 'parity', live, stored, isJson: values.json === true }
}

function usageError(reason: string): UsageError {
  return { kind: 'usage-error', reason }
}
