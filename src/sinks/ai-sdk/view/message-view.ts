import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import { isSameList } from '../../../core/selectors/memoize.ts'
import type { MessageUsage } from '../../../core/state/session.ts'
import type { Todo } from '../../../core/state/todo.ts'
import type { SessionUIMetadata, SessionUIPart } from '../messages/ui-message.ts'
import type { MessageSpan } from './message-spans.ts'
import type { BlockParts, MessageView } from './thread.ts'

/** The values that make a message, besides its place. */
interface MessageFacts {
  readonly conversationId: string
  readonly responses: MessageUsage[] | undefined
  readonly todos: readonly Todo[] | undefined
  readonly blockParts: readonly BlockParts[]
  readonly knownParts: readonly BlockParts[]
  /** The place of the first block of the message whose parts may be new. */
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
  { blockParts, knownParts, first = to }: MessageFacts,
): SessionUIPart[] {
  const isAligned = known?.from === from
  const parts = isAligned ? known.message.parts.slice() : []
  let count = parts.length
  if (isAligned) for (const entry of knownParts.slice(first, known.to)) count -= entry.parts.length
  for (const entry of blockParts.slice(isAligned ? first : from, to))
    for (const part of entry.parts) {
      parts[count] = part
      count += 1
    }
  parts.length = count
  return parts
}

function metadataOf(
  { role, from, startedAt, endedAt, model }: MessageSpan,
  { conversationId, responses, todos, blockParts }: MessageFacts,
): SessionUIMetadata {
  const block = blockParts[from]?.block
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
