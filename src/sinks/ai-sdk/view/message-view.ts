import { isEqual } from '../../../json/equal.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { isSameList } from '../../../selectors/memoize.ts'
import type { MessageUsage } from '../../../state/session.ts'
import type { Todo } from '../../../state/todo.ts'
import type { SessionUIMessage, SessionUIMetadata, SessionUIPart } from '../messages/ui-message.ts'
import type { Entry } from './entries.ts'
import type { MessageSpan } from './message-spans.ts'

/** A message of a conversation. */
export interface MessageView extends MessageSpan {
  readonly message: SessionUIMessage
}

/** The values that make a message, besides its place. */
interface MessageFacts {
  readonly conversationId: string
  readonly responses: MessageUsage[] | undefined
  readonly todos: readonly Todo[] | undefined
  readonly entries: readonly Entry[]
  readonly knownEntries: readonly Entry[]
  /** The place of the first entry of the message that may not be a known one. */
  readonly first: number | undefined
}

/** Returns the view of a message. Its metadata and the message stay the same objects as long as nothing in them changes. */
export function viewMessage(
  span: MessageSpan,
  known: MessageView | undefined,
  facts: MessageFacts,
): MessageView {
  const { id, role } = span
  const before = known?.message
  const isTouched = known !== span || facts.first !== undefined
  if (
    !isTouched &&
    isEqual([before?.metadata.responses, before?.metadata.todos], [facts.responses, facts.todos])
  )
    return known
  const parts = isTouched ? partsOf(span, known, facts) : known.message.parts
  const made = metadataOf(span, facts)
  const metadata = before && isEqual(before.metadata, made) ? before.metadata : made
  const isSame = before?.id === id && before.metadata === metadata && isSameList(before.parts, parts)
  return { ...span, message: isSame ? before : { id, role, metadata, parts } }
}

/** Copies the known parts, and replaces those from the first change on. */
function partsOf(
  { from, to }: MessageSpan,
  known: MessageView | undefined,
  { entries, knownEntries, first = to }: MessageFacts,
): SessionUIPart[] {
  const isAligned = known?.from === from
  const parts = isAligned ? known.message.parts.slice() : []
  let count = parts.length
  if (isAligned) for (const entry of knownEntries.slice(first, known.to)) count -= entry.parts.length
  for (const entry of entries.slice(isAligned ? first : from, to))
    for (const part of entry.parts) {
      parts[count] = part
      count += 1
    }
  parts.length = count
  return parts
}

function metadataOf(
  { role, from, startedAt, endedAt, model }: MessageSpan,
  { conversationId, responses, todos, entries }: MessageFacts,
): SessionUIMetadata {
  const block = entries[from]?.block
  const prompt = role === 'user' && block?.type === 'user_message' ? block : undefined
  return omitUndefined({
    conversationId,
    startedAt,
    endedAt,
    model,
    responses,
    todos: todos && [...todos],
    checkpoint: prompt?.checkpoint,
    changes: prompt?.changes && [...prompt.changes],
  })
}
