import { Command, InvalidArgumentError, Option } from 'commander'
import { omitUndefined } from '../../core/json/fields.ts'
import { SESSION_STATUSES } from '../../core/selectors/status.ts'
import type { SessionSummary } from '../../node/list/session-summary.ts'
import type { SessionQuery } from '../../node/session-index/session-filter.ts'
import type { SessionIndex } from '../../node/session-index/session-questions.ts'
import type { SessionRow } from '../../node/session-index/session-row.ts'
import { formatCount, formatDuration, plural } from '../../sinks/markdown/text/values.ts'
import { indexedReference, type SessionReference } from '../indexed-reference.ts'
import {
  durationMs,
  isFilter,
  matchingSessions,
  rawPartOf,
  reportNone,
  type SessionFilter,
  SORT_KEYS,
  type SortKey,
  sortedSessions,
} from '../list/filter.ts'
import {
  checkFolder,
  type MachineOptions,
  machineOptions,
  reportIssues,
  timeOptions,
  withReadyIndex,
} from '../list/machine-index.ts'
import { tabbedLine } from '../list/summary-text.ts'
import type { Choice, Terminal } from '../terminal/terminal.ts'
import { toJson } from '../terminal/text.ts'
import { type CommandMaker, INTERRUPTED, programOption } from './command.ts'

interface ListCommandOptions extends SessionFilter, MachineOptions {
  readonly failed?: true
  readonly limit?: number
  readonly all?: true
  readonly json?: true
  readonly sort?: SortKey
}

/** `agentfold list`, and `agentfold` alone: the exit code is 1 if the folder cannot be read. */
export const listCommand: CommandMaker = ({ terminal, execute }) =>
  timeOptions(machineOptions(new Command('list')), 'list what changed since a time', 'and before another')
    .summary('list the newest sessions; agentfold alone does the same')
    .description(
      'Lists the newest sessions of this machine, or those in a folder. On a terminal, choose one to ' +
        'read it. In a pipe, each session is a line with tabs: id, time of the last change, program, ' +
        'folder, model, tokens of main, agents, cost in US dollars and title.',
    )
    .argument('[folder]', 'a folder with sessions, at any depth')
    .addOption(countOption('--limit <n>', 'the greatest number of sessions; the default is 20'))
    .addOption(new Option('--all', 'list all sessions').conflicts('limit'))
    .addOption(programOption('list the sessions of one program, by the name in the list'))
    .option('--cwd <folder>', 'list the sessions that ran in a folder, or below it')
    .addOption(
      new Option('--status <status>', 'list the sessions with that status').choices(SESSION_STATUSES),
    )
    .addOption(
      new Option('--failed', 'list the sessions whose last turn failed, as --status failed does').conflicts(
        'status',
      ),
    )
    .addOption(
      new Option('--sort <key>', 'the greatest value first, or with age the newest').choices(SORT_KEYS),
    )
    .option('--json', 'print one JSON object per line')
    .action((folder: string | undefined, options: ListCommandOptions) =>
      execute(async () => {
        if (folder !== undefined) await checkFolder(folder, options, terminal)
        return listIn(folder, options, terminal)
      }),
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
  options: ListCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const indexed =
    folder === undefined
      ? await withReadyIndex(terminal, { ...options, forList: isInOrder(options) }, (index) =>
          listIndexed(index, options, terminal),
        )
      : undefined
  return indexed ?? listFiles(folder, options, terminal)
}

/** Whether the newest sessions alone answer. A status and the other orders need each session whole. */
function isInOrder({ failed, status, sort = 'age' }: ListCommandOptions): boolean {
  return !failed && status === undefined && sort === 'age'
}

/** Lists the sessions of the index. */
async function listIndexed(
  index: SessionIndex,
  { failed, sort = 'age', ...options }: ListCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const filter = { ...options, ...(failed && { status: 'failed' as const }) }
  const { program, cwd, since, until, status } = filter
  const query = { program, cwd, since, until, status }
  const found = await index.count(query)
  const page = Math.min(
    PAGE,
    isInOrder({ ...filter, sort }) && !options.all ? (options.limit ?? DEFAULT_LIMIT) : PAGE,
  )
  const sessions = sortedSessions(sessionsOf(index, query, page), sort)
  const reference = (row: SessionSummary) =>
    typeof options.index === 'string' ? indexedReference(row, index) : row
  return printList(undefined, sessions, { ...filter, sort, reference }, terminal, () => found)
}

/** Sessions that are read from an index at once. */
const PAGE = 256

async function* sessionsOf(
  index: SessionIndex,
  query: SessionQuery,
  limit: number,
): AsyncGenerator<SessionRow, void> {
  for (let after: SessionRow | undefined, isFirst = true; isFirst || after; isFirst = false) {
    const page = await index.sessions({ ...query, limit, ...(after && { after }) })
    yield* page
    after = page.at(-1)
  }
}

