import type { EventOf } from '../../core/events/event.ts'
import { isEqual } from '../../core/json/equal.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { asArray, asObject, asString, isString, type JsonObject } from '../../core/json/values.ts'
import {
  type BlockOf,
  type ConversationBlock,
  isModelText,
  messageIdOf,
  subagentBlockId,
} from '../../core/state/block.ts'
import { MAIN, TOKEN_COUNTS, type TokenUsage } from '../../core/state/session.ts'
import { type TokenFields, tokensIn } from '../../programs/token-fields.ts'
import type { Memory } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { extendResumed, repeatedTo } from '../kit/resumed-text.ts'
import { type Call, isWholeCall, showCall } from './calls.ts'
import type { Data } from './messages.ts'
import type { CopilotContext } from './notes.ts'
import { type EventPlace, isBeforeLast, isRepeatedDelta, noteDelta, showWork } from './turn.ts'

type TextBlock = BlockOf<'assistant_text' | 'thinking'>

function textId(messageId: string): string {
  return `${messageId}:0`
}

/**
 * Returns the id of the thinking in the reply that streams, or in the next one. Its deltas do not name the reply, so
 * the content before it does.
 */
function thinkingIdOf(conversationId: string, state: SessionLookups): string {
  const open = state.lastOpenBlock(conversationId, ({ type }) => type === 'thinking')
  if (open) return open.id
  const last = state
    .blocksOf(conversationId)
    .findLast((block) => isStored(block) && !isStreamed(block, state))
  // The id of an agent's block, with more behind it, would be that of another agent.
  const id = last?.type === 'subagent' ? last.toolUseId : last?.id
  return `${id ?? conversationId}:thinking`
}

/** Whether each form has the block at the same place. */
function isStored(block: ConversationBlock): boolean {
  if (block.type === 'user_message') return block.origin === undefined
  return block.type !== 'system' && block.type !== 'request' && block.type !== 'error'
}

/** Whether the block is of a reply that is not whole: a text, or a call with a part of its input. */
function isStreamed(block: ConversationBlock, state: SessionLookups): boolean {
  if (block.type === 'tool_use' || block.type === 'subagent') return block.inputText !== undefined
  return isModelText(block) && state.isOpen(block.conversationId, block.id)
}

const STREAMED = 'streamed'
/** The pending blocks of a reply that is not whole. */
const streamedGroup = (block: ConversationBlock): string | undefined => {
  if (block.status !== 'pending') return undefined
  const isCallInPart =
    (block.type === 'tool_use' || block.type === 'subagent') && block.inputText !== undefined
  return isCallInPart || isModelText(block) ? STREAMED : undefined
}

/** Appends to the thinking or, if the delta names its reply, to the text. */
export function appendText(
  place: EventPlace,
  { messageId, delta }: { readonly messageId?: string; readonly delta: string },
  context: CopilotContext,
): void {
  const { event, conversationId } = place
  const id = messageId === undefined ? thinkingIdOf(conversationId, context.state) : textId(messageId)
  const known = context.state.findBlock(conversationId, id)
  if ((known && !context.state.isOpen(conversationId, id)) || isRepeatedDelta(place, context)) return
  noteDelta(place, context.notes)
  if (isModelText(known)) return addDelta(known, delta, context)
  showWork(place, context)
  const type = messageId === undefined ? ('thinking' as const) : ('assistant_text' as const)
  const block = { type, id, status: 'pending', content: delta, messageId, timestamp: event.time } as const
  context.upsert(conversationId, block)
}

/** Goes back to the start of a text of an opened state: all its deltas come again. */
export function restartText(
  { conversationId }: EventPlace,
  { messageId }: Data<'assistant.message_start'>,
  memory: Memory<CopilotContext>,
): void {
  const key = memory.notes.keyOf(conversationId, textId(messageId))
  if (memory.notes.values.textPlaces.get(key)) memory.notes.setEntry('textPlaces', key, repeatedTo(0))
}

