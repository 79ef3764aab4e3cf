import { basename } from 'node:path'
import { Command, Option } from 'commander'
import { timeInMs } from '../../core/json/lists.ts'
import type { SessionSummary } from '../../node/list/session-summary.ts'
import { isUnfiltered, type MatchFilter, SEARCH_ROLES, type SearchMatch } from '../../node/search.ts'
import { requiredTime } from '../../node/session-index/session-filter.ts'
import {
  foundMatch,
  type SessionIndex,
  type SessionMatches,
} from '../../node/session-index/session-questions.ts'
import { formatCount, plural } from '../../sinks/markdown/text/values.ts'
import { indexedReference } from '../indexed-reference.ts'
import type { SearchedSessions, SearchPlace } from '../list/file-matches.ts'
import {
  checkFolder,
  type MachineOptions,
  machineOptions,
  timeOptions,
  withReadyIndex,
} from '../list/machine-index.ts'
import { relativeTime, titleOf } from '../list/summary-text.ts'
import { type Paint, painter } from '../terminal/style.ts'
import { InputError, type Terminal, UsageError, widthsFor } from '../terminal/terminal.ts'
import { oneLine, partOfLine, toJson } from '../terminal/text.ts'
import type { Widths } from '../terminal/width.ts'
import type { CommandMaker } from './command.ts'
import { countOption } from './list.ts'

interface SearchOptions extends MachineOptions, MatchFilter {
  readonly limit?: number
  readonly each?: number
  readonly json?: true
  readonly since?: string
  readonly until?: string
}

/** `agentfold search`: the exit code is 1 if no session contains the text. */
export const searchCommand: CommandMaker = ({ terminal, execute }) =>
  timeOptions(
    machineOptions(new Command('search')),
    'search what was written since a time',
    'and before another',
  )
    .summary('search the titles, prompts, answers, tools and agents of all sessions')
    .description(
      'Searches the titles, prompts, answers, tools and agents of the sessions of this machine, or of ' +
        'those in a folder, newest first. Capitals count only if the text has some.',
    )
    .argument(
      '[text]',
      'the text; white space matches any white space. --tool, --file, --input, --role or --failed may stand in its place',
    )
    .argument('[folder]', 'a folder with sessions, at any depth')
    .option('--tool <name>', 'search the calls of a tool, by its name or kind: command, edit, read, …')
    .option('--file <path>', 'search the calls that name a file, or a part of its path')
    .option('--input <text>', 'search the calls whose input has a text: a command, a pattern, an address')
    .addOption(
      new Option('--role <role>', 'search what that role wrote; tool has calls and results').choices(
        SEARCH_ROLES,
      ),
    )
    .option('--failed', 'search the failed calls and the errors')
    .addOption(countOption('--limit <n>', 'the greatest number of matches; the default is 100'))
    .addOption(
      countOption(
        '--each <n>',
        'the greatest number of matches of a session; the default is 5, with --json all',
      ),
    )
    .option('--json', 'print one JSON object per match')
    .addHelpText(
      'after',
      [
        '\nexamples:',
        '  agentfold search "rate limit"',
        '  agentfold search --tool command --file src/tea.ts',
        '  agentfold search "not found" --input "npm test"',
        '  agentfold search --failed --json',
      ].join('\n'),
    )
    .action((text: string | undefined, folder: string | undefined, options: SearchOptions) =>
      execute(() => search({ text: text ?? '', folder }, options, terminal)),
    )

const DEFAULT_LIMIT = 100
const DEFAULT_EACH = 5

async function search(place: SearchPlace, options: SearchOptions, terminal: Terminal): Promise<number> {
  if (place.text.trim() === '' && isUnfiltered(options))
    throw new UsageError(
      'no text to search for: pass at least one word, or --tool, --file, --input, --role or --failed',
    )
  if (place.folder !== undefined) await checkFolder(place.folder, options, terminal)
  const indexed =
    place.folder === undefined
      ? await withReadyIndex(terminal, options, (index) =>
          printMatches(options, terminal, indexedSessions(index, place.text, options)),
        )
      : undefined
  if (indexed !== undefined) return indexed
  const { matchesInFiles } = await import('../list/file-matches.ts')
  return printMatches(options, terminal, matchesInFiles(place, options, terminal))
}

function indexedSessions(
  index: SessionIndex,
  text: string,
  { index: address, ...filter }: SearchOptions,
): SearchedSessions {
  return {
    sessions: index.matches(text, filter),
    count: async () => plural(await index.count(), 'session'),
    ...(typeof address === 'string' && { read: (session) => indexedReference(session, index) }),
  }
}

async function printMatches(
  options: SearchOptions,
  terminal: Terminal,
  searched: SearchedSessions,
): Promise<number> {
  const { limit = DEFAULT_LIMIT, json, each = json ? Number.POSITIVE_INFINITY : DEFAULT_EACH } = options
  const print = json ? jsonPrinter(terminal) : textPrinter(terminal)
  const found: SessionSummary[] = []
  let count = 0
  for await (const { session, matches } of writtenBetween(searched.sessions, options, terminal)) {
    const shown = matches.slice(0, Math.min(each, limit - count))
    if (shown.length > 0) {
      await print(session, shown)
      found.push(session)
    }
    count += shown.length
    if (count === limit) {
      terminal.writeError(`agentfold: ${matchesText(count)}, and maybe more: use --limit\n`)
      break
    }
    const more = matches.length - shown.length
    if (more > 0 && !json) terminal.write(`  and ${formatCount(more)} more in this session: use --each\n`)
  }
  if (count > 0) return json ? 0 : openOne(found, searched.read, terminal)
  throw new InputError(`no match in ${await searched.count()}`)
}

