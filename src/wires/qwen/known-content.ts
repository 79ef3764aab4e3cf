import { omitUndefined } from '../../core/json/fields.ts'
import { type ConversationBlock, isModelText } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import type { LiveLine } from './messages.ts'
import type { QwenContext, QwenNotes } from './notes.ts'
import { typeOf } from './text.ts'

// The stream repeats the session in its order. So a search goes on behind the last block that has come, and a text behind its last piece: a search that
// began at the start of the session would make a long stream behind a large file slow.

type Behind = NonNullable<QwenNotes['behind']>

const START: Behind = { at: 0, text: '' }

/** Returns how far the stream has repeated the session. */
export function behindOf({ notes }: QwenContext): Behind {
  return notes.behind ?? START
}

type Fits = (block: ConversationBlock) => boolean

/** Finds a block of the session, and goes on behind it. A block of main in front of the last known one, or in a branch, is found, too. */
export function goBehind(parentId: string | undefined, fits: Fits, context: QwenContext): boolean {
  const from = nextPlace(parentId, context)
  const at = placeFrom(from, context.blocksOf(parentId ?? MAIN), fits)
  if (at === undefined) return isElsewhere(parentId, from, fits, context)
  if (parentId === undefined) context.remember({ behind: { ...behindOf(context), at: at + 1 } })
  else context.setEntry('behindAgents', parentId, at + 1)
  return true
}

function nextPlace(parentId: string | undefined, context: QwenContext): number {
  return parentId === undefined ? behindOf(context).at : (context.notes.behindAgents.get(parentId) ?? 0)
}

function placeFrom(from: number, blocks: readonly ConversationBlock[], fits: Fits): number | undefined {
  for (let place = from; place < blocks.length; place += 1) {
    const block = blocks[place]
    if (block && fits(block)) return place
  }
  return undefined
}

function isElsewhere(
  parentId: string | undefined,
  before: number,
  fits: Fits,
  context: QwenContext,
): boolean {
  const { branches } = context
  return (
    context
      .blocksOf(parentId ?? MAIN)
      .slice(0, before)
      .some(fits) || branches.some(({ blocks }) => blocks.some(fits))
  )
}

/** Whether the session has the text that a piece goes on with. It notes the place of the text. */
export function goOnInText(
  { parentId, text: piece, isThought }: Extract<LiveLine, { readonly type: 'delta' }>,
  context: QwenContext,
): boolean {
  const behind = behindOf(context)
  const known = behind.place?.parentId === parentId ? behind.place : undefined
  const blocks = context.blocksOf(parentId ?? MAIN)
  const textIn = (block: ConversationBlock | undefined) =>
    block?.type === typeOf(isThought) && isModelText(block) ? block.content : undefined
  if (known && textIn(blocks[known.block])?.startsWith(piece, known.offset + behind.text.length)) return true
  const words = behind.text + piece
  const first = known?.block ?? nextPlace(parentId, context)
  for (let at = first; at < blocks.length; at += 1) {
    const offset = textIn(blocks[at])?.indexOf(words, at === known?.block ? known.offset : 0) ?? -1
    if (offset < 0) continue
    context.remember({ behind: { ...behind, place: omitUndefined({ block: at, offset, parentId }) } })
    return true
  }
  return isElsewhere(parentId, first, (block) => textIn(block)?.includes(words) === true, context)
}
