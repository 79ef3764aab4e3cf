import type { Ending } from '../formats/source.ts'
import { type AgentNode, buildSessionTree } from '../selectors/tree.ts'
import type { UsageSum } from '../selectors/usage.ts'
import type { SubagentStatus } from '../state/block.ts'
import type { SessionConversationState, SessionFacts } from '../state/session.ts'
import type { Replay } from './replay-run.ts'
import { pluralize, issueLines, truncate } from './text.ts'

/** Renders the session's facts, the tree of its agents and the issues, for people to read. */
export function renderReplay({ state, issues, ending }: Replay, isStyled: boolean): string {
  const found = issues.length === 0 ? [styleFor(isStyled)('no issues', 'dim')] : issueLines(issues)
  const lines = [...renderTree(state, isStyled, ending), '', ...found]
  return `${lines.join('\n')}\n`
}

/** Renders the session's facts and the tree of its agents, a line each. */
export function renderTree(
  state: SessionConversationState,
  isStyled: boolean,
  ending?: Ending,
): readonly string[] {
  const style = styleFor(isStyled)
  const head = [...sessionLine(state.session), ...(ending ? [ending] : [])].join(' · ')
  return [style(head, 'dim'), ...treeLines(buildSessionTree(state), style)]
}

type Style = (text: string, look: Look) => string
type Look = SubagentStatus | 'dim' | 'bold'

const ANSI: Readonly<Record<Look, string>> = {
  pending: '33',
  running: '36',
  success: '32',
  error: '31',
  dim: '2',
  bold: '1',
}

const plain: Style = (text) => text
const styled: Style = (text, look) => `\u001b[${ANSI[look]}m${text}\u001b[0m`

function styleFor(isStyled: boolean): Style {
  return isStyled ? styled : plain
}

function sessionLine({ program, version, model, id, costUsd }: SessionFacts): readonly string[] {
  const name = [program, version].filter((part) => part !== undefined).join(' ')
  const cost = costUsd === undefined ? undefined : `$${costUsd.toFixed(4)}`
  return [name, model, id, cost].flatMap((part) => (part ? truncate(part) : []))
}

/** An agent to be drawn, with what stands before its line and before those below it. */
interface Drawn {
  readonly node: AgentNode
  readonly depth: number
  readonly first: string
  readonly rest: string
}

/** Depth first, without recursion: agents may be nested to any depth. */
function treeLines(root: AgentNode, style: Style): readonly string[] {
  const lines: string[] = []
  const stack: Drawn[] = [{ node: root, depth: 0, first: '', rest: '' }]
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, first, rest } = next
    lines.push(first + agentLine(node, style))
    const gutter = rest + (node.children.length > 0 ? '│  ' : '   ')
    if (node.lastText) lines.push(style(`${gutter}“${truncate(node.lastText)}”`, 'dim'))
    // One by one: of more than some 100,000 arguments a call overflows the stack.
    for (const child of [...node.children].reverse()) stack.push(below(next, child))
  }
  return lines
}

/** Deeper agents stand in one column: a line as long as its agent is deep makes more text than a string can hold. */
const MAX_INDENTED = 50

function below({ node, depth: above, rest }: Drawn, child: AgentNode): Drawn {
  const depth = above + 1
  if (depth > MAX_INDENTED) return { node: child, depth, first: `${rest}${depth}: `, rest }
  const [branch, gutter] = child === node.children.at(-1) ? ['└─ ', '   '] : ['├─ ', '│  ']
  return { node: child, depth, first: rest + branch, rest: rest + gutter }
}

function agentLine(node: AgentNode, style: Style): string {
  const { id, name, description, status, lineage, blockCount, toolCount, durationMs, usage } = node
  const title = id === 'main' ? 'main' : (name ?? id)
  const facts = [
    description === undefined ? undefined : `“${truncate(description)}”`,
    lineage === 'root' || lineage === 'child' ? undefined : lineage,
    blockCount === undefined ? undefined : pluralize(blockCount, 'block'),
    toolCount === undefined ? undefined : pluralize(toolCount, 'tool'),
    durationMs === undefined ? undefined : `${(durationMs / 1000).toFixed(1)} s`,
    tokens(usage.own),
    node.children.length > 0 ? `in all ${tokens(usage.total) ?? 'no tokens known'}` : undefined,
  ]
  return [`${style(status, status)} ${style(truncate(title), 'bold')}`, ...facts.filter(Boolean)].join(' · ')
}

/** Tokens read and written; `~` where some of the figures are early snapshots. */
function tokens({ final, provisional }: UsageSum): string | undefined {
  if (final.messages + provisional.messages === 0) return undefined
  const sums = [final, provisional]
  const read = sums.flatMap((sum) => [sum.inputTokens, sum.cacheReadTokens, sum.cacheWriteTokens])
  const written = sums.map((sum) => sum.outputTokens)
  const mark = provisional.messages > 0 ? '~' : ''
  return `${mark}${total(read)} tokens in, ${mark}${total(written)} out`
}

/** Unknown is not zero. */
function total(counts: readonly (number | undefined)[]): string {
  const known = counts.filter((count) => count !== undefined)
  return known.length === 0 ? '?' : known.reduce((left, right) => left + right, 0).toLocaleString('en-US')
}
