import { asFiniteNumber, asObject, asString } from '../../core/json/values.ts'
import { type ConversationBlock, isPrompt } from '../../core/state/block.ts'
import { isRewindMark } from '../../core/state/rewind.ts'
import { MAIN } from '../../core/state/session.ts'
import { abandonFrom } from '../kit/abandon.ts'
import { compactionBlocks } from '../kit/compaction.ts'
import type { KimiContext } from './context.ts'
import type { KimiEvent } from './messages.ts'

/** Moves the turns that the person has taken back to a branch. A repeated event finds no such turn any more. */
export function takeTurnsBack(
  { fields, time }: KimiEvent,
  conversationId: string,
  context: KimiContext,
): void {
  const from = asFiniteNumber(fields.fromTurnId)
  const blocks = context.blocksOf(MAIN)
  if (
    conversationId !== MAIN ||
    blocks.some((block) => isRewindMark(block) && asObject(block.data).fromTurnId === from)
  )
    return
  const known = from === undefined ? undefined : context.notes.turnPrompts.get(String(from))
  const index =
    known === undefined ? firstOfLast(blocks, fields.turns) : blocks.findIndex(({ id }) => id === known)
  const first = blocks[index]
  if (!first) return
  const data = { turns: fields.turns, fromTurnId: from }
  abandonFrom(index, { id: `rewind:${first.id}`, data, timestamp: time }, context)
}

/** Returns the place of the first of the last prompts. A state alone does not show the numbers of turns. */
function firstOfLast(blocks: readonly ConversationBlock[], turns: unknown): number {
  const prompts = blocks.flatMap((block, index) => (isPrompt(block) ? [index] : []))
  return prompts.at(-Math.max(1, asFiniteNumber(turns) ?? 1)) ?? -1
}

/** Shows that the conversation was summed up, and the summary. Its time is its id, or else the step before it. */
export function showCompaction(
  { fields, time }: KimiEvent,
  conversationId: string,
  context: KimiContext,
): void {
  const id = `compaction:${time ?? context.notes.steps.get(conversationId)?.id ?? 'start'}`
  const compaction = { id, summary: asString(fields.summary), timestamp: time }
  for (const block of compactionBlocks(compaction)) context.show(conversationId, block)
}
