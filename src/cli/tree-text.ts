import { contextOfThread, contextTokens, lastWithInput } from '../core/selectors/cost.ts'
import { failureSentence } from '../core/selectors/failure.ts'
import { fileChanges } from '../core/selectors/file-changes.ts'
import { pendingRequests } from '../core/selectors/requests.ts'
import { STATUS_WORDS, sessionStatus } from '../core/selectors/status.ts'
import { type AgentNode, buildSessionTree } from '../core/selectors/tree.ts'
import { sumChanges } from '../core/state/file-change.ts'
import {
  type ConversationThread,
  MAIN,
  type MessageUsage,
  type SessionConversationState,
  type SessionFacts,
} from '../core/state/session.ts'
import type { Todo } from '../core/state/todo.ts'
import type { SessionReading } from '../node/read/read-input.ts'
import type { Ending } from '../reading/source.ts'
import { countsText, formatCost, formatCount, formatDuration, plural } from '../sinks/markdown/text/values.ts'
import { type Paint, painter, STATUS_COLOURS } from './terminal/style.ts'
import { issueLines, tokensText, truncate } from './terminal/text.ts'
import { MEASURE, wrapFacts, wrapWords } from './terminal/wrap.ts'

/** Renders the session's facts, the tree of its agents and the issues as text. Without columns, each agent is one line. */
export function renderReplay(
  { state, issues, ending }: SessionReading,
  { isStyled, columns }: { readonly isStyled: boolean; readonly columns?: number | undefined },
): string {
  const width = columns === undefined ? undefined : Math.min(MEASURE, columns)
  const found = issues.length === 0 ? [painter(isStyled)('no issues', 'dim')] : issueLines(issues)
  const tree = renderTree(state, isStyled, { ending, width })
  const lines = [...tree, '', ...found]
  return `${lines.join('\n')}\n`
}

/** Renders the session's facts, its status and the tree of its agents as lines. Without a width, no line wraps. */
export function renderTree(
  state: SessionConversationState,
  isStyled: boolean,
  {
    ending,
    width = Number.POSITIVE_INFINITY,
  }: { readonly ending?: Ending | undefined; readonly width?: number | undefined } = {},
): readonly string[] {
  const paint = painter(isStyled)
  const facts = sessionLine(state.session).map((fact) => paint(fact, 'dim'))
  // The status shows the other endings.
  const end = ending === 'open' ? paint(ending, 'dim') : ''
  const head = wrapFacts([...facts, statusText(state, paint), end], width)
  return [...head, ...treeLines(buildSessionTree(state), agentFacts(state), { paint, width })]
}

/** Renders the status of the session, with the reason of a failed turn. */
function statusText(state: SessionConversationState, paint: Paint): string {
  const status = sessionStatus(state)
  const failure = status === 'failed' ? failureSentence(state) : undefined
  const reason = failure === undefined ? '' : `: ${truncate(failure)}`
  return paint(STATUS_WORDS[status] + reason, STATUS_COLOURS[status])
}

function sessionLine({ program, version, model, id, costUsd }: SessionFacts): readonly string[] {
  const name = [program, version].filter((part) => part !== undefined).join(' ')
  return [name, model, id, formatCost(costUsd)].flatMap((part) => (part ? truncate(part) : []))
}

/** An agent's row of the tree, with the text before its own line and before the lines below it. */
interface TreeRow {
  readonly node: AgentNode
  readonly depth: number
  readonly prefix: string
  readonly indent: string
}

/** Depth first, without recursion: agents may be nested to any depth. */
function treeLines(
  root: AgentNode,
  factsOf: (conversationId: string) => AgentFacts,
  { paint, width }: { readonly paint: Paint; readonly width: number },
): readonly string[] {
  const lines: string[] = []
  const stack: TreeRow[] = [{ node: root, depth: 0, prefix: '', indent: '' }]
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, prefix, indent } = next
    const { model, context, requests, notes, isStopped } = factsOf(node.conversationId)
    const gutter = indent + (node.children.length > 0 ? '│  ' : '   ')
    const columns = Math.max(MIN_TEXT, width - gutter.length)
    const facts = wrapFacts([...agentTexts(node, { model, isStopped, paint }), context ?? ''], columns)
    for (const [at, line] of facts.entries()) lines.push((at === 0 ? prefix : gutter) + line)
    const texts = [
      ...requests.map((title) => paint(`${STATUS_WORDS.waiting}: ${title}`, STATUS_COLOURS.waiting)),
      ...notes,
      ...(node.lastText ? [paint(`“${truncate(node.lastText)}”`, 'dim')] : []),
    ]
    for (const line of texts.flatMap((text) => wrapWords(text, columns))) lines.push(gutter + line)
    // One by one, because a call with more than about 100,000 arguments overflows the stack.
    for (const child of [...node.children].reverse()) stack.push(childRow(next, child))
  }
  return lines
}

/** A text beside the tree has at least these columns, so a deep tree may be wider than the terminal. */
const MIN_TEXT = 24

