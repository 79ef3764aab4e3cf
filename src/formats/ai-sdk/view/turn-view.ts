import { isEqual } from '../../../json/equal.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { isSameList } from '../../../selectors/memoize.ts'
import type { MessageUsage } from '../../../state/session.ts'
import type { Todo } from '../../../state/todo.ts'
import type { SessionUIMessage, SessionUIMetadata, SessionUIPart } from '../messages/ui-message.ts'
import type { Entry } from './entries.ts'
import type { Turn } from './split-turns.ts'

/** A message of a conversation. */
export interface TurnView extends Turn {
  readonly message: SessionUIMessage
}

/** The values that make a message, besides its place. */
interface TurnFacts {
  readonly conversationId: string
  readonly responses: MessageUsage[] | undefined
  readonly todos: readonly Todo[] | undefined
  readonly entries: readonly Entry[]
  readonly knownEntries: readonly Entry[]
  /** The place of the first entry of the message that may not be a known one. */
  readonly first: number | undefined
}

/** Returns the view of a message. Its metadata and the message stay the same objects as long as nothing in them changes. */
export function viewTurn(turn: Turn, known: TurnView | undefined, facts: TurnFacts): TurnView {
  const { id, role } = turn
  const before = known?.message
  const isTouched = known !== turn || facts.first !== undefined
  if (
    !isTouched &&
    isEqual([before?.metadata.responses, before?.metadata.todos], [facts.responses, facts.todos])
  )
    return known
  const parts = isTouched ? partsOf(turn, known, facts) : known.message.parts
  const made = metadataOf(turn, facts)
  const metadata = before && isEqual(before.metadata, made) ? before.metadata : made
  const isSame = before?.id === id && before.metadata === metadata && isSameList(before.parts, parts)
  return { ...turn, message: isSame ? before : { id, role, metadata, parts } }
}

/** Copies the known parts, and replaces those from the first change on. */
function partsOf(
  { from, to }: Turn,
  known: TurnView | undefined,
  { entries, knownEntries, first = to }: TurnFacts,
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
  { role, from, startedAt, endedAt, model }: Turn,
  { conversationId, responses, todos, entries }: TurnFacts,
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
