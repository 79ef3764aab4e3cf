import { findSubagent } from '../../core/selectors/find.ts'
import { MAIN } from '../../core/state/session.ts'
import type { SessionReading } from '../../node/read/read-input.ts'
import { InputError } from '../terminal/terminal.ts'
import { issueLines as linesOfIssues } from '../terminal/text.ts'
import { MEASURE, wrapWords } from '../terminal/wrap.ts'
import { conversationLines } from './conversation.ts'
import { agentHeadLines, footLines, headLines } from './head.ts'
import { withLastBlocks } from './last-blocks.ts'
import { createView, type View, type ViewOptions } from './view.ts'

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
export function conversationOf({ subagents }: SessionReading['state'], agent: string | undefined): string {
  if (agent === undefined || agent === MAIN) return MAIN
  if (agent === '') throw new InputError('no agent: pass its id')
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
