import { isConversationEvent } from '../../../core/events/guard.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import { asString, isObject, type JsonObject } from '../../../core/json/values.ts'
import { BLOCK, isSubagentBlockId } from '../../../core/state/block.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import type { AgUiContext, ShownBlock } from '../context.ts'
import type { Place } from '../ids.ts'
import { applyPatch } from '../shared/owned-document.ts'

/** Shows an activity. An activity of the sink is a block, and any other is a note. */
export function showActivity(
  place: Place,
  activityType: string,
  { content, timestamp }: { readonly content: JsonObject; readonly timestamp: string | undefined },
  context: AgUiContext,
): void {
  if (isSubagentBlockId(place.id)) return showAgentBlock(place, content, context)
  const known = context.find(place, 'activity')
  if (!known) context.noteWork()
  context.show(
    blockOf(known ?? context.slotOf(place, 'activity'), activityType, {
      content,
      timestamp: known?.timestamp ?? timestamp,
    }),
  )
}

/** If several blocks have the id of one call, the sink writes the first as a call and the others as activities. */
function showAgentBlock({ conversationId, id }: Place, content: JsonObject, output: SessionOutput): void {
  const event = { type: 'block:upsert', conversationId, block: { ...content, id, type: 'subagent' } }
  if (isConversationEvent(event)) output.emit(event)
}

function blockOf(
  { conversationId, id }: Place,
  activityType: string,
  { content, timestamp: known }: { readonly content: JsonObject; readonly timestamp: string | undefined },
): ShownBlock {
  const timestamp = Object.hasOwn(content, 'timestamp') ? content.timestamp : known
  // The check of a block reads its whole content, so a note does without it.
  if (Object.hasOwn(BLOCK.byType, activityType)) {
    const block = omitUndefined({ ...content, timestamp, type: activityType, id, conversationId })
    if (isShownBlock(block)) return block
  }
  return omitUndefined({
    type: 'system',
    id,
    conversationId,
    status: 'complete',
    subtype: activityType,
    message: messageOf(content) ?? activityType,
    data: dataOf(content),
    timestamp: asString(timestamp),
  })
}

function isShownBlock(block: object): block is ShownBlock {
  return isConversationEvent({ type: 'block:upsert', block }) && Reflect.get(block, 'type') !== 'subagent'
}

function messageOf({ message, title, text, content }: JsonObject): string | undefined {
  return [message, title, text, content].map(asString).find((words) => words !== undefined)
}

/** Returns the content itself if it has no time. A copy of a large content takes longer than the rest of a patch. */
function dataOf(content: JsonObject): JsonObject {
  if (!Object.hasOwn(content, 'timestamp')) return content
  const { timestamp: _, ...data } = content
  return data
}

/** Patches the content of a known activity. A patch that does not fit is an issue. */
export function patchActivity(
  place: Place,
  activityType: string,
  patch: unknown,
  context: AgUiContext,
): void {
  const block = context.find(place, 'activity')
  if (!block) return
  const content = applyPatch(contentOf(block), patch)?.document
  if (isObject(content)) showActivity(place, activityType, { content, timestamp: block.timestamp }, context)
  else context.reportUnknown('unknown-block', 'ACTIVITY_DELTA')
}

/** Returns the content that made the block. */
function contentOf(block: ShownBlock): unknown {
  if (block.type === 'system' && block.data !== undefined) return block.data
  const { id: _, conversationId: _conversationId, type: _type, ...content } = block
  return content
}
