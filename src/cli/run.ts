import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command, CommanderError, type Option } from 'commander'
import { version } from '../../package.json'
import { type CommandMaker, reportInputErrors, sharedOptions } from './commands/command.ts'
import { type TerminalOptions, withOptions } from './terminal/style.ts'
import { DEFAULT_COLUMNS, InputError, type Terminal, UsageError } from './terminal/terminal.ts'
import { oneLine } from './terminal/text.ts'

export type { Terminal } from './terminal/terminal.ts'

const PROGRAM = 'agentfold'

/** The exit code of wrong usage. */
const WRONG_USAGE = 2

/**
 * Runs the command and returns its exit code: 0 if it did its work, 1 if an input cannot be read, is empty or is not
 * a transcript, and 2 for wrong usage. `parity` differs: 1 if the sides differ, and 2 if a side cannot be read or is
 * empty.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode = 0
  const words = commandOf(args)
  const program = createProgram(await loadCommands(words), terminal, (code) => {
    exitCode = code
  })
  // A person who named no command sees the usage of all of them.
  if (words[0] !== args[0]) program.commands.at(0)?.showHelpAfterError(usageOf(program))
  try {
    reportPath(program, args)
    await program.parseAsync(withColourValues(words), { from: 'user' })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? 0 : WRONG_USAGE
  }
}

/** Returns the arguments with a command. Without one, agentfold lists the sessions; `help <command>` is `<command> --help`. */
function commandOf(args: readonly string[]): readonly string[] {
  const [first, topic] = args
  if (first === 'help') {
    if (topic === undefined) return ['--help']
    return COMMANDS.has(topic) ? [topic, '--help'] : [topic]
  }
  if (first === '-V') return ['--version']
  if (first !== undefined && (!/^-./.test(first) || /^(-h|--help|-v|--version)$/.test(first))) return args
  return ['list', ...args]
}

/** Loads the command that the arguments begin with. Help, errors and completion need all of them, and the version needs none. */
async function loadCommands([first = '']: readonly string[]): Promise<readonly CommandMaker[]> {
  if (/^(-v|--version)$/.test(first)) return []
  const load = COMMANDS.get(first)
  return load && first !== 'completion'
    ? [await load()]
    : Promise.all([...COMMANDS.values()].map((each) => each()))
}

/** The value of `--color` follows `=`. Without this, the next argument would be its value: `--color <session>`. */
function withColourValues(args: readonly string[]): readonly string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  return args.map((arg, at) => (arg === '--color' && at < end ? '--color=always' : arg))
}

/** A path or an id in place of a command is an error that names the command to use. */
function reportPath(program: Command, [first = '-']: readonly string[]): void {
  if (COMMANDS.has(first) || first === 'help' || first.startsWith('-')) return
  const thing = existsSync(first)
    ? 'that file or folder'
    : isIdLike(first)
      ? 'a session by its id'
      : undefined
  if (thing) program.error(`unknown command '${first}': to read ${thing}, run agentfold show ${first}`)
}

/** The ids of all programs have digits, and no command has one. */
function isIdLike(name: string): boolean {
  return /^[\w-]*\d[\w-]*$/.test(name)
}

function createProgram(
  makers: readonly CommandMaker[],
  terminal: Terminal,
  setExitCode: (code: number) => void,
): Command {
  const program = configure(new Command(PROGRAM), terminal)
    .description('Lists, shows, follows, searches and compares the sessions of coding agents.')
    .version(version, '-v, --version', 'print the version of agentfold')
    .helpCommand(false)
    .addHelpText('after', '\nRun `agentfold <command> --help` for the options of a command.')
  let options: TerminalOptions = {}
  program.hook('preAction', (_, command) => {
    options = command.opts<TerminalOptions>()
    refuseEmptyValues(command)
  })
  for (const make of makers) {
    const command: Command = make({
      terminal: withOptions(terminal, () => options),
      execute: async (work, failure = 1) => {
        try {
          const onHomes = async () => {
            if (options.home !== undefined) options = { ...options, home: await absoluteHomes(options.home) }
            return work()
          }
          setExitCode(await reportInputErrors(onHomes, failure, terminal))
        } catch (error) {
          if (!(error instanceof UsageError)) throw error
          command.error(error.message)
        }
      },
    })
    program.addCommand(ignoreCapitals(sharedOptions(configure(command, terminal))))
  }
  // Its usage names commands only now.
  return program.showHelpAfterError(usageOf(program))
}