/** Adds a delta to a text. One of an opened state may have it already. */
function addDelta(block: TextBlock, delta: string, context: CopilotContext): void {
  const { conversationId, id: blockId } = block
  const key = context.notes.keyOf(conversationId, blockId)
  const place = context.notes.values.textPlaces.isEmpty ? undefined : context.notes.values.textPlaces.get(key)
  if (!place) return context.emit({ type: 'block:delta', conversationId, blockId, delta })
  context.notes.setEntry('textPlaces', key, extendResumed(block, { delta, place }, context))
}

type Reply = Data<'assistant.message'>

/** Translates a whole reply: thinking, text, calls. */
export function translateReply(place: EventPlace, reply: Reply, context: CopilotContext): void {
  const { event, conversationId } = place
  const { messageId, model, reasoningText: thinking = '', content = '' } = reply
  const calls = asArray(reply.toolRequests).flatMap((call) => readCall(asObject(call), messageId))
  if (isKnown(conversationId, { messageId, content }, calls, context.state))
    return forgetTokens(conversationId, reply, context.notes)
  showWork(place, context)
  if (conversationId === MAIN && model !== undefined) context.updateFacts({ model })
  const thinkingId = thinkingIdOf(conversationId, context.state)
  const common = { status: 'complete', messageId, model, timestamp: event.time } as const
  const texts = [
    { type: 'thinking', id: thinkingId, content: thinking, ...common } as const,
    { type: 'assistant_text', id: textId(messageId), content, ...common } as const,
  ].filter((text) => text.content !== '')
  const ids = [...texts.map(({ id }) => id), ...calls.map(({ toolUseId }) => toolUseId)]
  // A text that has streamed without the blocks before it moves behind them.
  const missing = ids.findIndex((id) => !isShown(conversationId, id, context.state))
  dropStreamed(conversationId, new Set(missing < 0 ? ids : ids.slice(0, missing)), context)
  for (const text of texts) context.upsert(conversationId, text)
  for (const call of calls) showCall(place, call, context)
  reportTokens(conversationId, reply, context)
  if (calls.length === 0 && conversationId === MAIN) context.turn.answer({})
}

function isShown(conversationId: string, id: string, state: SessionLookups): boolean {
  return [id, subagentBlockId(id)].some((each) => state.findBlock(conversationId, each) !== undefined)
}

function readCall(
  { toolCallId: toolUseId, name: toolName, arguments: input = {} }: JsonObject,
  messageId: string,
): readonly Call[] {
  return isString(toolUseId) && isString(toolName) ? [{ toolUseId, toolName, input, messageId }] : []
}

/** Whether the reply has come before. */
function isKnown(
  conversationId: string,
  { messageId, content }: { readonly messageId: string; readonly content: string },
  calls: readonly Call[],
  state: SessionLookups,
): boolean {
  if (state.isAbandoned(messageId) || state.usageOf(conversationId, messageId)) return true
  if (calls.some(({ toolUseId }) => isWholeCall(conversationId, toolUseId, state))) return true
  for (const block of state.messageFromEnd(conversationId, messageId))
    if (!state.isOpen(conversationId, block.id) && !isCut(block, content)) return true
  return false
}

/** Whether the block has a beginning of the text alone: the result of an agent's call has overtaken the agent's last reply. */
function isCut(block: ConversationBlock, text: string): boolean {
  return block.type === 'assistant_text' && block.content !== text && text.startsWith(block.content)
}

/** Takes back the blocks that have streamed, except those with the ids, which the whole reply completes. */
export function dropStreamed(
  conversationId: string,
  kept: ReadonlySet<string>,
  context: CopilotContext,
): void {
  if (context.notes.values.lastDeltas.get(conversationId))
    context.notes.removeEntry('lastDeltas', conversationId)
  const streamed = [
    ...context.state.cutBlocks(conversationId).filter((block) => isStreamed(block, context.state)),
    ...context.state.blocksIn(conversationId, streamedGroup, STREAMED),
  ]
  const found = streamed.map((block) => ({
    id: block.id,
    key: 'toolUseId' in block ? block.toolUseId : block.id,
  }))
  for (const { id: blockId, key } of found) {
    const place = context.notes.keyOf(conversationId, blockId)
    if (context.notes.values.textPlaces.get(place)) context.notes.removeEntry('textPlaces', place)
    if (!kept.has(key ?? '')) context.emit({ type: 'block:removed', conversationId, blockId })
  }
}

