import type { IncomingBlock } from '../../core/events/event.ts'
import { isEqual } from '../../core/json/equal.ts'
import { type AllowUndefined, omitUndefined } from '../../core/json/fields.ts'
import { type BlockOf, type ConversationBlock, isCall, isModelText } from '../../core/state/block.ts'
import { numberedId } from '../../core/state/numbered-id.ts'
import { MAIN, type TokenUsage, uncachedInput } from '../../core/state/session.ts'
import type { Memory, SessionOutput } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { isShown } from '../kit/blocks.ts'
import { freeNumber } from '../kit/reused-ids.ts'
import type { ClineContext, ClineTokens } from './notes.ts'

// The stream and the files have no ids of messages in common. The place makes them: a reply is `<last prompt or
// call>:<n>`, its texts are `<reply>:<n>`, and its thoughts `<reply>:thinking:<n>`.

/** Returns the id of the prompt that begins a conversation. The stream does not have it. */
export function firstPromptId(conversationId: string): string {
  return conversationId === MAIN ? numberedId(0) : `${conversationId}:prompt`
}

/** Returns the id of a text or a thought of a reply. */
export function textId(reply: string, type: 'assistant_text' | 'thinking', number = 0): string {
  return type === 'assistant_text' ? `${reply}:${number}` : `${reply}:thinking:${number}`
}

/** Returns the last prompt or call of a conversation. */
function lastPlace(conversationId: string, state: SessionLookups): string {
  for (const block of state.groupFromEnd(conversationId, placeGroup, PLACE)) {
    const place = placeOf(block)
    if (place !== undefined) return place
  }
  return firstPromptId(conversationId)
}

const PLACE = 'place'
const placeGroup = (block: ConversationBlock): string | undefined => placeOf(block) && PLACE

function placeOf(block: ConversationBlock): string | undefined {
  if (block.type === 'user_message') return block.id
  return isCall(block) ? block.toolUseId : undefined
}

/** A part of a reply, by what shows that it is the next one's. */
type ReplyPart =
  | { readonly type: 'assistant_text' | 'thinking'; readonly content: string; readonly isWhole: boolean }
  | { readonly type: 'tokens'; readonly tokens: ClineTokens }
  | { readonly type: 'call' }

/** Returns the reply of a conversation that the part goes on with, or begins one. */
export function takeReply(conversationId: string, part: ReplyPart, memory: Memory<ClineContext>): string {
  const known = memory.notes.values.replies.get(conversationId)
  if (known !== undefined && !isOfNext(conversationId, known, part, memory.state)) return known
  const place = lastPlace(conversationId, memory.state)
  const number = freeNumber((each) => isTaken(conversationId, `${place}:${each}`, memory.state))
  const reply = `${place}:${number}`
  memory.notes.setEntry('replies', conversationId, reply)
  return reply
}

/** Whether the part belongs to the next reply. Calls come last in a reply, and it has one text, one thought, and its tokens once. */
function isOfNext(conversationId: string, reply: string, part: ReplyPart, state: SessionLookups): boolean {
  if (part.type === 'call') return false
  if (part.type === 'tokens') return isOtherUsage(state.usageOf(conversationId, reply), part.tokens)
  const { type, content, isWhole } = part
  const contentOf = (each: typeof type) => {
    const block = state.findBlock(conversationId, textId(reply, each))
    const isEnded = block !== undefined && !state.isOpen(conversationId, block.id)
    return isEnded && 'content' in block ? String(block.content) : undefined
  }
  const known = contentOf(type)
  if (isWhole && known === content) return false
  const [last] = state.messageFromEnd(conversationId, reply)
  if (isCall(last)) return true
  // The pieces of a thought do not state the thought so far.
  if (known !== undefined) return type === 'thinking' ? !known.includes(content) : !known.startsWith(content)
  return type === 'thinking' && !isWhole && contentOf('assistant_text') !== undefined
}

/** Whether the tokens are not those that are known. */
export function isOtherUsage(known: TokenUsage | undefined, tokens: ClineTokens): boolean {
  return known !== undefined && !isEqual(known, { ...known, ...usageIn(tokens) })
}

function isTaken(conversationId: string, reply: string, state: SessionLookups): boolean {
  return state.hasBlocks(conversationId, reply) || state.usageOf(conversationId, reply) !== undefined
}

