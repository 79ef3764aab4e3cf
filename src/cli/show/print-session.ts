import { setImmediate } from 'node:timers/promises'
import { findConversation, findSubagent } from '../../core/selectors/find.ts'
import type { ConversationBlock } from '../../core/state/block.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import type { SessionReading } from '../../node/read/read-input.ts'
import type { Architecture } from '../../programs/program.ts'
import { redactAll } from '../../redaction/redactions.ts'
import { redactSession } from '../../redaction/session.ts'
import { toMarkdown } from '../../sinks/markdown/to-markdown.ts'
import type { SessionReference } from '../indexed-reference.ts'
import { readReportPage, writeReport } from '../page/html-report.ts'
import { type PathReading, readPath } from '../read-path.ts'
import { asListed, listedAt, withTitle } from '../session-reference.ts'
import { DEFAULT_COLUMNS, InputError, type Terminal } from '../terminal/terminal.ts'
import { issueLines as linesOfIssues, toJson } from '../terminal/text.ts'
import { MEASURE, wrapWords } from '../terminal/wrap.ts'
import { conversationLines } from './conversation.ts'
import { agentHeadLines, footLines, headLines } from './head.ts'
import { createView, type View, type ViewOptions } from './view.ts'

/** The options of the commands that show sessions. */
export interface ShowOptions {
  readonly agent?: string
  readonly full?: true
  /** Shows only that many blocks at the end. */
  readonly tail?: number
  readonly markdown?: true
  readonly json?: true
  /** The path of the HTML file to write. */
  readonly html?: string
  readonly redact?: true
  readonly format?: Architecture
}

/** Prints the conversation of a session, or writes it as an HTML file. */
export async function printSession(
  reference: SessionReference,
  options: ShowOptions,
  terminal: Terminal,
): Promise<number> {
  const { path } = reference
  const read = reference.read
    ? await reference.read()
    : await readPath({ path, format: options.format }, terminal)
  const listed = reference.read ? reference : await listedAt(path)
  const reading = { ...read, state: withTitle(read.state, reference.title ?? listed?.title) }
  if (options.html !== undefined) {
    const page = terminal.page ?? (await readReportPage())
    const file = { file: options.html, redact: options.redact && redactAll, page }
    terminal.write(await writeReport(reading.state, file))
  } else if (options.json) terminal.write(`${toJson(jsonOf(reading, options), 2)}\n`)
  else if (options.markdown) terminal.write(markdownOf(reading, options))
  else {
    const state = asListed(reading.state, listed, terminal)
    const lines = viewOf({ ...reading, state }, options, terminal)
    if (terminal.paged) await terminal.paged((write) => writeLines(lines, write))
    else await writeLines(lines, terminal.write)
  }
  return 0
}

/** Returns the session, or one agent of it, with the issues of the input. */
function jsonOf({ state, issues, ending }: PathReading, { agent, redact }: ShowOptions): object {
  const shown = redact ? redactSession(state, redactAll) : state
  if (agent === undefined) return { state: shown, issues, ending }
  return { agent: findSubagent(shown, conversationOf(state, agent)), issues }
}

function markdownOf({ state }: PathReading, { agent, full, redact }: ShowOptions): string {
  return toMarkdown(state, {
    conversationId: conversationOf(state, agent),
    ...(redact && { redact: redactAll }),
    ...(full && { toolOutputLines: Number.POSITIVE_INFINITY }),
  })
}

/** Returns the options of a view of sessions. */
export function viewOptions(options: ShowOptions, terminal: Terminal): Parameters<typeof sessionLines>[1] {
  return {
    columns: terminal.columns ?? DEFAULT_COLUMNS,
    isStyled: terminal.isStyled,
    isFull: options.full === true,
    redact: options.redact ? redactAll : (text) => text,
    agent: options.agent,
    tail: options.tail,
  }
}

function viewOf(reading: PathReading, options: ShowOptions, terminal: Terminal): Iterable<string> {
  const state = options.redact ? redactSession(reading.state, redactAll) : reading.state
  return sessionLines({ ...reading, state }, viewOptions(options, terminal))
}

/** Between two batches, the process can notice that nobody reads the output any more. */
const BATCH = 200

async function writeLines(lines: Iterable<string>, write: (text: string) => unknown): Promise<void> {
  let batch: string[] = []
  const flush = () => {
    if (batch.length > 0) write(`${batch.join('\n')}\n`)
    batch = []
  }
  for (const line of lines) {
    batch.push(line)
    if (batch.length < BATCH) continue
    flush()
    await setImmediate()
  }
  flush()
}

