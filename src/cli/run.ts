import type { SessionEvent } from '../events/event.ts'
import type { Architecture } from '../formats/all.ts'
import { TranscriptError } from '../formats/combined.ts'
import { assertNever } from '../json/assert-never.ts'
import { compareSessions } from '../parity/compare.ts'
import { type IdentifyCommand, type ParityCommand, parseCommand, type ReplayCommand, USAGE } from './command.ts'
import { identify, renderIdentities } from './identify.ts'
import { InputError, openInput, overflowMessage } from './input.ts'
import { TreeDisplay, type Screen } from './tree-display.ts'
import { renderParity } from './parity-view.ts'
import { Progress } from './progress.ts'
import { replayInput } from './replay.ts'
import type { Replay, ReplayObserver } from './replay-run.ts'
import { oneLine, toJson } from './text.ts'
import { renderReplay } from './view.ts'

/** What the command has of the outside world. */
export interface Terminal {
  readonly stdin: AsyncIterable<Uint8Array | string>
  write(text: string): unknown
  writeError(text: string): unknown
  /** Whether colours are welcome. */
  readonly isStyled: boolean
  /** Where a tree can be drawn over the last one; absent where output goes to a file or a pipe. */
  readonly screen?: Screen
  /** Whether what is complained of is read as it comes, so that progress can be shown there. */
  readonly showsProgress: boolean
}

/**
 * Runs the command and returns its exit code. `replay` and `identify`: 0; 1 when the input cannot be read or is no transcript. `parity`: 0
 * when both sides are equal, 1 when not, 2 when one cannot be read. 2 for wrong usage.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const call = parseCommand(args)
  switch (call.kind) {
    case 'help':
      terminal.write(USAGE)
      return 0
    case 'misuse':
      terminal.writeError(`agentfold: ${oneLine(call.reason)}\n\n${USAGE}`)
      return 2
    case 'replay':
      return (await guarded(() => replay(call, terminal), terminal)) ?? 1
    case 'parity':
      return (await guarded(() => parity(call, terminal), terminal)) ?? 2
    case 'identify':
      return (await guarded(() => tellIdentities(call, terminal), terminal)) ?? 1
    default:
      return assertNever(call)
  }
}

/** Says in one line what was wrong with an input. */
async function guarded(command: () => Promise<number>, terminal: Terminal): Promise<number | undefined> {
  try {
    return await command()
  } catch (error) {
    const complaint = complaintOf(error)
    if (complaint === undefined) throw error
    terminal.writeError(`agentfold: ${oneLine(complaint)}\n`)
    return undefined
  }
}

/** What was wrong with an input; undefined where that is not what the error is about. */
function complaintOf(error: unknown): string | undefined {
  const isOfInput = error instanceof TranscriptError || error instanceof InputError
  return isOfInput ? error.message : overflowMessage(error)
}

async function replay({ path, format, output }: ReplayCommand, terminal: Terminal): Promise<number> {
  const isLive = path === '-' && output === 'tree'
  const live = isLive && terminal.screen ? new TreeDisplay(terminal.screen, terminal.isStyled) : undefined
  const reading = readPath({ path, format }, terminal, {
    onState: (state) => live?.draw(state),
    ...(output === 'events' && { onEvents: (events) => writeEvents(events, terminal) }),
  })
  const replayed = await reading.finally(() => live?.clear())
  if (output === 'json') terminal.write(`${toJson(replayed, 2)}\n`)
  if (output === 'tree') terminal.write(renderReplay(replayed, terminal.isStyled))
  return 0
}

function writeEvents(events: readonly SessionEvent[], terminal: Terminal): void {
  for (const event of events) terminal.write(`${toJson(event)}\n`)
}

async function parity({ live, stored, isJson }: ParityCommand, terminal: Terminal): Promise<number> {
  const read = {
    live: await readPath({ path: live }, terminal, {}),
    stored: await readPath({ path: stored }, terminal, {}),
  }
  const comparison = compareSessions(read.live.state, read.stored.state)
  const issues = { live: read.live.issues, stored: read.stored.issues }
  const found = { ...comparison, issues }
  terminal.write(isJson ? `${toJson(found, 2)}\n` : renderParity(found))
  return comparison.differences.length === 0 ? 0 : 1
}

async function tellIdentities(call: IdentifyCommand, terminal: Terminal): Promise<number> {
  const { state, issues } = await readPath(call, terminal, {})
  const found = { ...(await identify(state, call)), issues }
  terminal.write(call.isJson ? `${toJson(found, 2)}\n` : renderIdentities(found))
  return 0
}

async function readPath(
  { path, format }: { readonly path: string; readonly format?: Architecture | undefined },
  terminal: Terminal,
  watcher: ReplayObserver,
): Promise<Replay> {
  // Events are written while the input is read; progress would stand among them.
  const progress =
    terminal.showsProgress && watcher.onEvents === undefined ? new Progress(path, terminal.writeError) : undefined
  try {
    const input = await openInput(path, terminal.stdin, format)
    return await replayInput(input, format, { ...watcher, onProgress: (part) => progress?.report(part) })
  } catch (error) {
    const complaint = complaintOf(error)
    if (complaint === undefined) throw error
    throw new InputError(`${path}: ${complaint}`, { cause: error })
  } finally {
    progress?.clear()
  }
}
