import { parseArgs } from 'node:util'
import { foldSessionEvents } from '../reducer/reduce.ts'
import { TranscriptError } from '../sources/combined.ts'
import { createInitialConversationState } from '../state/session.ts'
import { readTranscript } from '../transcript.ts'
import { InputError, readInput } from './input.ts'
import { renderReplay } from './view.ts'

/** What the command has of the outside world. */
export interface Terminal {
  readonly stdin: AsyncIterable<Uint8Array | string>
  write(text: string): unknown
  complain(text: string): unknown
  /** Whether colours are welcome. */
  readonly isStyled: boolean
}

const USAGE = `usage: agentfold replay <path | -> [--json | --events]

Shows a recorded agent session as a tree of its agents.

  <path>     a stream-json recording, or a session's .jsonl (its subagents' files are found beside it),
             or a folder that holds one session
  -          standard input
  --json     print { state, issues, ending } as JSON
  --events   print the normalised events, one JSON object a line
`

/**
 * Runs the command and returns its exit code: 0; 1 when the input cannot be read or is no transcript; 2 for wrong usage.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const call = parseCall(args)
  switch (call.kind) {
    case 'help':
      terminal.write(USAGE)
      return 0
    case 'misuse':
      terminal.complain(`agentfold: ${call.reason}\n\n${USAGE}`)
      return 2
    case 'replay':
      return replay(call, terminal)
  }
}

type Format = 'tree' | 'json' | 'events'

type Call =
  | { readonly kind: 'help' }
  | { readonly kind: 'misuse'; readonly reason: string }
  | { readonly kind: 'replay'; readonly path: string; readonly format: Format }

const OPTIONS = {
  json: { type: 'boolean' },
  events: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

function parseCall(args: readonly string[]): Call {
  let parsed: ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>
  try {
    parsed = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    return { kind: 'misuse', reason: error instanceof Error ? error.message : String(error) }
  }
  const { values, positionals } = parsed
  const [command, path, ...others] = positionals
  if (values.help) return { kind: 'help' }
  if (command !== 'replay')
    return { kind: 'misuse', reason: command ? `unknown command ${command}` : 'no command' }
  if (path === undefined) return { kind: 'misuse', reason: 'no path: name a file, a folder, or - for a pipe' }
  if (others.length > 0) return { kind: 'misuse', reason: 'one path at a time' }
  if (values.json && values.events)
    return { kind: 'misuse', reason: '--json and --events exclude each other' }
  return { kind: 'replay', path, format: values.json ? 'json' : values.events ? 'events' : 'tree' }
}

async function replay(
  { path, format }: Extract<Call, { kind: 'replay' }>,
  terminal: Terminal,
): Promise<number> {
  try {
    const {
      events,
      issues: sourceIssues,
      ending,
    } = readTranscript('claude-sdk', await readInput(path, terminal.stdin))
    const { state, issues: reducerIssues } = foldSessionEvents(createInitialConversationState(), events)
    const replayed = { state, issues: [...sourceIssues, ...reducerIssues], ending }
    if (format === 'json') terminal.write(`${toJson(replayed, 2)}\n`)
    else if (format === 'events') for (const event of events) terminal.write(`${toJson(event)}\n`)
    else terminal.write(renderReplay(replayed, terminal.isStyled))
    return 0
  } catch (error) {
    if (!(error instanceof TranscriptError || error instanceof InputError)) throw error
    terminal.complain(`agentfold: ${path}: ${error.message}\n`)
    return 1
  }
}

function toJson(value: unknown, indent?: number): string {
  try {
    return escaped(JSON.stringify(value, null, indent))
  } catch (error) {
    throw new InputError('nested too deep, or too large, to be printed as JSON', { cause: error })
  }
}

/** JSON escapes the control characters up to U+001F only; a terminal obeys the others too. */
function escaped(json: string): string {
  return json.replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
