import { omitUndefined } from '../../core/json/fields.ts'
import type { ConversationBlock } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import { askingConversations, hasTeammates } from './agents.ts'
import type { AgentEvent } from './messages.ts'
import type { ClineContext, ClineTokens, UnplacedReply } from './notes.ts'
import { inputSum, isOtherUsage, openText, textId } from './reply.ts'

// Lines of the stream name no agent. While one conversation alone waits for the model, a text is that one's. If
// several agents ask the model at the same time, a reply waits until a hook or the number of those agents names its
// agent.

/** The events that make a reply of the model, before its calls. */
export type ReplyEvent = Extract<
  AgentEvent,
  { readonly type: 'text' | 'text-end' | 'thinking' | 'thinking-end' | 'tokens' }
>

/** Returns the conversation of a part of a reply; undefined if it waits, or if it is a copy of a teammate's line. */
export function placeReply(
  event: ReplyEvent,
  time: string | undefined,
  context: ClineContext,
): string | undefined {
  const asking = askingConversations(context)
  if (isCovered(event, time, context) || isKnown(event, asking, context)) return undefined
  if (asking.length <= 1) return asking[0] ?? context.notes.values.lastActor ?? MAIN
  const known = asking.find((id) => isContinued(id, event, context))
  if (known === undefined) setAside(event, time, context)
  return known
}

/** Whether a conversation has the reply, and no one that asks goes on with it. After a reconnect, or behind a file, lines come again. */
function isKnown(event: ReplyEvent, asking: readonly string[], context: ClineContext): boolean {
  const { replies, unplaced = [] } = context.notes.values
  if (event.type === 'thinking') return false
  if (event.type === 'tokens') {
    const { tokens } = event
    // The sum of all input so far shows whose tokens they are.
    if (asking.some((id) => fits(id, tokens, context))) return false
    // The tokens of teammates come twice, the second time without a name.
    if (hasTeammates(context)) return true
    return replies.entries().some(([id]) => inputSum(id, context) === tokens.totalInputTokens)
  }
  // The first piece of a text may begin another one.
  if (event.type === 'text' && event.delta === event.accumulated) return false
  const type = event.type === 'thinking-end' ? 'thinking' : 'assistant_text'
  const has = (block: ConversationBlock | undefined) =>
    block?.type === type &&
    (event.type === 'text' ? block.content.startsWith(event.accumulated) : block.content === event.text)
  if (asking.some((id) => openText(id, type, context))) return false
  if (unplaced.some((reply) => goesOn(reply, event))) return false
  return replies.entries().some(([id, reply]) => has(context.state.findBlock(id, textId(reply, type))))
}

/** Whether a file has the reply. Main waits for its agents, so a file of main beyond that time is beyond their replies too. */
function isCovered(event: ReplyEvent, time: string | undefined, context: ClineContext): boolean {
  const { covered } = context.notes.values
  if (time === undefined || covered.isEmpty) return false
  if (time <= (covered.get(MAIN) ?? '')) return true
  return covered.entries().some(([id, last]) => time <= last && hasReply(id, event, context))
}

function hasReply(id: string, event: ReplyEvent, context: ClineContext): boolean {
  if (event.type === 'tokens')
    return context.state.usagesOf(id).some((usage) => !isOtherUsage(usage, event.tokens))
  const words =
    event.type === 'text' ? event.accumulated : event.type === 'thinking' ? event.delta : event.text
  return context.state
    .blocksOf(id)
    .some((block) => 'content' in block && String(block.content).includes(words))
}

/** Whether the event goes on with the open text of a conversation. */
function isContinued(id: string, event: ReplyEvent, context: ClineContext): boolean {
  const text = openText(id, 'assistant_text', context)?.content
  if (event.type === 'text') return text !== undefined && text + event.delta === event.accumulated
  if (event.type === 'text-end') return text === event.text
  const thought = openText(id, 'thinking', context)?.content
  if (event.type === 'thinking-end') return thought === event.text
  return event.type === 'tokens' && text !== undefined && id === context.notes.values.lastActor
}

/** Whether the sum of all input so far is that of the conversation. */
function fits(
  id: string,
  { inputTokens = 0, totalInputTokens }: ClineTokens,
  context: ClineContext,
): boolean {
  if (totalInputTokens === undefined) return true
  return inputSum(id, context) + inputTokens === totalInputTokens
}

/** Adds an event to the reply without an agent that it goes on with, or begins one. */
function setAside(event: ReplyEvent, time: string | undefined, context: ClineContext): void {
  const waiting = context.notes.values.unplaced ?? []
  const at = waiting.findLastIndex((reply) => goesOn(reply, event))
  const others = waiting.filter((_, index) => index !== at)
  const reply = withEvent(waiting[at] ?? omitUndefined({ time }), event)
  const { tokens, ...last } = others.at(-1) ?? {}
  // The tokens of a reply come just before the end of its text, and do not say whose they are.
  const isOwn =
    event.type === 'text-end' && !reply.tokens && tokens && last.text === undefined && !last.hasEnded
  context.notes.remember({
    unplaced: isOwn ? [...others.slice(0, -1), { ...reply, tokens }] : [...others, reply],
  })
}

function goesOn(reply: UnplacedReply, event: ReplyEvent): boolean {
  const { text, thinking, tokens, hasEnded } = reply
  switch (event.type) {
    case 'text':
      return (text ?? '') + event.delta === event.accumulated && !hasEnded && tokens === undefined
    case 'text-end':
      return text === event.text
    case 'tokens':
      return hasEnded === true && tokens === undefined
    // Pieces of thoughts do not say which thought they go on with. The whole thought follows the text.
    case 'thinking':
      return thinking !== undefined
    case 'thinking-end':
      return hasEnded === true && thinking === undefined
  }
}

function withEvent(reply: UnplacedReply, event: ReplyEvent): UnplacedReply {
  switch (event.type) {
    case 'text':
      return { ...reply, text: event.accumulated }
    case 'text-end':
      return { ...reply, text: event.text, hasEnded: true }
    case 'tokens':
      return { ...reply, tokens: event.tokens }
    case 'thinking':
      return reply
    case 'thinking-end':
      return { ...reply, thinking: event.text, hasEnded: true }
  }
}

/** Takes the reply of an agent that has begun a call or has ended: the first whole one whose tokens fit. */
export function takeUnplaced(id: string, context: ClineContext): UnplacedReply | undefined {
  const waiting = context.notes.values.unplaced ?? []
  const whole = waiting.filter(({ hasEnded, tokens }) => hasEnded || tokens !== undefined)
  const reply = whole.find(({ tokens }) => tokens !== undefined && fits(id, tokens, context)) ?? whole[0]
  if (reply) removeUnplaced(reply, context)
  return reply
}

/** Returns the replies that have a conversation now: one alone waits for the model. At the end of the input, all of them. */
export function placedReplies(
  isEnd: boolean,
  context: ClineContext,
): readonly { readonly conversationId: string; readonly reply: UnplacedReply }[] {
  const waiting = context.notes.values.unplaced ?? []
  if (waiting.length === 0) return []
  const asking = askingConversations(context)
  if (!isEnd && asking.length > 1) return []
  context.notes.remember({ unplaced: undefined })
  return waiting.map((reply, at) => ({ conversationId: asking[at] ?? asking.at(-1) ?? MAIN, reply }))
}

function removeUnplaced(reply: UnplacedReply, context: ClineContext): void {
  const rest = (context.notes.values.unplaced ?? []).filter((each) => each !== reply)
  context.notes.remember({ unplaced: rest.length === 0 ? undefined : rest })
}
