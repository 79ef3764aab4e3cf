import { errorText } from '../../core/selectors/failure.ts'
import { fileChanges, type SessionFileChange } from '../../core/selectors/file-changes.ts'
import { sessionTitle } from '../../core/selectors/session-title.ts'
import { STATUS_WORDS, sessionStatus } from '../../core/selectors/status.ts'
import { buildSessionTree } from '../../core/selectors/tree.ts'
import { addTokens, sumUsage, type TokenSum, type UsageSum } from '../../core/selectors/usage.ts'
import type { ConversationThread, SessionConversationState, SubagentState } from '../../core/state/session.ts'
import { agentTitle } from './agent.ts'
import type { SessionText } from './text/session-text.ts'
import { formatCost, formatCount, formatDuration, formatTime, plural, timeOf } from './text/values.ts'
import { countsOf, type Writer } from './tool-call.ts'

/** Returns the title and the facts of a session. */
export function sessionHead(writer: Writer, state: SessionConversationState): readonly string[] {
  const { text } = writer
  const { program = '', version = '', model, cwd, costUsd } = state.session
  const title = text.first(sessionTitle(state) ?? '')
  const error = state.turn.error === undefined ? '' : ` (${text.inline(errorText(state.turn.error), 300)})`
  return headPieces(
    writer,
    title === '' ? 'Session' : title,
    [
      ['Program', `${text.inline(program)} ${text.inline(version)}`.trim()],
      ['Model', text.inline(model ?? modelOf(state))],
      ['Folder', text.code(cwd ?? '', 300)],
      ...timeFacts([state, ...state.subagents]),
      ['Status', `${STATUS_WORDS[sessionStatus(state)]}${error}`],
      ['Tokens', tokensOf(buildSessionTree(state).usage.total)],
      ['Cost', formatCost(costUsd)],
      ['Agents', state.subagents.length === 0 ? '' : formatCount(state.subagents.length)],
    ],
    fileChanges(state),
  )
}

/** Returns the title and the facts of one agent. */
export function agentHead(
  writer: Writer,
  agent: SubagentState,
  files: readonly SessionFileChange[],
): readonly string[] {
  const { text } = writer
  const duration: Fact = ['Duration', agent.durationMs === undefined ? '' : formatDuration(agent.durationMs)]
  const times = timeFacts([agent])
  return headPieces(
    writer,
    text.first(agentTitle(agent)),
    [
      ['Agent', text.inline(agent.name ?? '')],
      ['Model', text.inline(modelOf(agent))],
      ...(duration[1] === '' ? times : [...times.slice(0, 1), duration]),
      ['Status', STATUS_WORDS[agent.status]],
      ['Tokens', tokensOf(sumUsage(agent.usage))],
    ],
    files,
  )
}

type Fact = readonly [name: string, value: string]

function headPieces(
  { text, details }: Writer,
  title: string,
  facts: readonly Fact[],
  changes: readonly SessionFileChange[],
): readonly string[] {
  const lines = facts.filter(([, value]) => value !== '').map(([name, value]) => `- **${name}:** ${value}`)
  const files = new Map<string, { added: number; removed: number }>()
  for (const { path, added, removed } of changes) {
    const sum = files.get(path)
    files.set(path, { added: added + (sum?.added ?? 0), removed: removed + (sum?.removed ?? 0) })
  }
  const list = [...files].map(([path, counts]) => `- ${text.code(path, 300)} ${countsOf(counts)}`)
  const changed =
    files.size === 0
      ? []
      : [details.around([{ bold: plural(files.size, 'changed file') }], [list.join('\n')])]
  return [`# ${text.inline(title)}`, lines.join('\n'), ...changed]
}

/** Returns the last model of a conversation, or an empty text. */
export function modelOf({ usage }: ConversationThread): string {
  return usage.findLast(({ model }) => model !== undefined)?.model ?? ''
}

function timeFacts(threads: readonly ConversationThread[]): readonly Fact[] {
  const span = timeSpan(threads)
  if (!span) return []
  const { first, last } = span
  return [
    ['Started', formatTime(first)],
    ['Duration', first === last ? '' : formatDuration(last - first)],
  ]
}

/** Returns the times of the first and the last block of all the threads, in ms. Undefined if no block has a time. */
export function timeSpan(
  threads: readonly ConversationThread[],
): { readonly first: number; readonly last: number } | undefined {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (const { blocks } of threads)
    for (const { timestamp } of blocks) {
      const time = timeOf(timestamp)
      if (time === undefined) continue
      first = Math.min(first, time)
      last = Math.max(last, time)
    }
  return first > last ? undefined : { first, last }
}

function tokensOf({ final, provisional }: UsageSum): string {
  const all: TokenSum = addTokens(final, provisional)
  const parts: readonly (readonly [number | undefined, string])[] = [
    [all.inputTokens, 'input'],
    [all.cacheReadTokens, 'cache reads'],
    [all.cacheWriteTokens, 'cache writes'],
    [all.outputTokens, 'output'],
    [all.unsplitTokens, 'input or output'],
  ]
  const known = parts.flatMap(([count, name]) =>
    count === undefined || count === 0 ? [] : [`${formatCount(count)} ${name}`],
  )
  return known.join(', ') + (known.length > 0 && provisional.messages > 0 ? ' (provisional)' : '')
}

/** Returns an agent's plan as a list of tasks. */
export function planPieces(text: SessionText, { todos = [] }: ConversationThread): readonly string[] {
  if (todos.length === 0) return []
  const lines = todos.map(({ text: todo, status }) => {
    const note =
      status === 'in_progress' ? ' *(in progress)*' : status === 'cancelled' ? ' *(cancelled)*' : ''
    return `- [${status === 'completed' ? 'x' : ' '}] ${text.inline(todo, 1000)}${note}`
  })
  return ['**Plan**', lines.join('\n')]
}
