import type { SessionReading } from '../node/read/session-fold.ts'
import { type SessionStatus, sessionStatus } from '../selectors/status.ts'
import { type AgentNode, buildSessionTree } from '../selectors/tree.ts'
import type { Ending } from '../session/source.ts'
import { formatDuration } from '../sinks/markdown/text/values.ts'
import type { SessionConversationState, SessionFacts } from '../state/session.ts'
import type { SubagentStatus } from '../state/subagent.ts'
import { type AgentFacts, agentFacts } from './agent-facts.ts'
import { costText, issueLines, pluralize, tokensText, truncate } from './terminal/text.ts'
import { MEASURE, wrapFacts, wrapWords } from './terminal/wrap.ts'

/** Renders the session's facts, the tree of its agents and the issues as text. Without columns, each agent is one line. */
export function renderReplay(
  { state, issues, ending }: SessionReading,
  { isStyled, columns }: { readonly isStyled: boolean; readonly columns?: number | undefined },
): string {
  const width = columns === undefined ? undefined : Math.min(MEASURE, columns)
  const found = issues.length === 0 ? [styleFor(isStyled)('no issues', 'dim')] : issueLines(issues)
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
  const style = styleFor(isStyled)
  const facts = sessionLine(state.session).map((fact) => style(fact, 'dim'))
  // The status shows the other endings.
  const end = ending === 'open' ? style(ending, 'dim') : ''
  const head = wrapFacts([...facts, statusText(state, style), end], width)
  return [...head, ...treeLines(buildSessionTree(state), agentFacts(state), { style, width })]
}

/** Renders the status of the session, with the reason of a failed turn. */
function statusText(state: SessionConversationState, style: StyleText): string {
  const status = sessionStatus(state)
  const { error } = state.turn
  const reason = status === 'failed' && error !== undefined ? `: ${truncate(error)}` : ''
  return style(`${status}${reason}`, status)
}

type StyleText = (text: string, style: TextStyle) => string
type TextStyle = SubagentStatus | SessionStatus | 'dim' | 'bold'

const ANSI: Readonly<Record<TextStyle, string>> = {
  pending: '33',
  running: '36',
  success: '32',
  error: '31',
  idle: '2',
  waiting: '35',
  background: '36',
  finished: '32',
  interrupted: '33',
  failed: '31',
  dim: '2',
  bold: '1',
}

const unstyled: StyleText = (text) => text
const ansiStyled: StyleText = (text, style) => `\u001b[${ANSI[style]}m${text}\u001b[0m`

function styleFor(isStyled: boolean): StyleText {
  return isStyled ? ansiStyled : unstyled
}

function sessionLine({ program, version, model, id, costUsd }: SessionFacts): readonly string[] {
  const name = [program, version].filter((part) => part !== undefined).join(' ')
  return [name, model, id, costText(costUsd)].flatMap((part) => (part ? truncate(part) : []))
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
  { style, width }: { readonly style: StyleText; readonly width: number },
): readonly string[] {
  const lines: string[] = []
  const stack: TreeRow[] = [{ node: root, depth: 0, prefix: '', indent: '' }]
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, prefix, indent } = next
    const { context, requests, notes } = factsOf(node.id)
    const gutter = indent + (node.children.length > 0 ? '│  ' : '   ')
    const columns = Math.max(MIN_TEXT, width - gutter.length)
    const facts = wrapFacts([...agentTexts(node, style), context ?? ''], columns)
    for (const [at, line] of facts.entries()) lines.push((at === 0 ? prefix : gutter) + line)
    const texts = [
      ...requests.map((title) => style(`waiting: ${title}`, 'waiting')),
      ...notes,
      ...(node.lastText ? [style(`“${truncate(node.lastText)}”`, 'dim')] : []),
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

function agentTexts(node: AgentNode, style: StyleText): readonly string[] {
  const { id, name, description, status, lineage, blockCount, toolCount, durationMs, usage } = node
  const title = id === 'main' ? 'main' : (name ?? id)
  const facts = [
    description === undefined ? undefined : `“${truncate(description)}”`,
    lineage === 'root' || lineage === 'child' ? undefined : lineage,
    blockCount === undefined ? undefined : pluralize(blockCount, 'block'),
    toolCount === undefined ? undefined : pluralize(toolCount, 'tool'),
    durationMs === undefined ? undefined : formatDuration(durationMs),
    tokensText(usage.own),
    node.children.length > 0 ? `in all ${tokensText(usage.total) ?? 'no tokens known'}` : undefined,
  ]
  return [`${style(status, status)} ${style(truncate(title), 'bold')}`, ...facts.map((fact) => fact ?? '')]
}