/** An empty value is a variable of a script that nobody has set, and never an answer. */
function refuseEmptyValues(command: Command): void {
  const isEmpty = (option: Option) => {
    const value: unknown = command.getOptionValue(option.attributeName())
    return option.required && (Array.isArray(value) ? value.includes('') : value === '')
  }
  const empty = command.options.find(isEmpty)
  if (empty) command.error(`error: option '${empty.flags}' needs a value, and got an empty one`)
}

/** Returns the home folders as absolute paths. A missing one would be a list without its sessions. */
async function absoluteHomes(text: string): Promise<string> {
  const { homesOf } = await import('../node/list/program-places.ts')
  const homes = homesOf(text).flatMap((home) => (home === undefined ? [] : resolve(home)))
  const missing = homes.find((home) => !existsSync(home))
  if (missing !== undefined || homes.length === 0)
    throw new InputError(`--home: ${missing ?? text}: no such folder`)
  return homes.join(',')
}

/** Capitals do not count in the values that an option lists. */
function ignoreCapitals(command: Command): Command {
  for (const option of command.options) {
    const { argChoices, parseArg } = option
    const listed = (value: string) =>
      argChoices?.find((choice) => choice.toLowerCase() === value.toLowerCase()) ?? value
    if (argChoices && parseArg) option.parseArg = (value, previous) => parseArg(listed(value), previous)
  }
  return command
}

/** Leads the output of a command to the terminal. Errors and help throw a `CommanderError` in place of ending the process. */
function configure(command: Command, terminal: Terminal): Command {
  const width = () => terminal.columns ?? DEFAULT_COLUMNS
  return command
    .exitOverride()
    .helpOption('-h, --help', 'print this help')
    .configureHelp({ styleTitle: (title) => title.toLowerCase(), optionDescription })
    .configureOutput({
      writeOut: (text) => terminal.write(text),
      writeErr: (text) => terminal.writeError(text),
      outputError: (text, write) => write(`agentfold: ${oneLine(text.replace(/^error: /, ''))}\n`),
      getOutHelpWidth: width,
      getErrHelpWidth: width,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showHelpAfterError(usageOf(command))
}

/** Lists the values that an option takes. A default is in its description. */
function optionDescription({ description, argChoices }: Option): string {
  return argChoices ? `${description}: ${argChoices.join(', ')}` : description
}

function usageOf(command: Command): string {
  const name = command.name() === PROGRAM ? PROGRAM : `${PROGRAM} ${command.name()}`
  return `\nusage: ${name} ${command.usage()}\nRun \`${name} --help\` for more.`
}

/** Loads each command by its name, in the order of the help. A command starts sooner without the code of the others. */
const COMMANDS: ReadonlyMap<string, () => Promise<CommandMaker>> = new Map([
  ['list', async () => (await import('./commands/list.ts')).listCommand],
  ['show', async () => (await import('./commands/show.ts')).showCommand],
  ['follow', async () => (await import('./commands/follow.ts')).followCommand],
  ['search', async () => (await import('./commands/search.ts')).searchCommand],
  ['stats', async () => (await import('./commands/stats.ts')).statsCommand],
  ['cost', async () => (await import('./commands/cost.ts')).costCommand],
  ['export', async () => (await import('./commands/export.ts')).exportCommand],
  ['index', async () => (await import('./commands/index-sessions.ts')).indexCommand],
  ['serve', async () => (await import('./commands/serve.ts')).serveCommand],
  ['replay', async () => (await import('./commands/replay.ts')).replayCommand],
  ['parity', async () => (await import('./commands/parity.ts')).parityCommand],
  ['identify', async () => (await import('./commands/identify.ts')).identifyCommand],
  ['continue', async () => (await import('./commands/continue.ts')).continueCommand],
  ['scrub', async () => (await import('./commands/scrub.ts')).scrubCommand],
  ['mcp', async () => (await import('./commands/mcp.ts')).mcpCommand],
  ['completion', async () => (await import('./commands/completion.ts')).completionCommand],
])
