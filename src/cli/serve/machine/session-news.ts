import { omitUndefined } from '../../../core/json/fields.ts'
import { timeInMs } from '../../../core/json/lists.ts'
import { callSubject, partialInput } from '../../../core/selectors/call-input.ts'
import { failureSentence } from '../../../core/selectors/failure.ts'
import { fileChanges } from '../../../core/selectors/file-changes.ts'
import { pendingRequests } from '../../../core/selectors/requests.ts'
import { doingIn, type SessionStatus, sessionStatus } from '../../../core/selectors/status.ts'
import { type ConversationBlock, lastText } from '../../../core/state/block.ts'
import { sumChanges } from '../../../core/state/file-change.ts'
import type { SessionConversationState } from '../../../core/state/session.ts'
import { continued, goesOnUntil, lastTime } from '../../../node/session-index/kept-row.ts'
import type { Doing, SessionNews } from './listed-session.ts'

/**
 * Returns the news of a session that was read to its end. A turn or an agent without an end may go on for a while. `now`
 * is in ms since the epoch.
 */
export function newsOf(
  read: SessionConversationState,
  { updatedAt, now }: { readonly updatedAt: string | undefined; readonly now: number },
): SessionNews {
  const changedAt = timeInMs(updatedAt) || 0
  const lastAt = Math.max(changedAt, lastTime(read))
  const state = now < goesOnUntil(read, changedAt) ? continued(read) : read
  const status = sessionStatus(state)
  const changes = fileChanges(state)
  const { added, removed } = sumChanges(changes)
  return omitUndefined({
    status,
    reason: reasonOf(status, state),
    doing: status === 'running' || status === 'background' ? newestWork(state) : undefined,
    // Its lines stay: the page reads the Markdown of the beginning.
    lastText: lastText(state.blocks)?.trim().slice(0, MAX_TEXT) || undefined,
    ...(changes.length > 0 && { files: new Set(changes.map(({ path }) => path)).size, added, removed }),
    lastAt: lastAt === 0 ? undefined : new Date(lastAt).toISOString(),
    failedAgents: state.subagents.filter((agent) => agent.status === 'error').length || undefined,
  })
}

function reasonOf(status: SessionStatus, state: SessionConversationState): string | undefined {
  if (status === 'failed') return failureSentence(state)
  if (status !== 'waiting') return undefined
  const block = pendingRequests(state)[0]?.block
  return shortText(block?.questions?.[0]?.text ?? block?.title)
}

/** Returns what the conversation does that wrote last. An agent speaks for itself, so its block in another conversation says nothing. */
function newestWork(state: SessionConversationState): Doing | undefined {
  const threads = [
    ...(state.turn.status === 'running' ? [{ title: undefined, blocks: state.blocks }] : []),
    ...state.subagents
      .filter(({ status }) => status === 'running')
      .map(({ description, name, blocks }) => ({ title: description ?? name, blocks })),
  ]
  const found = threads.flatMap(({ title, blocks }) => {
    const doing = doingIn(blocks.filter(({ type }) => type !== 'subagent'))
    return doing ? [{ title, ...doing }] : []
  })
  const last = found.reduce<(typeof found)[number] | undefined>(
    (newest, each) => (newest && at(newest.block) > at(each.block) ? newest : each),
    undefined,
  )
  const text = last && shortText(workText(last.block))
  if (!last || text === undefined) return undefined
  const { title, since } = last
  return omitUndefined({ text: title === undefined ? text : `${shortText(title)}: ${text}`, since })
}

function at({ timestamp = '' }: ConversationBlock): string {
  return timestamp
}

function workText(block: ConversationBlock): string | undefined {
  if (block.type === 'tool_use') return `${block.toolName} ${callSubject(partialInput(block))}`
  return block.type === 'assistant_text' || block.type === 'thinking'
    ? block.content.trimEnd().split('\n').at(-1)
    : undefined
}

/** In UTF-16 units. */
const MAX_TEXT = 240

/** Returns the start of a text on one line. */
function shortText(text: string | undefined): string | undefined {
  const line = text
    ?.slice(0, 2 * MAX_TEXT)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_TEXT)
  return line === '' ? undefined : line
}
