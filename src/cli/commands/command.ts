import { type Command, InvalidArgumentError, Option } from 'commander'
import { overflowMessage } from '../../node/files/read-error.ts'
import { SessionIndexError } from '../../node/session-index/postgres/index-error.ts'
import { allPrograms, programCalled, programOf } from '../../programs/all.ts'
import type { Architecture } from '../../programs/program.ts'
import { TranscriptError } from '../../reading/input/combined.ts'
import { architectureNamed, architectures } from '../../wires/names.ts'
import { InputError, type Terminal } from '../terminal/terminal.ts'
import { oneLine } from '../terminal/text.ts'

/** The exit code of a command that the person ended by Ctrl-C: 128 and the number of the signal. */
export const INTERRUPTED = 130

/**
 * One command of the command line. A file of this folder makes one, and `all.ts` lists it. It returns the command
 * with its arguments, its help and its action. The action passes its work to `execute`.
 */
export type CommandMaker = (context: CommandContext) => Command

/** The terminal of a command, and the runner of its work. */
interface CommandContext {
  readonly terminal: Terminal
  /**
   * Runs the work of a command and keeps the exit code that it returns. An error of the input becomes one line on
   * standard error, and a line for each session to choose from. The exit code is `failure` then. Any other error is a
   * bug, and is thrown.
   */
  execute(work: () => Promise<number>, failure?: number): Promise<void>
}

/** Runs a command's work and returns its exit code. See `CommandContext.execute`. */
export async function reportInputErrors(
  work: () => Promise<number>,
  failure: number,
  terminal: Terminal,
): Promise<number> {
  try {
    return await work()
  } catch (error) {
    const message = await inputErrorMessage(error)
    if (message === undefined) throw error
    terminal.writeError(`agentfold: ${message}\n`)
    return failure
  }
}

/** Says that a followed file has no session yet, because a person may have named the wrong file. */
export function reportWaiting(path: string, terminal: Terminal): void {
  terminal.writeError(`agentfold: ${oneLine(path)}: no session in it yet, waiting for one\n`)
}

/**
 * Returns the message of an error that an input causes; undefined for other errors. It is one line, or a line and the
 * sessions below it.
 */
async function inputErrorMessage(error: unknown): Promise<string | undefined> {
  if (error instanceof TranscriptError && error.sessions) {
    const { sessionChoices } = await import('../list/several-sessions.ts')
    return sessionChoices(error, error.sessions)
  }
  if (error instanceof SessionIndexError) return oneLine(`${error.message} (${error.code})`)
  const isInputError = error instanceof TranscriptError || error instanceof InputError
  const message = isInputError ? error.message : overflowMessage(error)
  return message === undefined ? undefined : oneLine(message)
}

/** Describes the argument that `findReference` reads. */
export const SESSION_ARGUMENT =
  'the id of a session, the beginning of an id, a file, a folder, or - for a pipe'

/** The values of options that take others too, for a completion. */
const suggestions = new WeakMap<Option, readonly string[]>()

/** Returns the option, with values that a completion shows. */
function suggestValues(option: Option, values: readonly string[]): Option {
  suggestions.set(option, values)
  return option
}

/** Returns the values that a completion shows for an option. */
export function suggestedValues(option: Option): readonly string[] {
  return option.argChoices ?? suggestions.get(option) ?? []
}

/** Returns the option that asks for the sessions of one program, by any of its names, or of one format. */
export function programOption(description: string): Option {
  const option = new Option('--program <name>', description).argParser((name) => {
    if (isProgram(name)) return name
    throw new InvalidArgumentError(`Use one of ${programNames().join(', ')}.`)
  })
  return suggestValues(option, programNames())
}

/** Returns a name of each program. */
export function programNames(): readonly string[] {
  return allPrograms().flatMap(({ names: [name] }) => name ?? [])
}

/** Whether a program or a format has that name. */
export function isProgram(name: string): boolean {
  return (programCalled(name) ?? programOf(name) ?? architectureNamed(name.toLowerCase())) !== undefined
}

/** Returns the option that names the format of an input. */
export function formatOption(): Option {
  const option = new Option(
    '--format <name>',
    `${architectures()}; needed only if the content does not show it`,
  )
  return suggestValues(option.argParser(parseFormat), architectures().split(/, | or /))
}

function parseFormat(name: string): Architecture {
  const architecture = architectureNamed(name.toLowerCase())
  if (architecture) return architecture
  throw new InvalidArgumentError(`Use ${architectures()}.`)
}

/** Adds the option that looks for sessions in other home folders. */
export function homeOption(command: Command): Command {
  return command.option(
    '--home <folder>',
    'another home folder, or several with commas; variables do not count then',
  )
}

/**
 * Adds `--home` to each command that looks for sessions, and the options about colours, which every command has. Without
 * these, the environment decides: `NO_COLOR`, `FORCE_COLOR`, and whether the output is a terminal.
 */
export function sharedOptions(command: Command): Command {
  const takesSession = command.registeredArguments.some(({ description }) =>
    description.endsWith(SESSION_ARGUMENT),
  )
  const listsSessions = command.options.some(({ long }) => long === '--no-index')
  if (takesSession || listsSessions) homeOption(command)
  const when = new Option('--color [when]', 'when to print colours (--color alone is always)').preset(
    'always',
  )
  // The value follows `=` alone, because the next word is an argument.
  when.flags = '--color[=when]'
  return command.addOption(when.choices(['always', 'never', 'auto'])).option('--no-color', 'print no colours')
}
