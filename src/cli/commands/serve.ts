import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { Command, InvalidArgumentError } from 'commander'
import type { Architecture } from '../../programs/program.ts'
import type { SessionReference } from '../indexed-reference.ts'
import { type MachineOptions, machineOptions, openIndex, withIndex } from '../list/machine-index.ts'
import { readPage, readReportPage } from '../page/html-report.ts'
import { type ServedSession, serveFile, serveMachine, servePipe } from '../serve/serve-session.ts'
import { findReference, listedAt } from '../session-reference.ts'
import { InputError, type Terminal, UsageError } from '../terminal/terminal.ts'
import { type CommandMaker, formatOption, reportWaiting, SESSION_ARGUMENT } from './command.ts'
import { inputsHelp } from './inputs-help.ts'

interface ServeOptions extends MachineOptions {
  readonly port?: number
  readonly open?: true
  readonly redact?: true
  readonly format?: Architecture
}

/** `agentfold serve`: the exit code is 1 if the session cannot be read or the port is in use. */
export const serveCommand: CommandMaker = ({ terminal, execute }) =>
  machineOptions(new Command('serve'))
    .summary('show a session, or the list of all, in the browser, live')
    .description(
      'Shows a session in the browser, and follows it while it grows. Without a session, it shows the ' +
        'list of all sessions of this machine. Only this computer can open the page. Ctrl-C ends the ' +
        'command.',
    )
    .argument('[session]', SESSION_ARGUMENT)
    .option('--port <number>', `the port; the default is ${USUAL_PORT}, or any free one`, parsePort)
    .option('--open', 'open the page in the browser')
    .option('--redact', 'hide home folders, e-mail addresses and keys of common formats')
    .addOption(formatOption())
    .addHelpText('after', inputsHelp())
    .action((name: string | undefined, options: ServeOptions) =>
      execute(() => serve(name, options, terminal)),
    )

async function serve(
  name: string | undefined,
  { open, ...options }: ServeOptions,
  terminal: Terminal,
): Promise<number> {
  if (name !== undefined && typeof options.index === 'string')
    throw new UsageError('--index serves the list of all sessions: leave out the session')
  if (name === undefined && options.format !== undefined)
    throw new UsageError('--format names the format of one session: pass a session')
  const reference = name === undefined ? undefined : await findReference(name, terminal)
  const signal = terminal.interruption?.() ?? new AbortController().signal
  const session = await start(reference, options, { terminal, signal })
  terminal.write(`${session.url}\n`)
  if (session.isWaiting && reference) reportWaiting(reference.path, terminal)
  if (open) openAddress(session.url)
  const stopped: Promise<unknown> = signal.aborted ? Promise.resolve() : once(signal, 'abort')
  try {
    // The page of a pipe stays after its end, and so does a list.
    await Promise.race([session.ended.then((): Promise<unknown> => stopped), stopped])
  } finally {
    await session.close()
  }
  return 0
}

async function start(
  reference: SessionReference | undefined,
  { port, format, redact, ...options }: Omit<ServeOptions, 'open'>,
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<ServedSession> {
  const page = terminal.page ?? (await readPage())
  const report = terminal.page ?? (await readReportPage())
  const ports = port === undefined ? [USUAL_PORT, 0] : [port]
  try {
    if (!reference) {
      const { home, now } = terminal
      const isOfTeam = typeof options.index === 'string'
      const openMachineIndex = () => openIndex(terminal, options)
      // A database that cannot be used is an error here, and not on the page.
      if (isOfTeam) await withIndex(terminal, options, async () => {})
      return await serveMachine({
        ...{ page, report, ports, redact, signal, home, now },
        openIndex: openMachineIndex,
        isOfTeam,
      })
    }
    const { path } = reference
    if (path === '-') return await servePipe(terminal.stdin, { page, report, ports, format, redact })
    const listed = await listedAt(path)
    const title = reference.title ?? listed?.title
    const { now } = terminal
    const { updatedAt } = listed ?? {}
    return await serveFile(path, { page, report, ports, redact, signal, now, title, updatedAt })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const reason = PORT_ERRORS[code]
    if (reason === undefined) throw error
    throw new InputError(`port ${port} ${reason}: pass another --port, or none`, { cause: error })
  }
}

/** The reasons of the system for refusing a port. */
const PORT_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use',
  EACCES: 'needs more rights',
}

/** A browser keeps settings, saved searches and the leave for notifications for each port. */
const USUAL_PORT = 43_417

function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('Use a number from 0 to 65535.')
}

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
}

/** Opens the address in the browser. Without a browser nothing happens: the address is on the terminal. */
function openAddress(url: string): void {
  const [program, ...options] = OPENERS[process.platform] ?? ['xdg-open']
  const opener = spawn(program, [...options, url], { stdio: 'ignore', detached: true })
  opener.on('error', () => {})
  opener.unref()
}