/** Lists the sessions by a look at their files. */
async function listFiles(
  folder: string | undefined,
  { failed, sort = 'age', ...options }: ListCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const { openListing } = await import('../list/file-listing.ts')
  const asked = { ...options, ...(failed && { status: 'failed' as const }) }
  const { program, cwd, since, until, status } = asked
  const filter = omitUndefined({ program, cwd, since, until, status })
  const now = terminal.now?.() ?? Date.now()
  const onIssue = reportIssues(terminal)
  const { sessions, candidateCount } = openListing(folder, terminal, { text: rawPartOf(filter), onIssue })
  // A person who chooses a session waits for the first lines. Every other list has the facts of the index.
  const isWhole = sort !== 'age' || options.json || !terminal.pick
  const matching = sortedSessions(matchingSessions(sessions, filter, { now, isWhole, onIssue }), sort)
  return printList(folder, matching, { ...options, ...filter, sort }, terminal, candidateCount)
}

interface PrintOptions extends ListCommandOptions {
  readonly sort: SortKey
  /** Returns where to read a session that the person chooses. */
  readonly reference?: ((session: SessionSummary) => SessionReference) | undefined
}

async function printList(
  folder: string | undefined,
  matching: AsyncGenerator<SessionSummary, void>,
  { limit, all, json, sort, reference, ...filter }: PrintOptions,
  terminal: Terminal,
  candidateCount: () => number,
): Promise<number> {
  const taken = await takeSessions(
    matching,
    limit ?? (all ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT),
    (each) => {
      if (json) terminal.write(`${toJson(omitUndefined({ ...each, durationMs: durationMs(each) }))}\n`)
      else if (!terminal.pick)
        terminal.write(`${tabbedLine(each)}${sort === 'duration' ? `\t${durationText(each)}` : ''}\n`)
    },
  )
  const { newest, hasMore } = taken
  if (newest.length === 0) {
    const { index } = filter
    await reportNone(filter, { folder, takesFolder: true, index }, terminal)
    return json || folder !== undefined || isFilter(filter) || typeof index === 'string'
      ? 0
      : showNone(terminal)
  }
  const [first] = newest
  if (sort === 'cost' && first?.costUsd === undefined)
    terminal.writeError('agentfold: no session states a cost: agentfold stats takes --prices\n')
  const found = candidateCount()
  const isMore = hasMore && found > newest.length
  const more = isMore ? moreText(newest.length, isFilter(filter) ? undefined : found, sort) : undefined
  if (!json && terminal.pick) return pickOne(newest, { rest: matching, more, reference }, terminal)
  if (more !== undefined) terminal.writeError(`agentfold: ${more}: use --limit or --all\n`)
  return 0
}

function durationText(session: SessionSummary): string {
  const ms = durationMs(session)
  return ms === undefined ? '' : formatDuration(ms)
}

/** A person without sessions sees what one looks like. */
async function showNone(terminal: Terminal): Promise<number> {
  if (!terminal.pick) return 0
  const { showExample } = await import('../show/example.ts')
  return showExample(terminal)
}

/** Files that hold no session count too: only a reading of each would tell. */
function moreText(count: number, found: number | undefined, sort: SortKey): string {
  const shown =
    sort === 'age' ? `the ${plural(count, 'newest session')}` : `the first ${plural(count, 'session')}`
  return found === undefined ? `${shown}, and maybe more` : `${shown} of about ${formatCount(found)}`
}

interface TakenSessions {
  readonly newest: readonly SessionSummary[]
  readonly hasMore: boolean
}

/** Takes that many sessions. It reads none behind the limit, so at the limit there may be more. */
async function takeSessions(
  sessions: AsyncIterator<SessionSummary>,
  limit: number,
  onSession: (session: SessionSummary) => void,
): Promise<TakenSessions> {
  const newest: SessionSummary[] = []
  while (newest.length < limit) {
    const { value, done } = await sessions.next()
    if (done) return { newest, hasMore: false }
    newest.push(value)
    onSession(value)
  }
  return { newest, hasMore: true }
}

/** Shows the newest sessions at once. The others are read when the person types. */
async function pickOne(
  newest: readonly SessionSummary[],
  {
    rest,
    more,
    reference = (chosen) => chosen,
  }: Pick<PrintOptions, 'reference'> & {
    readonly rest: AsyncIterable<SessionSummary>
    readonly more: string | undefined
  },
  terminal: Terminal,
): Promise<number> {
  const { choiceOf } = await import('../list/choice.ts')
  const found = [...newest]
  const place = { now: terminal.now?.() ?? Date.now(), columns: terminal.columns ?? 80 }
  const further = async (): Promise<readonly Choice[]> => {
    const choices: Choice[] = []
    for await (const session of rest) {
      found.push(session)
      choices.push(choiceOf(session, place))
    }
    return choices
  }
  const texts = {
    // A narrow terminal would break it inside a word.
    message: `${more?.replace(/^the /, '') ?? 'Sessions'} (type to filter all, Esc to leave)`,
    noMatch: 'No session matches: agentfold search looks at all texts.',
  }
  const path = await terminal.pick?.(
    newest.map((session) => choiceOf(session, place)),
    texts,
    more === undefined ? undefined : further,
  )
  const session = found.find((each) => each.path === path)
  if (!session) return INTERRUPTED
  const { printSession } = await import('../show/print-session.ts')
  return printSession(reference(session), {}, terminal)
}
