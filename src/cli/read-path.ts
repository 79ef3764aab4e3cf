import { statSync } from 'node:fs'
import type { OnUnreadable } from '../node/files/list-files.ts'
import { readError } from '../node/files/read-error.ts'
import { openSession } from '../node/read/open-session.ts'
import { type InputReading, type ReadingObserver, readInput } from '../node/read/read-input.ts'
import { errorWithPath } from '../node/read/read-session.ts'
import { type SessionEntries, textEntries } from '../node/read/text-entries.ts'
import type { Architecture } from '../programs/program.ts'
import { CLEAR_LINE, InputError, type Terminal } from './terminal/terminal.ts'
import { oneLine } from './terminal/text.ts'

/** An input that was read and is not empty. */
export type PathReading = Omit<InputReading, 'isEmpty'>

/** Reads a file, a folder with one session or, for `-`, standard input. An empty input is an `InputError`. Errors name the path. */
export async function readPath(
  { path, format }: { readonly path: string; readonly format?: Architecture | undefined },
  terminal: Terminal,
  observer: ReadingObserver = {},
): Promise<PathReading> {
  // The command prints events while it reads, so progress lines would stand between them.
  const progress =
    terminal.showsProgress && observer.onEvents === undefined
      ? new Progress(path, terminal.writeError)
      : undefined
  try {
    if (path === '-') return await readPipe(terminal.stdin, format, observer)
    const onUnreadable = unreadableReporter(terminal)
    const onProgress = progress && ((part: number) => progress.report(part))
    const options = { architecture: format, onUnreadable, ...(onProgress && { onProgress }) }
    const open = () => openWithNotice(path, terminal.writeError, () => openSession(path, options))
    return await readOpened(path, { open, format, observer })
  } finally {
    progress?.clear()
  }
}

/** Returns a function that prints a folder that cannot be read as one line on standard error. */
function unreadableReporter(terminal: Terminal): OnUnreadable {
  return (path, error) => {
    const { message } = readError(error)
    const reason = message.startsWith(`${path}: `) ? message : `${path}: ${message}`
    terminal.writeError(`agentfold: ${oneLine(reason)}\n`)
  }
}

/** Reads a pipe to its end. Its errors are those of `readPath`. */
export function readPipe(
  chunks: AsyncIterable<Uint8Array | string>,
  format: Architecture | undefined,
  observer: ReadingObserver,
): Promise<PathReading> {
  return readOpened('-', { open: () => textEntries(chunks, format), format, observer })
}

interface OpenedInput {
  readonly open: () => Promise<SessionEntries>
  readonly format: Architecture | undefined
  readonly observer: ReadingObserver
}

async function readOpened(path: string, { open, format, observer }: OpenedInput): Promise<PathReading> {
  try {
    const { isEmpty, ...reading } = await readInput(await open(), format, observer)
    // A library's caller may begin with nothing. A user who passes nothing has a wrong path, or a program that
    // failed.
    if (isEmpty) throw new InputError('empty input')
    return reading
  } catch (error) {
    throw error instanceof InputError
      ? new InputError(`${path}: ${error.message}`, { cause: error })
      : await errorWithPath(error, path)
  }
}

/** Shows on one line which part of a long input was read, and removes the line at the end. */
export class Progress {
  readonly #path: string
  readonly #write: (text: string) => unknown
  #shown = ''

  constructor(path: string, write: (text: string) => unknown) {
    this.#path = oneLine(path)
    this.#write = write
  }

  /** `part` is between 0 and 1. */
  report(part: number): void {
    const text = `${this.#path}: ${Math.floor(100 * part)} % read`
    if (text === this.#shown) return
    this.#write(`${CLEAR_LINE}${text}`)
    this.#shown = text
  }

  clear(): void {
    if (this.#shown !== '') this.#write(CLEAR_LINE)
    this.#shown = ''
  }
}

/** In ms. A pipe with a writer has its first line sooner, as a rule. */
const PATIENCE = 1_000

/** Opens the path. If it is a named pipe to which nobody writes, a line on standard error says what the command waits for. */
export async function openWithNotice<Opened>(
  path: string,
  writeError: (text: string) => unknown,
  open: () => Promise<Opened>,
): Promise<Opened> {
  const timer = setTimeout(() => {
    if (isPipe(path)) writeError(`agentfold: ${oneLine(path)}: waiting for the first line of the pipe\n`)
  }, PATIENCE)
  try {
    return await open()
  } finally {
    clearTimeout(timer)
  }
}

/** The reading of a path that cannot be looked at says why. */
function isPipe(path: string): boolean {
  try {
    return statSync(path).isFIFO()
  } catch {
    return false
  }
}
