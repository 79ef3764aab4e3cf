import { stat } from 'node:fs/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { wrapReadError } from '../../node/files/read-error.ts'
import type { ListIssue } from '../../node/list/session-summary.ts'
import { indexPath } from '../../node/session-index/index-place.ts'
import type { UpdateOptions } from '../../node/session-index/index-updater.ts'
import { openSessionIndex } from '../../node/session-index/open-session-index.ts'
import { timeOf } from '../../node/session-index/session-filter.ts'
import type { IndexOptions, SessionIndex } from '../../node/session-index/session-questions.ts'
import { CLEAR_LINE, InputError, type Terminal, UsageError } from '../terminal/terminal.ts'
import { oneLine } from '../terminal/text.ts'

/** The options of each command that looks at all sessions. */
export interface MachineOptions {
  /** False after `--no-index`, and an address after `--index`. */
  readonly index?: string | boolean
}

/** Adds the options of each command that looks at all sessions. */
export function machineOptions(command: Command): Command {
  return command
    .addOption(indexOption())
    .option('--no-index', 'read the sessions themselves; the answer is the same, and slower')
}

/** Returns the option that asks the index of several machines. A parser's error would print the address, and its password. */
export function indexOption(): Option {
  return new Option('--index <address>', 'ask an index of several machines, postgres://user@host/database')
}

/** Adds the options for the time of the last change. The descriptions end with the forms of a time. */
export function timeOptions(command: Command, since: string, until: string): Command {
  return command.addOption(timeOption('--since', since)).addOption(timeOption('--until', until))
}

function timeOption(flag: string, description: string): Option {
  return new Option(`${flag} <time>`, `${description}: 3d, 12h or 2026-11-01`).argParser((text) => {
    if (timeOf(text, 0) !== undefined) return text
    throw new InvalidArgumentError('Use an age such as 3d or 12h, or a date.')
  })
}

/** Throws for a path that is no folder, and for options that name other sessions than those in it. */
export async function checkFolder(
  folder: string,
  { index }: MachineOptions,
  { home, ownHome }: Terminal,
): Promise<void> {
  if (home !== ownHome || typeof index === 'string')
    throw new UsageError('a folder stands in place of --home and --index: pass one of them')
  if (!(await wrapReadError(stat(folder), folder)).isDirectory())
    throw new InputError(`${folder}: a file, not a folder: run agentfold show ${folder}`)
}

/** The sessions of a person's machine are those of that home folder. */
export function listingOptions({ home }: Pick<Terminal, 'home'>): { readonly home?: string } {
  return home === undefined ? {} : { home }
}

/** Opens the index of this machine's sessions, or that of several. `--no-index` keeps it in memory. */
export async function openIndex(
  terminal: Terminal,
  options: MachineOptions,
  exclude: readonly string[] = [],
): Promise<SessionIndex> {
  const { index } = options
  const { now, home, ownHome } = terminal
  if (typeof index !== 'string')
    return openSessionIndex({ ...localOptions(terminal, options), exclude, ...(now && { now }) })
  if (home !== ownHome)
    throw new UsageError('--home names a folder of this machine: leave it out with --index')
  const { openPostgresIndex } = await import('../../node/session-index/postgres/postgres-source.ts')
  return openPostgresIndex(index, { exclude, ...(now && { now }) })
}

/** Returns where the index of this machine is, and its sessions. */
export function localOptions(
  { home, ownHome }: Terminal,
  { index = true }: MachineOptions,
): Pick<IndexOptions, 'home' | 'path'> {
  return { ...(home !== undefined && { home }), path: index !== false && indexPath({ home }, ownHome) }
}

/** Runs work with the index of all sessions, after it is up to date. */
export async function withIndex<Value>(
  terminal: Terminal,
  options: MachineOptions,
  work: (index: SessionIndex) => Promise<Value>,
): Promise<Value> {
  const index = await openIndex(terminal, options)
  try {
    const progress = progressLine(terminal, 'read')
    await index.update({ onIssue: reportIssues(terminal), onProgress: progress.report })
    progress.clear()
    return await work(index)
  } finally {
    await index.close()
  }
}

/** Returns a line on standard error that says how much is done. */
export function progressLine(
  terminal: Terminal,
  done: 'read' | 'pushed',
): { readonly report: (count: number, all: number) => void; readonly clear: () => void } {
  let isShown = false
  return {
    report: (count, all) => {
      if (!terminal.showsProgress || all < LONG_UPDATE) return
      terminal.writeError(`${CLEAR_LINE}${count} of ${all} sessions ${done}`)
      isShown = true
    },
    clear: () => {
      if (isShown) terminal.writeError(CLEAR_LINE)
      isShown = false
    },
  }
}

/** A shorter update needs no progress line. */
const LONG_UPDATE = 50

/** In ms. A person waits that long for a list, and a larger index grows from command to command. */
const PATIENCE_MS = 2_000

/**
 * Runs work with the index if it can be up to date soon. Undefined if it cannot: then the sessions themselves answer,
 * and the index has grown by the newest of them.
 */
export async function withReadyIndex<Value>(
  terminal: Terminal,
  { forList, ...options }: MachineOptions & Pick<UpdateOptions, 'forList'>,
  work: (index: SessionIndex) => Promise<Value>,
): Promise<Value | undefined> {
  if (options.index === false) return undefined
  const index = await openIndex(terminal, options)
  try {
    const issues: ListIssue[] = []
    // A large index needs a while to load, and then has little to read.
    let start: number | undefined
    const stop = new AbortController()
    const { isComplete } = await index.update({
      ...{ signal: stop.signal, forList },
      onProgress: () => {
        start ??= performance.now()
        if (performance.now() - start > PATIENCE_MS) stop.abort()
      },
      onIssue: (issue) => issues.push(issue),
    })
    if (!isComplete) return undefined
    issues.forEach(reportIssues(terminal))
    return await work(index)
  } finally {
    await index.close()
  }
}

/** Returns a function that prints a problem of a listing as one line on standard error. Several sessions may have the same one. */
export function reportIssues(terminal: Terminal): (issue: ListIssue) => void {
  const printed = new Set<string>()
  return ({ path, reason }) => {
    const line = `agentfold: ${oneLine(`${path}: ${reason}`)}\n`
    if (!printed.has(line)) terminal.writeError(line)
    printed.add(line)
  }
}