/** The sessions come newest first, so the first older one ends them. A place without a time has that of its session. */
async function* writtenBetween(
  sessions: AsyncIterable<SessionMatches>,
  { since, until }: SearchOptions,
  terminal: Terminal,
): AsyncGenerator<SessionMatches, void> {
  const now = terminal.now?.() ?? Date.now()
  const from = since === undefined ? Number.NEGATIVE_INFINITY : requiredTime(since, now, 'since')
  const to = until === undefined ? Number.POSITIVE_INFINITY : requiredTime(until, now, 'until')
  for await (const { session, matches } of sessions) {
    if (timeInMs(session.updatedAt) < from) return
    const written = matches.filter(({ timestamp = session.updatedAt }) => {
      const at = timeInMs(timestamp)
      return !(at < from) && !(at >= to)
    })
    if (written.length > 0) yield { session, matches: written }
  }
}

function matchesText(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'match' : 'matches'}`
}

/** On a terminal, the person may choose a session to read. */
async function openOne(
  found: readonly SessionSummary[],
  read: SearchedSessions['read'] = (session) => session,
  terminal: Terminal,
): Promise<number> {
  if (!terminal.pick) return 0
  const { choiceOf } = await import('../list/choice.ts')
  const place = { now: terminal.now?.() ?? Date.now(), columns: terminal.columns ?? DEFAULT_COLUMNS }
  const path = await terminal.pick(
    found.map((session) => choiceOf(session, place)),
    { message: 'Sessions with matches (Enter to read, Esc to leave)', noMatch: 'No session matches.' },
  )
  const session = found.find((one) => one.path === path)
  if (!session) return 0
  const { printSession } = await import('../show/print-session.ts')
  return printSession(read(session), {}, terminal)
}

type PrintMatches = (session: SessionSummary, matches: readonly SearchMatch[]) => Promise<void>

function jsonPrinter(terminal: Terminal): PrintMatches {
  return async (session, matches) => {
    for (const match of matches) terminal.write(`${toJson(foundMatch(session, match))}\n`)
  }
}

/** Prints a line for each session with matches, and below it a line for each match. */
function textPrinter(terminal: Terminal): PrintMatches {
  const paint = painter(terminal.isStyled)
  const columns = terminal.columns ?? DEFAULT_COLUMNS
  const now = terminal.now?.() ?? Date.now()
  let isFirst = true
  return async (session, matches) => {
    const widths = await widthsFor(shownTexts(session, matches))
    const view = { paint, columns, now, widths }
    terminal.write(`${isFirst ? '' : '\n'}${sessionLine(session, view)}\n`)
    isFirst = false
    for (const match of matches) terminal.write(`${matchLine(match, view)}\n`)
  }
}

/** The width of a pipe, which states none: a match and its context fit on a line. */
const DEFAULT_COLUMNS = 200

/** How to print matches. The widths are those of `shownTexts`. */
interface MatchView {
  readonly paint: Paint
  readonly columns: number
  readonly widths: Widths
}

/** Yields the texts of the lines about a session and its matches. */
function* shownTexts(session: SessionSummary, matches: readonly SearchMatch[]): Generator<string, void> {
  yield titleOf(session)
  yield oneLine(`${basename(session.cwd ?? '')}${session.id}`)
  for (const { agent = '', timestamp = '', context } of matches)
    for (const text of [agent, timestamp, ...context]) yield partOfLine(text)
}

/** Returns a line about a session with matches. */
export function sessionLine(
  session: SessionSummary,
  { paint, columns, now, widths }: MatchView & { readonly now: number },
): string {
  const { cut, widthOf } = widths
  const facts = [
    relativeTime(session.updatedAt, now),
    oneLine(basename(session.cwd ?? '')),
    oneLine(session.id),
  ]
  const known = facts.filter((fact) => fact !== '').join(' · ')
  // The id is what `agentfold show` takes, so it stays whole.
  const title = cut(titleOf(session), Math.max(20, columns - widthOf(known) - 3))
  return `${paint(title, 'bold')} ${paint(`· ${known}`, 'dim')}`
}

/** Returns a line with the place of a match, and the match in its context. */
export function matchLine(
  { kind, agent, timestamp, context }: SearchMatch,
  { paint, columns, widths }: MatchView,
): string {
  const { cut, widthOf } = widths
  const time = timestamp === undefined ? '' : timestamp.slice(0, 16).replace('T', ' ')
  const place = [oneLine(time), agent === undefined ? 'main' : cut(oneLine(agent), MAX_AGENT), kind]
  const label = `  ${place.filter((part) => part !== '').join(' ')}: `
  const match = partOfLine(context[1])
  const space = Math.max(20, columns - widthOf(label) - widthOf(match))
  const left = startCut(partOfLine(context[0]), Math.floor(space / 3), widthOf)
  const right = cut(partOfLine(context[2]), Math.max(1, space - widthOf(left)))
  return `${paint(label, 'dim')}${left}${paint(match, 'yellow', 'bold')}${right}`
}

const MAX_AGENT = 24

/** Cuts a text at its start. */
function startCut(text: string, width: number, widthOf: Widths['widthOf']): string {
  if (widthOf(text) <= width) return text
  const characters = [...text]
  while (characters.length > 0 && widthOf(characters.join('')) > width - 1) characters.shift()
  return `…${characters.join('')}`
}
