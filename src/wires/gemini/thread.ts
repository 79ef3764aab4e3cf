import type { IncomingBlock } from '../../core/events/event.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { type ConversationBlock, isCall } from '../../core/state/block.ts'
import { numberedId, numberOfId } from '../../core/state/numbered-id.ts'
import { MAIN } from '../../core/state/session.ts'
import type { Memory, SessionOutput } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import type { GeminiContext } from './notes.ts'

/** A conversation and its file. */
export interface Thread {
  /** `'main'`, or the agent's own id. */
  readonly key: string
  /** The conversation's id in the state. An agent whose call is not known has its own id. */
  readonly conversationId: string
}

/** Returns the thread of an agent by the agent's own id, or main's. */
export function threadOf(agentId: string | undefined, state: SessionLookups): Thread {
  if (agentId === undefined) return { key: MAIN, conversationId: MAIN }
  return { key: agentId, conversationId: state.findAgent(agentId)?.toolUseId ?? agentId }
}

/** Adds a block to a conversation. In main it shows that the model works, unless the turn ended after that time. */
export function showWork({ conversationId }: Thread, block: IncomingBlock, output: SessionOutput): void {
  if (conversationId === MAIN) output.turn.noteWork(block.timestamp)
  output.upsert(conversationId, block)
}

/** Whether main has no block of that time or a later one. */
export function isLast(time: string | undefined, state: SessionLookups): boolean {
  return time === undefined || time > (lastTime(state) ?? '')
}

/** Returns the last time that a block of main states. */
export function lastTime(state: SessionLookups): string | undefined {
  return state.blocksOf(MAIN).findLast(({ timestamp }) => timestamp !== undefined)?.timestamp
}

/** Returns the id of the next prompt of a thread. */
export function takePromptId({ key }: Thread, notes: GeminiContext['notes']): string {
  const count = notes.values.promptCounts.get(key) ?? 0
  notes.setEntry('promptCounts', key, count + 1)
  return numberedId(count)
}

// Neither the stream nor a file names its texts in a way that the other one knows. The place makes their ids: `<id of
// the last prompt or call>:<n>`.

/** A prompt or a call, and the numbers of the next text and the next thought after it. */
export type Place = NonNullable<GeminiContext['notes']['values']['streamPlace']>

/** Returns the last prompt or call that the thread's file has named, or else the last one of the state. */
export function placeInFile(thread: Thread, memory: Memory<GeminiContext>): Place {
  return memory.notes.values.places.get(thread.key) ?? lastPlace(thread.conversationId, memory.state)
}

/** Returns the last prompt or call of a conversation. */
export function lastPlace(conversationId: string, state: SessionLookups): Place {
  const last = state.blocksOf(conversationId).findLast((block) => placeOf(block) !== undefined)
  return { id: (last && placeOf(last)) ?? 'start' }
}

function placeOf(block: ConversationBlock): string | undefined {
  if (block.type === 'user_message') return numberOfId(block.id) === undefined ? undefined : block.id
  return isCall(block) ? block.toolUseId : undefined
}

/** Returns the id of the next text or thought at a place which is free, or which `fits`, and the place after it. */
export function takeTextId(
  conversationId: string,
  place: Place,
  type: 'assistant_text' | 'thinking',
  fits: (known: ConversationBlock) => boolean,
  state: SessionLookups,
): { readonly id: string; readonly next: Place } {
  const [field, beginning] =
    type === 'thinking' ? (['thoughts', `${place.id}:thinking`] as const) : (['texts', place.id] as const)
  for (let number = place[field] ?? 0; ; number += 1) {
    const id = `${beginning}:${number}`
    const known = state.findBlock(conversationId, id)
    if (known && !fits(known)) continue
    const texts = type === 'thinking' ? place.texts : number + 1
    const thoughts = type === 'thinking' ? number + 1 : place.thoughts
    return { id, next: omitUndefined({ id: place.id, texts, thoughts }) }
  }
}

/** Returns a text as files have it: without signs that nobody sees. */
export function storedText(text: string): string {
  return text
    .replace(/[\u200B-\u200F\uFEFF]/gu, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .trim()
}
