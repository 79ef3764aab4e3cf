import { type ConversationBlock, isPrompt, modelOf } from '../../../core/state/block.ts'

/** The place of one message among the blocks: a message of the person alone, or everything until the next one. */
export interface MessageSpan {
  readonly id: string
  readonly role: 'user' | 'assistant'
  /** The place of the first block. */
  readonly from: number
  /** The place after the last block. */
  readonly to: number
  readonly startedAt?: string | undefined
  readonly endedAt?: string | undefined
  /** The last model that a block names. */
  readonly model?: string | undefined
}

/** Returns the places of the messages. They stay the same objects within the `kept` first blocks, which are at their known places. */
export function messageSpans<Known extends MessageSpan>(
  conversationId: string,
  blocks: readonly ConversationBlock[],
  { known, kept }: { readonly known: readonly Known[]; readonly kept: number },
): readonly (Known | MessageSpan)[] {
  const spans: (Known | MessageSpan)[] = known.slice(0, known.findLastIndex(({ to }) => to <= kept) + 1)
  const last = spans.pop()
  if (last) spans.push(grown(last, blocks))
  for (let before = spans.at(-1); (before?.to ?? 0) < blocks.length; before = spans.at(-1))
    spans.push(spanAt(before?.to ?? 0, blocks, before?.id ?? conversationId))
  return spans
}

function spanAt(from: number, blocks: readonly ConversationBlock[], idBefore: string): MessageSpan {
  const first = blocks[from]
  return first && isPrompt(first)
    ? grown({ id: first.id, role: 'user', from, to: from }, blocks)
    : grown({ id: `${idBefore}:answer`, role: 'assistant', from, to: from }, blocks)
}

/** Adds the blocks that belong to the message. */
function grown<Known extends MessageSpan>(
  span: Known | MessageSpan,
  blocks: readonly ConversationBlock[],
): Known | MessageSpan {
  const { role, from } = span
  let { to, startedAt, endedAt, model } = span
  for (let block = blocks[to]; block; block = blocks[to]) {
    if (to > from && (role === 'user' || isPrompt(block))) break
    to += 1
    startedAt ??= block.timestamp
    endedAt = block.timestamp ?? endedAt
    model = modelOf(block) ?? model
  }
  return to === span.to ? span : { ...span, to, startedAt, endedAt, model }
}
