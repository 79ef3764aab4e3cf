import { stat } from 'node:fs/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { isSessionOfAny } from '../../node/list/listing.ts'
import { TranscriptError } from '../../reading/input/combined.ts'
import { indexOption, type MachineOptions, withIndex } from '../list/machine-index.ts'
import { findIndexed, findReference } from '../session-reference.ts'
import { printSession, type ShowOptions } from '../show/print-session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type CommandMaker, formatOption, SESSION_ARGUMENT } from './command.ts'
import { inputsHelp } from './inputs-help.ts'
import { countOption, listIn } from './list.ts'

/** `agentfold show`: the exit code is 1 if there is no such session, or if it cannot be read. */
export const showCommand: CommandMaker = ({ terminal, execute }) =>
  new Command('show')
    .summary('show a conversation as people read it')
    .description('Shows a conversation as people read it, with its tools, and its agents at their places.')
    .argument('<session>', SESSION_ARGUMENT)
    .option('--agent <id>', 'show one agent, with the agents below it')
    .addOption(countOption('--tail <n>', 'show only the last blocks of the conversation'))
    .option('--full', 'show all of every text; without it, inputs and outputs of tools are shortened')
    .addOption(new Option('--markdown', 'print a Markdown document').conflicts('tail'))
    .addOption(
      new Option('--json', 'print the state as JSON, with the issues of the input').conflicts([
        'markdown',
        'tail',
      ]),
    )
    .addOption(
      new Option('--html <file>', 'write one HTML file that opens without a network')
        .argParser(parseFile)
        .conflicts(['markdown', 'agent', 'json', 'tail']),
    )
    .option('--redact', 'hide home folders, e-mail addresses and keys of common formats')
    .addOption(indexOption().conflicts('format'))
    .addOption(formatOption())
    .addHelpText('after', inputsHelp())
    .action((name: string, options: ShowCommandOptions) => execute(() => show(name, options, terminal)))

interface ShowCommandOptions extends ShowOptions, Pick<MachineOptions, 'index'> {}

/** An option after `--html` is no name: the person forgot the name, and a `--redact` must not be lost. */
function parseFile(name: string): string {
  if (name !== '' && !name.startsWith('-')) return name
  throw new InvalidArgumentError('Use the name of the file to write.')
}

async function show(
  name: string,
  { index: address, ...options }: ShowCommandOptions,
  terminal: Terminal,
): Promise<number> {
  if (address !== undefined)
    return withIndex(terminal, { index: address }, async (index) =>
      printSession(await findIndexed(name, index), options, terminal),
    )
  const reference = await findReference(name, terminal)
  try {
    return await printSession(reference, options, terminal)
  } catch (error) {
    // A database has no folder to list, and its error names the newest sessions. Recorded streams are in no list.
    const paths = error instanceof TranscriptError ? (error.sessions ?? []) : []
    const { html, markdown, agent, json } = options
    const isChosen = html ?? markdown ?? agent ?? json
    if (isChosen !== undefined || !paths.some(isSessionOfAny) || !(await isFolder(reference.path)))
      throw error
    return listIn(reference.path, { all: true }, terminal)
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path)).isDirectory()
}