/** The tokens of one request. */
type Tokens = Pick<EventOf<'usage:reported'>, 'usage'> & { readonly model?: string | undefined }

/** The input has the tokens of the cache in it, whichever provider it is. */
const TOKENS: TokenFields = {
  inputTokens: 'inputTokens',
  outputTokens: 'outputTokens',
  cacheReadTokens: 'cacheReadTokens',
  cacheWriteTokens: 'cacheWriteTokens',
  reasoningTokens: 'reasoningTokens',
  holdsCached: true,
}

export function readTokens(data: JsonObject): Tokens {
  const usage = tokensIn({ ...data, reasoningTokens: data.reasoningTokens || undefined }, TOKENS)
  return omitUndefined({ model: asString(data.model), usage })
}

/** Buffers the tokens of a request until its reply comes, which has the same id of the request. */
export function bufferTokens(place: EventPlace, data: JsonObject, context: CopilotContext): void {
  const { conversationId } = place
  const apiCallId = asString(data.apiCallId) ?? asString(asObject(data.accounting).usageId) ?? place.event.id
  if (isBeforeLast(place, context.state) || context.state.usageOf(conversationId, apiCallId)) return
  if (context.notes.values.tokens.get(conversationId)?.apiCallId !== apiCallId)
    releaseTokens(conversationId, context)
  context.notes.setEntry('tokens', conversationId, omitUndefined({ apiCallId, ...readTokens(data) }))
}

/** Reports the tokens of a whole reply. Versions without them state those of the output. */
function reportTokens(
  conversationId: string,
  { messageId, apiCallId, outputTokens, model }: Reply,
  context: CopilotContext,
): void {
  const buffered = context.notes.values.tokens.get(conversationId)
  if (buffered && (apiCallId === undefined || apiCallId === buffered.apiCallId)) {
    context.notes.removeEntry('tokens', conversationId)
    report(conversationId, { ...buffered, messageId, final: true }, context)
  } else if (outputTokens !== undefined) {
    report(conversationId, { messageId, usage: { outputTokens }, final: false, model }, context)
    context.notes.buffer('openReplies', conversationId, messageId)
  }
}

/** Forgets the buffered tokens of a reply that comes again. */
function forgetTokens(conversationId: string, { apiCallId }: Reply, notes: CopilotContext['notes']): void {
  const buffered = notes.values.tokens.get(conversationId)
  if (buffered && buffered.apiCallId === apiCallId) notes.removeEntry('tokens', conversationId)
}

/** Reports buffered tokens whose reply has not come, or came before them. */
export function releaseTokens(conversationId: string, context: CopilotContext): void {
  const buffered = context.notes.values.tokens.get(conversationId)
  if (!buffered) return
  const { apiCallId, model, usage } = buffered
  context.notes.removeEntry('tokens', conversationId)
  const last = context.state.blocksOf(conversationId).findLast((block) => messageIdOf(block) !== undefined)
  const messageId = (last && messageIdOf(last)) ?? apiCallId
  const known = context.state.usageOf(conversationId, messageId)
  if (isEqual(known, omitUndefined({ messageId, final: true, model, ...usage }))) return
  report(
    conversationId,
    { messageId: known?.final ? apiCallId : messageId, usage, final: true, model },
    context,
  )
}

function report(
  conversationId: string,
  { messageId, usage, final, model }: Tokens & Pick<EventOf<'usage:reported'>, 'messageId' | 'final'>,
  context: CopilotContext,
): void {
  if (final) addFinalTokens(model, usage, context.notes)
  context.emit({ type: 'usage:reported', conversationId, messageId, usage, final, model })
}

/** Adds final tokens to the sum of their model. */
export function addFinalTokens(
  model: string | undefined,
  usage: TokenUsage,
  notes: CopilotContext['notes'],
): void {
  const known = notes.values.finalTokens.get(model ?? '')
  const sum = TOKEN_COUNTS.flatMap((name) =>
    usage[name] === undefined && known?.[name] === undefined
      ? []
      : [[name, (usage[name] ?? 0) + (known?.[name] ?? 0)] as const],
  )
  notes.setEntry('finalTokens', model ?? '', Object.fromEntries(sum))
}