/** Deeper agents share one column. Otherwise the indents of a very deep tree need more text than a string can hold. */
const MAX_INDENTED = 50

function childRow({ node, depth: parentDepth, indent }: TreeRow, child: AgentNode): TreeRow {
  const depth = parentDepth + 1
  if (depth > MAX_INDENTED) return { node: child, depth, prefix: `${indent}${depth}: `, indent }
  const [branch, gutter] = child === node.children.at(-1) ? ['└─ ', '   '] : ['├─ ', '│  ']
  return { node: child, depth, prefix: indent + branch, indent: indent + gutter }
}

function agentTexts(
  node: AgentNode,
  { model, isStopped, paint }: Pick<AgentFacts, 'model' | 'isStopped'> & { readonly paint: Paint },
): readonly string[] {
  const {
    conversationId: id,
    name,
    description,
    status: ended,
    lineage,
    blockCount,
    toolCount,
    durationMs,
    usage,
  } = node
  const title = id === 'main' ? 'main' : (name ?? id)
  const status = isStopped ? 'interrupted' : ended
  const facts = [
    description === undefined ? undefined : `“${truncate(description)}”`,
    lineage === 'root' || lineage === 'child' ? undefined : lineage,
    model === undefined ? undefined : truncate(model),
    blockCount === undefined ? undefined : plural(blockCount, 'block'),
    toolCount === undefined ? undefined : plural(toolCount, 'tool'),
    durationMs === undefined ? undefined : formatDuration(durationMs),
    tokensText(usage.own),
    node.children.length > 0 ? `in all ${tokensText(usage.total) ?? 'no tokens known'}` : undefined,
  ]
  return [
    `${paint(STATUS_WORDS[status], STATUS_COLOURS[status])} ${paint(truncate(title), 'bold')}`,
    ...facts.map((fact) => fact ?? ''),
  ]
}

/** Facts of an agent that its node in the tree does not have, as text. */
interface AgentFacts {
  /** The model of an agent, if it is not that of the session. */
  readonly model: string | undefined
  /** Such as `context 31,204`. `~` marks a provisional figure. Undefined if it is not known. */
  readonly context: string | undefined
  /** Main was interrupted: its node counts that as an error. */
  readonly isStopped: boolean
  /** The titles of its open requests. */
  readonly requests: readonly string[]
  /** Further lines, such as `todos 2/5: Report`, and for main `changed: 4 files, +120 −8`. */
  readonly notes: readonly string[]
}

/**
 * Returns a function that finds an agent's facts by the id of its conversation. It reads the state once, because
 * there may be many agents.
 */
function agentFacts(state: SessionConversationState): (conversationId: string) => AgentFacts {
  const threads = new Map<string, ConversationThread>([[MAIN, state]])
  for (const subagent of state.subagents) threads.set(subagent.toolUseId, subagent)
  const titles = new Map<string, string[]>()
  for (const { conversationId, block } of pendingRequests(state))
    titles.set(conversationId, [...(titles.get(conversationId) ?? []), truncate(block.title)])
  return (conversationId) => {
    const thread = threads.get(conversationId)
    const { usage = [], todos = [] } = thread ?? {}
    const requests = titles.get(conversationId) ?? []
    const notes = [conversationId === MAIN ? filesText(state) : undefined, todosText(todos)]
    const model = conversationId === MAIN ? undefined : otherModel(usage, state)
    return {
      model,
      isStopped: conversationId === MAIN && state.turn.status === 'interrupted',
      context: thread && contextText(thread, state),
      requests,
      notes: notes.filter((note) => note !== undefined),
    }
  }
}

/** Returns the last model of an agent, if the session's is another one. */
export function otherModel(
  usage: readonly MessageUsage[],
  { session }: SessionConversationState,
): string | undefined {
  const { model } = usage.findLast((entry) => entry.model !== undefined) ?? {}
  return model === session.model ? undefined : model
}

function contextText(thread: ConversationThread, state: SessionConversationState): string | undefined {
  const size = thread === state ? contextTokens(state) : contextOfThread(thread)
  const last = lastWithInput(thread.usage)
  return size === undefined ? undefined : `context ${last?.final === false ? '~' : ''}${formatCount(size)}`
}

/** Counts the completed todos, without the cancelled ones, and names the one in progress. */
function todosText(todos: readonly Todo[]): string | undefined {
  const counted = todos.filter(({ status }) => status !== 'cancelled')
  if (counted.length === 0) return undefined
  const completed = counted.filter(({ status }) => status === 'completed').length
  const current = counted.find(({ status }) => status === 'in_progress')
  return `todos ${completed}/${counted.length}${current ? `: ${truncate(current.text)}` : ''}`
}

/** Returns the number of changed files of all agents with the sums of their lines. Undefined if no file changed. */
function filesText(state: SessionConversationState): string | undefined {
  const changes = fileChanges(state)
  if (changes.length === 0) return undefined
  const files = new Set(changes.map(({ path }) => path)).size
  return `changed: ${plural(files, 'file')}, ${countsText(sumChanges(changes))}`
}
