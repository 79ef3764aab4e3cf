import { contextTokens } from '../../core/selectors/cost.ts'
import { failureSentence } from '../../core/selectors/failure.ts'
import { fileChanges } from '../../core/selectors/file-changes.ts'
import { STATUS_WORDS, sessionStatus } from '../../core/selectors/status.ts'
import { buildSessionTree } from '../../core/selectors/tree.ts'
import { sumChanges } from '../../core/state/file-change.ts'
import type { ConversationThread, SessionConversationState, SubagentState } from '../../core/state/session.ts'
import { resumeText } from '../../programs/all.ts'
import { agentTitle } from '../../sinks/markdown/agent.ts'
import { modelOf, timeSpan } from '../../sinks/markdown/head.ts'
import {
  countsText,
  formatCost,
  formatCount,
  formatDuration,
  formatTime,
  plural,
} from '../../sinks/markdown/text/values.ts'
import { STATUS_COLOURS } from '../terminal/style.ts'
import { tokensText } from '../terminal/text.ts'
import { wrapFacts, wrapWords } from '../terminal/wrap.ts'
import { todoLines } from './text-lines.ts'
import type { View } from './view.ts'

/** Returns the title of a session, and its program, model, folder and times. */
export function headLines(view: View, state: SessionConversationState, width: number): readonly string[] {
  const { text } = view
  const { id = '', title = '', program = '', version = '', model, cwd = '' } = state.session
  const facts = [
    `${text.short(program)} ${text.short(version)}`.trim(),
    text.short(model ?? modelOf(state)),
    text.short(cwd, 300),
    ...timeTexts([state, ...state.subagents]),
    state.subagents.length === 0 ? '' : plural(state.subagents.length, 'agent'),
    resumeText(program, text.short(id)) ?? text.short(id),
  ]
  return titleLines(view, text.first(title), { facts, width })
}

/** Returns the title of one agent that is shown alone, and its facts. */
export function agentHeadLines(view: View, agent: SubagentState, width: number): readonly string[] {
  const { text } = view
  const facts = [
    text.short(agent.name ?? ''),
    text.short(modelOf(agent)),
    ...timeTexts([agent], agent.durationMs),
  ]
  return titleLines(view, text.first(agentTitle(agent)), { facts, width })
}

function titleLines(
  { paint }: View,
  title: string,
  { facts, width }: { readonly facts: readonly string[]; readonly width: number },
): readonly string[] {
  const lines = wrapFacts(facts, width)
  return [
    ...(title === '' ? [] : wrapWords(title, width).map((line) => paint(line, 'bold'))),
    ...lines.map((line) => paint(line, 'dim')),
    paint('─'.repeat(width), 'dim'),
  ]
}

/** Returns the start and the duration. Without a duration of their own, it is the time between the first and the last block. */
function timeTexts(threads: readonly ConversationThread[], durationMs?: number): readonly string[] {
  const span = timeSpan(threads)
  const start = span ? formatTime(span.first) : ''
  if (durationMs !== undefined) return [start, formatDuration(durationMs)]
  return !span || span.first === span.last ? [start] : [start, formatDuration(span.last - span.first)]
}

/** Returns the plan, the status, the tokens, the cost, the context and the changed files of a session. */
export function footLines(
  view: View,
  state: SessionConversationState,
  { width, isCut }: { readonly width: number; readonly isCut: boolean },
): readonly string[] {
  const { text, paint } = view
  const status = sessionStatus(state)
  const { session, todos = [] } = state
  const failure = failureSentence(state)
  const reason = failure === undefined ? '' : `: ${text.short(failure, 300)}`
  const context = contextTokens(state)
  const facts = [
    tokensText(buildSessionTree(state).usage.total) ?? '',
    formatCost(session.costUsd),
    context === undefined ? '' : `context ${formatCount(context)}`,
    filesText(state),
  ]
  return [
    paint('─'.repeat(width), 'dim'),
    ...todoLines(view, todos, width),
    ...wrapWords(`${STATUS_WORDS[status]}${reason}`, width).map((line) =>
      paint(line, STATUS_COLOURS[status]),
    ),
    ...(isCut ? wrapWords(CUT, width).map((line) => paint(line, 'dim')) : []),
    ...wrapFacts(facts, width).map((line) => paint(line, 'dim')),
  ]
}

/** The turn may have been finished: some programs do not write the last lines of a stream. */
const CUT = 'the recording ends before the program reported the end'

function filesText(state: SessionConversationState): string {
  const changes = fileChanges(state)
  const files = new Set(changes.map(({ path }) => path)).size
  return files === 0 ? '' : `${plural(files, 'file')} ${countsText(sumChanges(changes))}`
}
