import { addToResumed, isDistinctive, repeatedTo } from '../../../session/resume/resumed-text.ts'
import { MAIN } from '../../../state/session.ts'
import { claimHeldPrompt } from '../blocks/prompt.ts'
import { type Chunk, textBlock, unmarkWhole } from '../blocks/text.ts'
import type { AcpContext } from '../context.ts'
import type { KnownThread, OpenText, ResumedItem, ResumedTurn } from '../memory.ts'

// The messages of ACP have no numbers, and the chunks of a text have no places. After a resume, messages of the last turn may come again. A prompt,
// a whole message or an ended call that comes again shows the place. The texts after it come again from their start.

/** The part of a chunk that the thread does not have. */
interface NewText {
  readonly text: string
  /** The whole open text, if the last chunks turned out to be repeated ones. */
  readonly content?: string | undefined
}

/** Returns what is new of a chunk. */
export function newTextOf(conversationId: string, chunk: Chunk, context: AcpContext): NewText {
  const thread = context.thread(conversationId)
  const { resumedTurn } = thread
  if (!resumedTurn) return chunk
  const { turn, ...added } =
    resumedTurn.index === undefined
      ? addAtUnknownPlace(thread, resumedTurn, chunk)
      : addAtPlace(resumedTurn, resumedTurn.index, chunk)
  context.updateThread(conversationId, { resumedTurn: turn })
  return added
}

interface Added extends NewText {
  /** The place after the chunk, while more chunks may be repeated ones. */
  readonly turn?: ResumedTurn | undefined
}

function addAtPlace(turn: ResumedTurn, from: number, chunk: Chunk): Added {
  const { items, place: before } = turn
  const position = before?.type === 'repeated' ? before.position : 0
  const isEnded = (item: ResumedItem, index: number) =>
    index < from || item.kind === 'call' || (index === from && position >= item.content.length)
  const index = items.findIndex((item, at) => !isEnded(item, at))
  const item = items[index]
  if (item?.kind !== chunk.kind || item.id !== chunk.messageId) return { text: chunk.text }
  const start = index === from ? position : 0
  // The block of a thinking does not have the empty lines before it.
  const text = start === 0 && item.kind === 'thinking' ? chunk.text.replace(/^\n+/, '') : chunk.text
  const { delta, place } = addToResumed(item.content, { delta: text, place: repeatedTo(start) })
  return place ? { text: '', turn: { ...turn, index, place } } : { text: delta }
}

function addAtUnknownPlace({ openText, messageId }: KnownThread, turn: ResumedTurn, chunk: Chunk): Added {
  const { items } = turn
  if (openText?.kind === chunk.kind && openText.messageId === chunk.messageId) {
    const { delta, content, place } = addToResumed(turn.openText?.content ?? '', {
      delta: chunk.text,
      place: turn.place,
    })
    return { text: delta, content, turn: place && { ...turn, place } }
  }
  if (chunk.messageId === undefined || chunk.messageId !== messageId || !isDistinctive(chunk.text))
    return chunk
  const index = items.findLastIndex(({ kind, id }) => kind === chunk.kind && id === chunk.messageId)
  const start = items[index]?.content.indexOf(chunk.text) ?? -1
  return start < 0
    ? chunk
    : { text: '', turn: { ...turn, index, place: repeatedTo(start + chunk.text.length) } }
}

/** Remembers that the whole turn comes again, with its agents. */
export function repeatTurn(context: AcpContext): void {
  for (const { id, resumedTurn } of context.memory.threads.values())
    if (resumedTurn)
      context.updateThread(id, { resumedTurn: { ...resumedTurn, index: 0, place: repeatedTo(0) } })
}

/**
 * Goes on with the last turn of a resumed state: a held prompt turns out to be the turn's own. The response to an earlier prompt, which came
 * again before it, has ended the turn.
 */
export function reopenTurn(itemId: string | undefined, context: AcpContext): void {
  const { heldPrompt, promptId, lastTurn } = context.memory
  const { resumedTurn, openText } = context.thread(MAIN)
  if (!heldPrompt || itemId === undefined || !resumedTurn?.items.some(({ id }) => id === itemId)) return
  claimHeldPrompt(context)
  if (lastTurn?.status === 'interrupted')
    context.emit({ type: 'block:removed', conversationId: MAIN, blockId: `${promptId}:interruption` })
  if (resumedTurn.openText && !openText) reopenText(resumedTurn.openText, context)
  repeatTurn(context)
}

/** Shows a text as open again. A pending block does not replace a final one. */
function reopenText(openText: OpenText, context: AcpContext): void {
  context.emit({ type: 'block:removed', conversationId: MAIN, blockId: openText.blockId })
  context.updateThread(MAIN, { openText })
  context.upsert(MAIN, textBlock(openText, 'pending'))
  if (openText.messageId !== undefined) unmarkWhole(MAIN, openText.messageId, context)
}

/** Remembers that a message or a call comes again, so the items after it come again too. */
export function repeatItem(conversationId: string, id: string, context: AcpContext): void {
  const { resumedTurn } = context.thread(conversationId)
  const last = resumedTurn?.items.findLastIndex((item) => item.id === id) ?? -1
  if (resumedTurn && last >= 0)
    context.updateThread(conversationId, {
      resumedTurn: { ...resumedTurn, index: last + 1, place: repeatedTo(0) },
    })
}
