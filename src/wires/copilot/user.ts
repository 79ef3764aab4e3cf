import { omitUndefined } from '../../core/json/fields.ts'
import { asArray, asObject, asString, type JsonObject } from '../../core/json/values.ts'
import { isPrompt, type UserMessageBlock } from '../../core/state/block.ts'
import { type UserContentPart, userContent } from '../../core/state/content.ts'
import { MAIN } from '../../core/state/session.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { addAgentPrompt } from './agents.ts'
import type { Data } from './messages.ts'
import type { CopilotContext } from './notes.ts'
import { beginTurn, type EventPlace } from './turn.ts'

/** Shows a message to the model: of the person, of a parent agent, or of the program in their place. */
export function translatePrompt(
  place: EventPlace,
  prompt: Data<'user.message'>,
  context: CopilotContext,
): void {
  const { event, conversationId } = place
  const { source, delivery } = prompt
  const isOfProgram = source !== undefined && source !== 'user' && !source.startsWith('agent-')
  const isFirst = !isOfProgram && isFirstOfAgent(place, prompt.content, context.state)
  const id = isFirst ? `${conversationId}:prompt` : event.id
  if (context.state.findBlock(conversationId, id) || context.state.isAbandoned(id)) return
  if (!isOfProgram && conversationId === MAIN) beginTurn(place, delivery, context)
  // Nothing but its last reply reports the end of an agent's further run.
  if (!isOfProgram && context.state.hasEnded(conversationId))
    context.emit({ type: 'subagent:resumed', toolUseId: conversationId, runId: event.id })
  const origin = isOfProgram ? ('meta' as const) : undefined
  const block = {
    type: 'user_message',
    id,
    status: 'complete',
    content: contentOf(prompt, context.notes.values),
  } as const
  context.upsert(conversationId, { ...block, origin, timestamp: event.time })
  if (isFirst) addAgentPrompt(conversationId, prompt.content, context)
}

/** Whether the message is the prompt of the agent's call, or begins the conversation of an agent whose call is not known. */
function isFirstOfAgent(
  { event, conversationId }: EventPlace,
  content: string,
  state: SessionLookups,
): boolean {
  if (conversationId === MAIN) return false
  const first = state.blocksOf(conversationId).find(isPrompt)
  if (first) return first.id !== event.id && first.timestamp === event.time
  const { prompt } = state.findAgent(conversationId) ?? {}
  return prompt === undefined ? state.blocksOf(conversationId).length === 0 : prompt === content
}

function contentOf(
  { content, attachments }: Data<'user.message'>,
  notes: CopilotContext['notes']['values'],
): UserMessageBlock['content'] {
  const text = content === '' ? [] : [{ type: 'text', text: content } as const]
  const files = asArray(attachments).flatMap((each) => partOf(asObject(each), notes) ?? [])
  return userContent([...text, ...files]) ?? ''
}

/** A stream has the bytes of an attachment. A file has them once, under an id. */
function partOf(
  attachment: JsonObject,
  notes: CopilotContext['notes']['values'],
): UserContentPart | undefined {
  const asset = notes.assets.get(asString(attachment.assetId) ?? '')
  const data = asString(attachment.data) ?? asset?.data
  const mediaType = asString(attachment.mimeType) ?? asset?.mimeType
  const url = asString(attachment.path) ?? asString(attachment.filePath) ?? asString(attachment.url)
  const isWhole = data !== undefined && mediaType !== undefined
  if (!isWhole && url === undefined) return undefined
  const source = isWhole
    ? ({ type: 'base64', mediaType, data } as const)
    : omitUndefined({ type: 'url', url: url ?? '', mediaType })
  if (mediaType?.startsWith('image/')) return { type: 'image', source }
  return omitUndefined({ type: 'file', source, name: asString(attachment.displayName) })
}
