import { Command } from 'commander'
import { listSessions } from '../../node/list/list-sessions.ts'
import type { SessionSummary } from '../../node/list/session-summary.ts'
import { readSession } from '../../node/read/read-session.ts'
import { TranscriptError } from '../../session/input/combined.ts'
import { plural } from '../../sinks/markdown/text/values.ts'
import { findMatches, type SearchMatch } from '../search/find-matches.ts'
import { matchLine, sessionLine } from '../search/match-text.ts'
import { mayContain, type SearchPattern, searchPattern } from '../search/pattern.ts'
import { listingOptions } from '../session-reference.ts'
import { painter } from '../terminal/style.ts'
import { InputError, type Terminal } from '../terminal/terminal.ts'
import { oneLine, toJson } from '../terminal/text.ts'
import type { CommandMaker } from './command.ts'
import { countOption, reportIssues } from './list.ts'

interface SearchOptions {
  readonly limit?: number
  readonly json?: true
}

/** `agentfold search`: the exit code is 1 if no session contains the text. */
export const searchCommand: CommandMaker = ({ terminal, execute }) =>
  new Command('search')
    .summary('search the titles, prompts, answers, tools and agents of all sessions')
    .description(
      'Searches the titles, prompts, answers, tools and agents of the sessions of this machine, or of those in a folder, newest first. Capitals count only if the text has some.',
    )
    .argument('<text>', 'the text; white space matches any white space')
    .argument('[folder]', 'a folder with sessions, at any depth')
    .addOption(countOption('--limit <n>', 'the greatest number of matches; the default is 100'))
    .option('--json', 'print one JSON object per match')
    .action((text: string, folder: string | undefined, options: SearchOptions) =>
      execute(() => search({ text, folder }, options, terminal)),
    )

const DEFAULT_LIMIT = 100

async function search(
  { text, folder }: { readonly text: string; readonly folder: string | undefined },
  { limit = DEFAULT_LIMIT, json }: SearchOptions,
  terminal: Terminal,
): Promise<number> {
  if (text.trim() === '') throw new InputError('no text to search for: pass at least one word')
  const pattern = searchPattern(text)
  const print = json ? jsonPrinter(terminal) : textPrinter(terminal)
  let count = 0
  let sessions = 0
  for await (const session of listSessions({
    ...(folder === undefined ? listingOptions(terminal) : { roots: [folder] }),
    onIssue: reportIssues(terminal),
  })) {
    sessions += 1
    for (const match of await matchesOf(session, pattern, terminal)) {
      print(session, match)
      count += 1
      if (count < limit) continue
      terminal.writeError(
        `agentfold: ${plural(count, 'match').replace('matchs', 'matches')}, and maybe more: use --limit\n`,
      )
      return 0
    }
  }
  if (count > 0) return 0
  throw new InputError(`no match in ${plural(sessions, 'session')}`)
}

/** Returns the matches of a session. A session that cannot be read is one line on standard error. */
async function matchesOf(
  session: SessionSummary,
  pattern: SearchPattern,
  terminal: Terminal,
): Promise<Iterable<SearchMatch>> {
  try {
    if (!(await mayContain(session.path, pattern))) return []
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
