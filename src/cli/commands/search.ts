import { Command } from 'commander'
import type { SessionSummary } from '../../node/list/session-summary.ts'
import { readSession } from '../../node/read/read-session.ts'
import { TranscriptError } from '../../reading/input/combined.ts'
import { formatCount, plural } from '../../sinks/markdown/text/values.ts'
import { choiceOf } from '../list/summary-text.ts'
import { findMatches, type SearchMatch } from '../../node/search/matches.ts'
import { matchLine, sessionLine } from '../search/match-lines.ts'
import { type SearchPattern, searchPattern, sessionFilter } from '../../node/search/pattern.ts'
import { painter } from '../terminal/style.ts'
import { InputError, type Terminal } from '../terminal/terminal.ts'
import { oneLine, toJson } from '../terminal/text.ts'
import type { CommandMaker } from './command.ts'
import { countOption, openListing } from './list.ts'

interface SearchOptions {
  readonly limit?: number
  readonly each?: number
  readonly json?: true
}

/** `agentfold search`: the exit code is 1 if no session contains the text. */
export const searchCommand: CommandMaker = ({ terminal, execute }) =>
  new Command('search')
    .summary('search the titles, prompts, answers, tools and agents of all sessions')
    .description(
      'Searches the titles, prompts, answers, tools and agents of the sessions of this machine, or of ' +
        'those in a folder, newest first. Capitals count only if the text has some.',
    )
    .argument('<text>', 'the text; white space matches any white space')
    .argument('[folder]', 'a folder with sessions, at any depth')
    .addOption(countOption('--limit <n>', 'the greatest number of matches; the default is 100'))
    .addOption(
      countOption(
        '--each <n>',
        'the greatest number of matches of a session; the default is 5, with --json all',
      ),
    )
    .option('--json', 'print one JSON object per match')
    .action((text: string, folder: string | undefined, options: SearchOptions) =>
      execute(() => search({ text, folder }, options, terminal)),
    )

const DEFAULT_LIMIT = 100
const DEFAULT_EACH = 5

async function search(
  { text, folder }: { readonly text: string; readonly folder: string | undefined },
  { limit = DEFAULT_LIMIT, json, each = json ? Number.POSITIVE_INFINITY : DEFAULT_EACH }: SearchOptions,
  terminal: Terminal,
): Promise<number> {
  if (text.trim() === '') throw new InputError('no text to search for: pass at least one word')
  const pattern = searchPattern(text)
  const print = json ? jsonPrinter(terminal) : textPrinter(terminal)
  const found: SessionSummary[] = []
  let count = 0
  const listing = openListing(folder, terminal, { mayMatch: sessionFilter(pattern) })
  for await (const session of listing.sessions) {
    const matches = [...(await matchesOf(session, pattern, terminal))]
    const shown = matches.slice(0, Math.min(each, limit - count))
    for (const match of shown) print(session, match)
    if (shown.length > 0) found.push(session)
    count += shown.length
    if (count === limit) {
      terminal.writeError(`agentfold: ${matchesText(count)}, and maybe more: use --limit\n`)
      break
    }
    if (shown.length < matches.length)
      terminal.write(`  and ${formatCount(matches.length - shown.length)} more in this session: use --each\n`)
  }
  if (count > 0) return json ? 0 : openOne(found, terminal)
  throw new InputError(`no match in ${plural(listing.candidateCount(), 'session')}`)
}

function matchesText(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'match' : 'matches'}`
}

/** On a terminal, the person may choose a session to read. */
async function openOne(found: readonly SessionSummary[], terminal: Terminal): Promise<number> {
  if (!terminal.pick) return 0
  const place = { now: terminal.now?.() ?? Date.now(), columns: terminal.columns ?? DEFAULT_COLUMNS }
  const path = await terminal.pick(
    found.map((session) => choiceOf(session, place)),
    { message: 'Sessions with matches (Enter to read, Ctrl-C to leave)', noMatch: 'No session matches.' },
  )
  const session = found.find((one) => one.path === path)
  if (!session) return 0
  const { printSession } = await import('../show/print-session.ts')
  return printSession(session, {}, terminal)
}

/** Returns the matches of a session. A session that cannot be read is one line on standard error. */
async function matchesOf(
  session: SessionSummary,
  pattern: SearchPattern,
  terminal: Terminal,
): Promise<Iterable<SearchMatch>> {
  try {
    const { state } = await readSession(session.path)
    return findMatches({ title: session.title, state }, pattern)
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error
    terminal.writeError(`agentfold: ${oneLine(error.message)}\n`)
    return []
  }
}

type PrintMatch = (session: SessionSummary, match: SearchMatch) => void

function jsonPrinter(terminal: Terminal): PrintMatch {
  return ({ id, path, title, format }, { context, ...match }) => {
    const facts = { sessionId: id, path, format, ...(title !== undefined && { title }) }
    terminal.write(`${toJson({ ...facts, ...match, text: context.join('') })}\n`)
  }
}

/** Prints a line for each session with matches, and below it a line for each match. */
function textPrinter(terminal: Terminal): PrintMatch {
  const paint = painter(terminal.isStyled)
  const columns = terminal.columns ?? DEFAULT_COLUMNS
  const now = terminal.now?.() ?? Date.now()
  let last: SessionSummary | undefined
  return (session, match) => {
    if (session !== last)
      terminal.write(`${last ? '\n' : ''}${sessionLine(session, { paint, columns, now })}\n`)
    last = session
    terminal.write(`${matchLine(match, { paint, columns })}\n`)
  }
}

/** For a pipe, which has no width: a match and its context fit on a line. */
const DEFAULT_COLUMNS = 200
