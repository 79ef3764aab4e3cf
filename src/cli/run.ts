import { version } from '../../package.json'
import type { SessionEvent } from '../events/event.ts'
import type { Architecture } from '../formats/all.ts'
import { TranscriptError } from '../formats/combined.ts'
import { assertNever } from '../json/assert-never.ts'
import { overflowMessage } from '../node/files/read-error.ts'
import { openInput } from '../node/read/open-input.ts'
import { readInput } from '../node/read/read-input.ts'
import { errorWithPath } from '../node/read/read-session.ts'
import type { ReadingObserver, SessionReading } from '../node/read/session-fold.ts'
import { compareSessions } from '../parity/compare.ts'
import {
  type IdentifyCommand,
  type ParityCommand,
  parseCommand,
  type ReplayCommand,
  USAGE,
} from './command.ts'
import { identify, renderIdentities } from './identify.ts'
import { InputError } from './input-error.ts'
import { renderParity } from './parity-view.ts'
import { Progress } from './progress.ts'
import { oneLine, toJson } from './text.ts'
import { type Screen, TreeDisplay } from './tree-display.ts'
import { renderReplay } from './view.ts'

/** The command's access to the outside world. */
export interface Terminal {
  readonly stdin: AsyncIterable<Uint8Array | string>
  write(text: string): unknown
  writeError(text: string): unknown
  /** Whether the output may have colours. */
  readonly isStyled: boolean
  /** A screen that can be redrawn. Absent if the output goes to a file or a pipe. */
  readonly screen?: Screen
  /** Whether the error stream is a terminal, so that it can show progress. */
  readonly showsProgress: boolean
}

/**
 * Runs the command and returns its exit code. `replay` and `identify`: 0, or 1 if the input cannot be read, is empty or is not a
 * transcript. `parity`: 0 if both sides are equal, 1 if not, 2 if a side cannot be read or is empty. Wrong usage: 2.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const command = parseCommand(args)
  switch (command.kind) {
    case 'help':
      terminal.write(USAGE)
      return 0
    case 'version':
      terminal.write(`${version}\n`)
      return 0
    case 'usage-error':
      terminal.writeError(`agentfold: ${oneLine(command.reason)}\n\n${USAGE}`)
      return 2
    case 'replay':
      return (await reportInputErrors(() => printReplay(command, terminal), terminal)) ?? 1
    case 'parity':
      return (await reportInputErrors(() => printParity(command, terminal), terminal)) ?? 2
    case 'identify':
      return (await reportInputErrors(() => printIdentities(command, terminal), terminal)) ?? 1
    default:
      return assertNever(command)
  }
}

/** Prints an input error as one line and returns undefined. Throws any other error, because it is a bug. */
async function reportInputErrors(
  execute: () => Promise<number>,
  terminal: Terminal,
): Promise<number | undefined> {
  try {
    return await execute()
  } catch (error) {
    const message = inputErrorMessage(error)
    if (message === undefined) throw error
    terminal.writeError(`agentfold: ${oneLine(message)}\n`)
    return undefined
  }
}

/** Returns the message of an error that an input causes; undefined for other errors. */
function inputErrorMessage(error: unknown): string | undefined {
  const isInputError = error instanceof TranscriptError || error instanceof InputError
  return isInputError ? error.message : overflowMessage(error)
}

async function printReplay({ path, format, output }: ReplayCommand, terminal: Terminal): Promise<number> {
  const isLive = path === '-' && output === 'tree'
  const display = isLive && terminal.screen ? new TreeDisplay(terminal.screen, terminal.isStyled) : undefined
  const reading = readPath({ path, format }, terminal, {
    onState: (state) => display?.draw(state),
    ...(output === 'events' && { onEvents: (events) => writeEvents(events, terminal) }),
  })
  const replayed = await reading.finally(() => display?.clear())
  if (output === 'json') terminal.write(`${toJson(replayed, 2)}\n`)
  if (output === 'tree') terminal.write(renderReplay(replayed, terminal.isStyled))
  return 0
}

function writeEvents(events: readonly SessionEvent[], terminal: Terminal): void {
  for (const event of events) terminal.write(`${toJson(event)}\n`)
}

async function printParity({ live, stored, isJson }: ParityCommand, terminal: Terminal): Promise<number> {
  const read = {
    live: await readPath({ path: live }, terminal, {}),
    stored: await readPath({ path: stored }, terminal, {}),
  }
  const comparison = compareSessions(read.live.state, read.stored.state)
  const issues = { live: read.live.issues, stored: read.stored.issues }
  const report = { ...comparison, issues }
  terminal.write(isJson ? `${toJson(report, 2)}\n` : renderParity(report))
  return comparison.differences.length === 0 ? 0 : 1
}

async function printIdentities(command: IdentifyCommand, terminal: Terminal): Promise<number> {
  const { state, issues } = await readPath(command, terminal, {})
  const identities = { ...(await identify(state, command)), issues }
  terminal.write(command.isJson ? `${toJson(identities, 2)}\n` : renderIdentities(identities))
  return 0
}

async function readPath(
  { path, format }: { readonly path: string; readonly format?: Architecture | undefined },
  terminal: Terminal,
  observer: ReadingObserver,
): Promise<SessionReading> {
  // The command prints events while it reads, so progress lines would stand between them.
  const progress =
    terminal.showsProgress && observer.onEvents === undefined
      ? new Progress(path, terminal.writeError)
      : undefined
  try {
    const input =
      path === '-' ? { kind: 'chunks' as const, chunks: terminal.stdin } : await openInput(path, format)
    const { isEmpty, ...reading } = await readInput(input, format, {
      ...observer,
      onProgress: (part) => progress?.report(part),
    })
    // A library's caller may begin with nothing. A user who passes nothing has a wrong path, or a program that failed.
    if (isEmpty) throw new InputError('empty input')
    return reading
  } catch (error) {
    throw error instanceof InputError
      ? new InputError(`${path}: ${error.message}`, { cause: error })
      : await errorWithPath(error, path)
  } finally {
    progress?.clear()
  }
}