/** Shows a block. One that is as it was adds nothing, and the first time of a block stays. */
export function show(
  conversationId: string,
  fields: AllowUndefined<IncomingBlock>,
  output: SessionOutput,
): void {
  const known = output.state.findBlock(conversationId, fields.id)
  const block: IncomingBlock = omitUndefined({ ...fields, timestamp: known?.timestamp ?? fields.timestamp })
  if (isShown(conversationId, block, output.state)) return
  if (conversationId === MAIN && !known && block.type !== 'user_message')
    output.turn.noteWork(block.timestamp)
  output.upsert(conversationId, block)
}

/** Reports the tokens of a reply. */
export function reportTokens(
  conversationId: string,
  {
    messageId,
    model,
    tokens,
  }: { readonly messageId: string; readonly model?: string | undefined; readonly tokens: ClineTokens },
  context: ClineContext,
): void {
  const usage = usageIn(tokens)
  const known = context.state.usageOf(conversationId, messageId)
  if (isEqual(known, omitUndefined({ messageId, final: true, model: model ?? known?.model, ...usage })))
    return
  const before = inputOf(known)
  context.emit({
    type: 'usage:reported',
    conversationId,
    messageId,
    final: true,
    model: model ?? known?.model,
    usage,
  })
  const sum = context.notes.values.inputSums.get(conversationId)
  if (sum === undefined) return
  const after = inputOf(context.state.usageOf(conversationId, messageId))
  context.notes.setEntry('inputSums', conversationId, sum - before + after)
}

/** Returns all input tokens of a conversation so far, with those of the cache. Only the first question adds up all replies. */
export function inputSum(conversationId: string, memory: Memory<ClineContext>): number {
  const known = memory.notes.values.inputSums.get(conversationId)
  if (known !== undefined) return known
  const sum = memory.state.usagesOf(conversationId).reduce((all, usage) => all + inputOf(usage), 0)
  memory.notes.setEntry('inputSums', conversationId, sum)
  return sum
}

function inputOf({ inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }: TokenUsage = {}): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens
}

/** Returns the tokens of a reply. The program counts those of the cache as input. */
function usageIn({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: ClineTokens): TokenUsage {
  return omitUndefined({
    inputTokens: uncachedInput(inputTokens, cacheReadTokens, cacheWriteTokens),
    outputTokens,
    cacheReadTokens: cacheReadTokens || undefined,
    cacheWriteTokens: cacheWriteTokens || undefined,
  })
}

/** The types of blocks with words of the model. */
type TextType = 'assistant_text' | 'thinking'

/** Returns the open text or thought of a conversation. */
export function openText(
  conversationId: string,
  type: TextType,
  state: SessionLookups,
): BlockOf<'assistant_text' | 'thinking'> | undefined {
  const found = state.lastOpenBlock(conversationId, (block) => block.type === type)
  return isModelText(found) ? found : undefined
}

/** Words of the model at a place. */
interface Words {
  readonly conversationId: string
  readonly type: TextType
  readonly time: string | undefined
}

/** Adds a piece of a text, which states the text so far. */
export function addText(
  { conversationId, type, time }: Words,
  accumulated: string,
  context: ClineContext,
): void {
  const open = openText(conversationId, type, context.state)
  const reply = open?.messageId
  if (!open || reply === undefined) return beginText({ conversationId, type, time }, accumulated, context)
  if (open.content.startsWith(accumulated)) return
  if (!accumulated.startsWith(open.content))
    return beginText({ conversationId, type, time }, accumulated, context)
  const delta = accumulated.slice(open.content.length)
  context.emit({ type: 'block:delta', conversationId, blockId: open.id, delta })
}

/** Adds a piece of a thought. */
export function addThought(words: Omit<Words, 'type'>, delta: string, context: ClineContext): void {
  const { conversationId } = words
  const open = openText(conversationId, 'thinking', context.state)
  if (!open) return beginText({ ...words, type: 'thinking' }, delta, context)
  context.emit({ type: 'block:delta', conversationId, blockId: open.id, delta })
}

function beginText({ conversationId, type, time }: Words, content: string, context: ClineContext): void {
  const messageId = takeReply(conversationId, { type, content, isWhole: false }, context)
  const id = textId(messageId, type)
  const known = context.state.findBlock(conversationId, id)
  if (known && !context.state.isOpen(conversationId, id)) return
  show(conversationId, { type, id, status: 'pending', content, messageId, timestamp: time }, context)
}

/** Shows a whole text or thought. */
export function endText({ conversationId, type, time }: Words, content: string, context: ClineContext): void {
  const messageId =
    openText(conversationId, type, context.state)?.messageId ??
    takeReply(conversationId, { type, content, isWhole: true }, context)
  const id = textId(messageId, type)
  show(conversationId, { type, id, status: 'complete', content, messageId, timestamp: time }, context)
}
