import { type ConversationBlock, isPrompt, messageIdOf, modelOf } from '../../../core/state/block.ts'

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

/** The difference between two lists of blocks. */
export interface BlockChanges {
  /** The number of blocks from the start that are at their known places. They may have another content. */
  readonly kept: number
  /** The places of the kept blocks with another content. */
  readonly replaced: readonly number[]
  /** Whether no block is new or gone. */
  readonly isInPlace: boolean
}

/** Returns the difference between the known blocks of a conversation and the new ones. */
export function blockChanges(
  known: readonly ConversationBlock[],
  blocks: readonly ConversationBlock[],
): BlockChanges {
  const replaced: number[] = []
  let kept = 0
  for (const block of blocks) {
    const before = known[kept]
    if (before !== block) {
      if (!before || !hasSamePlace(before, block)) break
      replaced.push(kept)
    }
    kept += 1
  }
  return { kept, replaced, isInPlace: kept === known.length && kept === blocks.length }
}

/** Whether no look-up, no border of a message and no metadata of an answer can tell the blocks apart. */
function hasSamePlace(left: ConversationBlock, right: ConversationBlock): boolean {
  return (
    left.id === right.id &&
    left.type === right.type &&
    left.timestamp === right.timestamp &&
    isPrompt(left) === isPrompt(right) &&
    callIdOf(left) === callIdOf(right) &&
    messageIdOf(left) === messageIdOf(right) &&
    modelOf(left) === modelOf(right)
  )
}

/** Returns the id of the call that the block is, or is about: a result, or a request for a permission to run it. */
export function callIdOf(block: ConversationBlock): string | undefined {
  if (block.type === 'request' && block.kind !== 'permission') return undefined
  return 'toolUseId' in block ? block.toolUseId : undefined
}
