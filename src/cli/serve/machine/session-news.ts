import { omitUndefined } from '../../../core/json/fields.ts'
import { timeInMs } from '../../../core/json/lists.ts'
import { isObject } from '../../../core/json/values.ts'
import { partialInput, subjectField, subjectText } from '../../../core/selectors/call-input.ts'
import { failureSentence } from '../../../core/selectors/failure.ts'
import { fileChanges } from '../../../core/selectors/file-changes.ts'
import { pendingRequests } from '../../../core/selectors/requests.ts'
import { type SessionStatus, sessionStatus } from '../../../core/selectors/status.ts'
import { lastText } from '../../../core/state/block.ts'
import { sumChanges } from '../../../core/state/file-change.ts'
import type { ConversationThread, SessionConversationState } from '../../../core/state/session.ts'
import { continued, lastTime } from '../../../node/session-index/kept-row.ts'
import { ACTIVE_MS } from '../../../node/session-index/session-row.ts'
import type { Doing, SessionNews } from './listed-session.ts'

/**
 * Returns the news of a session that was read to its end. A turn or an agent without an end may go on for a while. `now`
 * is in ms since the epoch.
 */
export function newsOf(
  read: SessionConversationState,
  { updatedAt, now }: { readonly updatedAt: string | undefined; readonly now: number },
): SessionNews {
  const lastAt = Math.max(timeInMs(updatedAt) || 0, lastTime(read))
  const state = now - lastAt < ACTIVE_MS ? continued(read) : read
  const status = sessionStatus(state)
  const changes = fileChanges(state)
  const { added, removed } = sumChanges(changes)
  return omitUndefined({
    status,
    reason: reasonOf(status, state),
    doing: status === 'running' || status === 'background' ? doingIn(state) : undefined,
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
function doingIn(state: SessionConversationState): Doing | undefined {
  const threads = [
    ...(state.turn.status === 'running' ? [{ title: undefined, blocks: state.blocks }] : []),
    ...state.subagents
      .filter(({ status }) => status === 'running')
      .map(({ description, name, blocks }) => ({ title: description ?? name, blocks })),
  ]
  const found = threads.flatMap(({ title, blocks }) => {
    const doing = lastWork(blocks)
    return doing ? [{ title, ...doing }] : []
  })
  const last = found.reduce<(typeof found)[number] | undefined>(
    (newest, each) => (newest && (newest.since ?? '') > (each.since ?? '') ? newest : each),
    undefined,
  )
  if (!last) return undefined
  const { title, text, since } = last
  return omitUndefined({ text: title === undefined ? text : `${shortText(title)}: ${text}`, since })
}

function lastWork(blocks: ConversationThread['blocks']): Doing | undefined {
  for (let at = blocks.length - 1; at >= 0; at -= 1) {
    const block = blocks[at]
    const text =
      block?.type === 'tool_use'
        ? `${block.toolName} ${subjectOf(partialInput(block))}`
        : block?.type === 'assistant_text' || block?.type === 'thinking'
          ? block.content.trimEnd().split('\n').at(-1)
          : undefined
    const short = shortText(text)
    if (short !== undefined) return omitUndefined({ text: short, since: block?.timestamp })
  }
  return undefined
}

function subjectOf(input: unknown): string {
  const field = isObject(input) ? subjectField(input) : undefined
  return isObject(input) && field !== undefined ? subjectText(input, field) : ''
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
