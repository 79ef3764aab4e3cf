import { spawn } from 'node:child_process'
import process from 'node:process'
import { finished } from 'node:stream/promises'
import { isPlain, type Widths } from './width.ts'

/** An entry of a picker. */
export interface Choice {
  readonly value: string
  /** One line. */
  readonly name: string
  readonly description: string
}

/** The texts around the entries of a picker. */
export interface PickerTexts {
  /** The line above the entries. */
  readonly message: string
  /** Stands in place of the entries if none matches the typed words. */
  readonly noMatch: string
}

/** A terminal that can overwrite its lines. */
export interface Screen {
  write(text: string): unknown
  readonly rows: number
  /** Absent if the width is not known. */
  readonly columns?: number | undefined
  /** Returns the time in ms, counted from any moment. */
  now(): number
  /** Runs the work after that many ms. Returns a function that cancels it. */
  setTimer?(work: () => void, milliseconds: number): () => void
}

/** The width of a pipe, which states none. */
export const DEFAULT_COLUMNS = 80

/** The command's access to the outside world. */
export interface Terminal {
  readonly stdin: AsyncIterable<Uint8Array | string>
  write(text: string): unknown
  writeError(text: string): unknown
  /** Whether the output may have colours, if no option says so. */
  readonly isStyled: boolean
  /** The width of the terminal that shows the output. Absent if it is not known. */
  readonly columns?: number | undefined
  /** A screen that can be redrawn. Absent if the output goes to a file or a pipe. */
  readonly screen?: Screen
  /**
   * Lets the person choose an entry. `further` returns entries that only a filter shows. Undefined for none. Absent
   * if the input or the output is no terminal.
   */
  readonly pick?: (
    choices: readonly Choice[],
    texts: PickerTexts,
    further?: () => Promise<readonly Choice[]>,
  ) => Promise<string | undefined>
  /** Runs work whose output goes to the person's pager. Absent without a pager or a terminal. */
  readonly paged?: (work: (write: (text: string) => unknown) => Promise<void>) => Promise<void>
  /** Returns the time in ms since the epoch. The default is the clock of the system. */
  readonly now?: () => number
  /** The home folder with the sessions of the machine. The default is the home folder of this process. */
  readonly home?: string | undefined
  /** The home folder of the person who asks, if `--home` names another one. */
  readonly ownHome?: string | undefined
  /** The HTML of the page for the browser. The default is the page of the package. */
  readonly page?: string
  /** Whether the error stream is a terminal, so that it can show progress. */
  readonly showsProgress: boolean
  /** Returns a signal that aborts at Ctrl-C. A command that asks for it ends by itself. */
  interruption?(): AbortSignal
}

/** The command cannot use an input, or cannot print it. The message is one line for the user. */
export class InputError extends Error {}

/** The arguments contradict each other, or lack one. Its exit code is that of any wrong usage. */
export class UsageError extends Error {}

/**
 * Runs work whose output goes to a pager, such as `less -R`, and waits until the person leaves it. `LESS` gets the
 * options that show colours and leave a short text on the screen, unless the person has set it. If the pager does not
 * start, the output goes to `write`.
 */
export async function writePaged(
  command: string,
  work: (write: (text: string) => unknown) => Promise<void>,
  write: (text: string) => unknown,
): Promise<void> {
  const pager = spawn(command, {
    shell: true,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { LESS: 'FRX', ...process.env },
  })
  const ended = new Promise<number | null>((resolve) => {
    pager.on('close', resolve)
    pager.on('error', () => resolve(NOT_FOUND))
  })
  // The person may leave before the end of the text.
  const closed = finished(pager.stdin).catch(() => {})
  let text = ''
  await work((part) => {
    text += part
    return pager.stdin.writable && pager.stdin.write(part)
  })
  pager.stdin.end()
  await closed
  if ((await ended) === NOT_FOUND) write(text)
}

/** The exit code of a shell for a command that it does not find. */
const NOT_FOUND = 127

/** The part of the process that warns. */
interface WarningProcess {
  emitWarning: (...warning: readonly never[]) => void
}

/**
 * Hides the warning of Node 22 that its SQLite is experimental: a person who lists sessions can do nothing about it.
 * Other warnings stay.
 */
export function hideSqliteWarning(process: WarningProcess): void {
  const { emitWarning } = process
  process.emitWarning = (...warning) => {
    const [message, type] = warning.map(String)
    const isAboutSqlite = message?.startsWith('SQLite is an experimental') && type === 'ExperimentalWarning'
    if (!isAboutSqlite) Reflect.apply(emitWarning, process, warning)
  }
}

/** Removes what stands on the line of the terminal. */
export const CLEAR_LINE = '\r\u001b[K'

const plainWidths: Widths = {
  widthOf: (text) => text.length,
  pad: (text, width) => text.padEnd(width),
  cut: (text, width) => (text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1)).trimEnd()}…`),
}

/**
 * Returns what measures these texts and parts of them. Most texts are plain, and the rules of all others take as long to
 * load as a list does.
 */
export async function widthsFor(texts: Iterable<string>): Promise<Widths> {
  for (const text of texts) if (!isPlain(text)) return (await import('./wrap.ts')).allWidths
  return plainWidths
}