/** Which part of a session is shown, and how. */
interface SessionViewOptions extends ViewOptions {
  /** Shows one agent with the agents below it: either of its ids. */
  readonly agent?: string | undefined
  /** Shows only that many blocks at the end of the conversation. */
  readonly tail?: number | undefined
}

/** A session that was read. `isCut`: its input ended before its turn. */
type ShownSession = Pick<SessionReading, 'state' | 'issues'> & { readonly isCut?: boolean }

/** Yields the lines of a session: its head, its conversation and its foot. Throws an `InputError` for an agent that it does not have. */
export function* sessionLines(
  { state, issues, isCut = false }: ShownSession,
  options: SessionViewOptions,
): Generator<string, void> {
  const view = createView(options, state.session.cwd)
  const { agent, tail, columns } = options
  const width = Math.min(MEASURE, columns)
  const conversationId = conversationOf(state, agent)
  const subagent = conversationId === MAIN ? undefined : findSubagent(state, conversationId)
  yield* subagent ? agentHeadLines(view, subagent, width) : headLines(view, state, width)
  yield ''
  const shown = tail === undefined ? state : withLastBlocks(state, conversationId, tail)
  yield* conversationLines(view, shown, { conversationId, columns })
  yield ''
  if (subagent) return
  yield* footLines(view, state, { width, isCut })
  yield* issueLines(view, issues, width)
}

/** Returns the id of a conversation. The agent may be named by the beginning of an id too, if no other id begins so. */
export function conversationOf(
  { subagents }: Pick<SessionReading['state'], 'subagents'>,
  agent: string | undefined,
): string {
  if (agent === undefined || agent === MAIN) return MAIN
  const ids = subagents.map((each) => [each.toolUseId, each.agentId ?? ''] as const)
  const isSame = ids.find((each) => each.includes(agent))
  const wanted = agent.toLowerCase()
  const beginning = ids.filter((each) => each.some((id) => id.toLowerCase().startsWith(wanted)))
  const found = isSame ?? (beginning.length === 1 ? beginning[0] : undefined)
  if (found) return found[0]
  if (subagents.length === 0) throw new InputError('the session has no agents')
  const namesOf = (each: typeof ids) => each.map(([toolUseId]) => toolUseId).join(', ')
  throw new InputError(
    beginning.length === 0
      ? `no agent ${agent}: use one of ${namesOf(ids)}`
      : `${beginning.length} agents begin with ${agent}: ${namesOf(beginning)}`,
  )
}

/** Each issue is a line, as in `agentfold replay`. An input from a pipe cannot be read again, so the issues themselves are here. */
function issueLines(
  { paint, redact }: View,
  issues: SessionReading['issues'],
  width: number,
): readonly string[] {
  const [count, ...lines] = linesOfIssues(issues)
  if (count === undefined) return []
  const others = issues.length - MAX_ISSUES
  const rest = others > 0 ? [`  and ${others} more: see agentfold replay`] : []
  return [`${count} of the input`, ...lines.slice(0, MAX_ISSUES), ...rest]
    .flatMap((line) => wrapWords(redact(line), width))
    .map((line) => paint(line, 'dim'))
}

const MAX_ISSUES = 5

/** Returns the state with only the last blocks of one conversation, the calls of their results, and the agents that they start. */
function withLastBlocks(
  state: SessionConversationState,
  conversationId: string,
  count: number,
): SessionConversationState {
  const all = findConversation(state, conversationId)?.blocks ?? []
  const last = all.slice(-count)
  const results = new Set(last.flatMap((block) => (block.type === 'tool_result' ? [block.toolUseId] : [])))
  const before = all.slice(0, -count)
  const calls = before.filter((block) => block.type === 'tool_use' && results.has(block.toolUseId))
  const blocks = [...calls, ...last]
  const subagents = withoutAgents(state, before).map((each) =>
    each.toolUseId === conversationId ? { ...each, blocks } : each,
  )
  return { ...state, ...(conversationId === MAIN && { blocks }), subagents }
}

/** Returns the agents without those that the blocks start, and without the agents below them. */
function withoutAgents(
  { subagents }: SessionConversationState,
  blocks: readonly ConversationBlock[],
): SessionConversationState['subagents'] {
  const gone = new Set(blocks.flatMap((block) => (block.type === 'subagent' ? [block.toolUseId] : [])))
  // A Set also visits what the loop adds.
  for (const parent of gone)
    for (const { toolUseId, parentConversationId } of subagents)
      if (parentConversationId === parent) gone.add(toolUseId)
  return subagents.filter(({ toolUseId }) => !gone.has(toolUseId))
}
