import { contextTokens } from '../../core/selectors/cost.ts'
import { STATUS_WORDS, sessionStatus } from '../../core/selectors/status.ts'
import type { ConversationBlock } from '../../core/state/block.ts'
import {
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../../core/state/session.ts'
import { agentTitle } from '../../sinks/markdown/agent.ts'
import { formatCount, plural } from '../../sinks/markdown/text/values.ts'
import { callLines } from '../show/call.ts'
import type { View } from '../show/view.ts'
import { STATUS_COLOURS } from '../terminal/style.ts'
import { cut, MEASURE, wrapWords } from '../terminal/wrap.ts'

/** The rows of a pending block. */
const ROWS = 4

/** Only that many running conversations are shown. */
const MAX_THREADS = 4

/** A pending text is cut before it is wrapped, and after its redaction: half of a key would stay. In UTF-16 units. */
const MAX_TEXT = 2_000

/** Returns the ends of the pending blocks and the status of a session that runs. A session that does not run has no lines. */
export function tailLines(view: View, state: SessionConversationState, columns: number): readonly string[] {
  const status = sessionStatus(state)
  if (status !== 'running' && status !== 'waiting' && status !== 'background') return []
  const { text, paint } = view
  const width = Math.min(MEASURE, columns) - 2
  const running = state.subagents.filter((agent) => agent.status === 'running')
  const threads = [
    { name: '', thread: state },
    ...running.map((thread) => ({
      name: text.short(agentTitle(thread), 40),
      thread,
    })),
  ]
  const lines = threads
    .slice(0, MAX_THREADS)
    .flatMap(({ name, thread }) => threadTail(view, { name, thread, width }))
  const context = contextTokens(state)
  const facts = [
    paint(STATUS_WORDS[status], STATUS_COLOURS[status], 'bold'),
    running.length === 0 ? '' : plural(running.length, 'agent'),
    context === undefined ? '' : `context ${formatCount(context)}`,
  ]
  return ['', ...lines, facts.filter((fact) => fact !== '').join(paint(' · ', 'dim'))]
}

function threadTail(
  view: View,
  {
    name,
    thread,
    width,
  }: { readonly name: string; readonly thread: ConversationThread; readonly width: number },
): readonly string[] {
  const { paint } = view
  const pending = pendingBlocks(thread).at(-1)
  const lines = pending ? pendingLines(view, pending, width).slice(-ROWS) : []
  const label = name === '' ? [] : [paint(`${cut(name, width - 1)}:`, 'dim', 'underline')]
  return lines.length === 0 ? [] : [...label, ...lines.map((line) => `  ${line}`)]
}

function pendingLines(view: View, block: ConversationBlock, width: number): readonly string[] {
  const { text, paint } = view
  switch (block.type) {
    case 'assistant_text':
    case 'thinking': {
      const lines = wrapWords(text.redacted(block.content).slice(-MAX_TEXT).trim(), width)
      return lines.map((line) => (block.type === 'thinking' ? paint(line, 'dim', 'italic') : line))
    }
    case 'tool_use':
      return callLines(view, { call: block }, width)
    case 'request':
      return wrapWords(
        `${paint(`${STATUS_WORDS.waiting}:`, STATUS_COLOURS.waiting)} ${text.short(block.title, 300)}`,
        width,
      )
    default:
      return []
  }
}

/**
 * Finds the blocks of a growing session that are final and not printed yet. Blocks are printed in their order, so a
 * block waits for the pending ones before it. An agent's block waits for nothing, and nothing waits for it.
 */
export class FinalBlocks {
  readonly #printed = new Map<string, Set<string>>()
  readonly #lists = new Map<string, readonly ConversationBlock[]>()

  /** Returns the state with only the new blocks in each conversation, and marks them as printed. */
  take(state: SessionConversationState): SessionConversationState {
    const blocks = this.#takeFrom(MAIN, state)
    const subagents = state.subagents.map(
      (agent): SubagentState => ({ ...agent, blocks: this.#takeFrom(agent.toolUseId, agent) }),
    )
    return { ...state, blocks, subagents }
  }

  #takeFrom(id: string, { blocks }: ConversationThread): readonly ConversationBlock[] {
    // Most conversations do not change from one state to the next.
    if (this.#lists.get(id) === blocks) return []
    this.#lists.set(id, blocks)
    const printed = this.#printed.get(id) ?? new Set()
    this.#printed.set(id, printed)
    const fresh: ConversationBlock[] = []
    for (const block of blocks) {
      if (isWaiting(block)) break
      if (printed.has(block.id) || (block.type === 'subagent' && block.status === 'pending')) continue
      printed.add(block.id)
      fresh.push(block)
    }
    return fresh
  }
}

function isWaiting(block: ConversationBlock): boolean {
  return block.type !== 'subagent' && block.status === 'pending'
}

/** Returns the blocks that are still pending, without those of agents. */
function pendingBlocks({ blocks }: ConversationThread): readonly ConversationBlock[] {
  return blocks.filter(isWaiting)
}
