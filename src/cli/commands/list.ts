import { stat } from 'node:fs/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { databaseOf } from '../../node/files/database-path.ts'
import { wrapReadError } from '../../node/files/read-error.ts'
import { listSessions } from '../../node/list/list-sessions.ts'
import { environmentOf } from '../../node/list/listing.ts'
import type { ListIssue, SessionSummary } from '../../node/list/session-summary.ts'
import { allPrograms } from '../../programs/all.ts'
import { plural } from '../../sinks/markdown/text/values.ts'
import { choiceOf, tabbedLine } from '../list/summary-text.ts'
import { listingOptions } from '../session-reference.ts'
import { printSession } from '../show/print-session.ts'
import { type Choice, InputError, type PickerTexts, type Terminal } from '../terminal/terminal.ts'
import { oneLine, toJson } from '../terminal/text.ts'
import { type CommandMaker, INTERRUPTED } from './command.ts'

interface ListCommandOptions {
  readonly limit?: number
  readonly all?: true
  readonly json?: true
}

/** `agentfold list`, and `agentfold` alone: the exit code is 1 if there is no session. */
export const listCommand: CommandMaker = ({ terminal, execute }) =>
  new Command('list')
    .summary('list the newest sessions; agentfold alone does the same')
    .description(
      'Lists the newest sessions of this machine, or those in a folder. On a terminal, choose one to read it. In a pipe, each session is a line with tabs: id, time of the last change, program, folder, model, tokens of main, agents and title.',
    )
    .argument('[folder]', 'a folder with sessions, at any depth')
    .addOption(countOption('--limit <n>', 'the greatest number of sessions; the default is 20'))
    .addOption(new Option('--all', 'list all sessions').conflicts('limit'))
    .option('--json', 'print one JSON object per line')
    .action((folder: string | undefined, options: ListCommandOptions) =>
      execute(() => listIn(folder, options, terminal)),
    )

/** Returns an option that takes a whole number from 1. */
export function countOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => {
    const count = Number(text)
    if (!Number.isSafeInteger(count) || count < 1)
      throw new InvalidArgumentError('Use a whole number from 1.')
    return count
  })
}

const DEFAULT_LIMIT = 20

/** Lists the sessions in a folder, or without one those of this machine. */
export async function listIn(
  folder: string | undefined,
  { limit, all, json }: ListCommandOptions,
  terminal: Terminal,
): Promise<number> {
  if (folder !== undefined && !(await wrapReadError(stat(folder), folder)).isDirectory())
    throw new InputError(`${folder}: a file, not a folder: run agentfold show ${folder}`)
  const sessions = listSessions({
    ...(folder === undefined ? listingOptions(terminal) : { roots: [folder] }),
    limit: limit ?? (all ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT),
    onIssue: reportIssues(terminal),
  })
  if (!json && terminal.pick)
    return pickOne(sessions, { folder, limit: all ? undefined : (limit ?? DEFAULT_LIMIT) }, terminal)
  let count = 0
  for await (const session of sessions) {
    count += 1
    terminal.write(`${json ? toJson(session) : tabbedLine(session)}\n`)
  }
  if (count === 0) throw noSessions(folder, terminal)
  return 0
}

/** Returns a function that prints a problem of a listing as one line on standard error. */
export function reportIssues(terminal: Terminal): (issue: ListIssue) => void {
  return ({ path, reason }) => {
    terminal.writeError(`agentfold: ${oneLine(`${path}: ${reason}`)}\n`)
  }
}

async function pickOne(
  sessions: AsyncIterable<SessionSummary>,
  { folder, limit }: { readonly folder: string | undefined; readonly limit: number | undefined },
  terminal: Terminal,
): Promise<number> {
  const found: SessionSummary[] = []
  const choices: Choice[] = []
  const place = { now: terminal.now?.() ?? Date.now(), columns: terminal.columns ?? 80 }
  for await (const session of sessions) {
    found.push(session)
    choices.push(choiceOf(session, place))
  }
  if (choices.length === 0) throw noSessions(folder, terminal)
  const path = await terminal.pick?.(choices, pickerTexts(choices.length, limit))
  const session = found.find((each) => each.path === path)
  return session ? printSession(session, {}, terminal) : INTERRUPTED
}

/** A list at its limit is probably not whole, so the picker says what it filters. */
function pickerTexts(count: number, limit: number | undefined): PickerTexts {
  if (count !== limit) return { message: 'Sessions (type to filter)', noMatch: 'No session matches.' }
  return {
    message: `The ${plural(count, 'newest session')} (type to filter)`,
    noMatch: `None of the ${plural(count, 'newest session')} matches: use agentfold list --all, or agentfold search.`,
  }
}

function noSessions(folder: string | undefined, terminal: Terminal): InputError {
  if (folder !== undefined)
    return new InputError(`no sessions in ${folder}: pass another folder, or a file to agentfold show`)
  const places = sessionPlaces(terminal.home).join(', ')
  return new InputError(`no sessions in ${places}: pass a folder, or a file to agentfold show`)
}

/** Returns the folders and databases in which the programs of this machine keep their sessions. */
export function sessionPlaces(home: string | undefined): readonly string[] {
  const environment = environmentOf(home)
  return allPrograms().flatMap((program) => {
    const folders = program.storage?.folders(environment).map(({ path }) => path) ?? []
    const database = databaseOf(program, environment)
    return database === undefined ? folders : [...folders, database]
  })
}
