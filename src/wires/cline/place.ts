import { omitUndefined } from '../../core/json/fields.ts'
import type { ConversationBlock } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import type { Memory } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
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
  memory: Memory<ClineContext>,
): string | undefined {
  const asking = askingConversations(memory)
  if (isCovered(event, time, memory) || isKnown(event, asking, memory)) return undefined
  if (asking.length <= 1) return asking[0] ?? memory.notes.values.lastActor ?? MAIN
  const known = asking.find((id) => isContinued(id, event, memory))
  if (known === undefined) setAside(event, time, memory.notes)
  return known
}

/** Whether a conversation has the reply, and no one that asks goes on with it. After a reconnect, or behind a file, lines come again. */
function isKnown(event: ReplyEvent, asking: readonly string[], memory: Memory<ClineContext>): boolean {
  const { replies, unplaced = [] } = memory.notes.values
  if (event.type === 'thinking') return false
  if (event.type === 'tokens') {
    const { tokens } = event
    // The sum of all input so far shows whose tokens they are.
    if (asking.some((id) => fits(id, tokens, memory))) return false
    // The tokens of teammates come twice, the second time without a name.
    if (hasTeammates(memory.state)) return true
    return replies.entries().some(([id]) => inputSum(id, memory) === tokens.totalInputTokens)
  }
  // The first piece of a text may begin another one.
  if (event.type === 'text' && event.delta === event.accumulated) return false
  const type = event.type === 'thinking-end' ? 'thinking' : 'assistant_text'
  const has = (block: ConversationBlock | undefined) =>
    block?.type === type &&
    (event.type === 'text' ? block.content.startsWith(event.accumulated) : block.content === event.text)
  if (asking.some((id) => openText(id, type, memory.state))) return false
  if (unplaced.some((reply) => goesOn(reply, event))) return false
  return replies.entries().some(([id, reply]) => has(memory.state.findBlock(id, textId(reply, type))))
}

/** Whether a file has the reply. Main waits for its agents, so a file of main beyond that time is beyond their replies too. */
function isCovered(event: ReplyEvent, time: string | undefined, memory: Memory<ClineContext>): boolean {
  const { covered } = memory.notes.values
  if (time === undefined || covered.isEmpty) return false
  if (time <= (covered.get(MAIN) ?? '')) return true
  return covered.entries().some(([id, last]) => time <= last && hasReply(id, event, memory.state))
}

function hasReply(id: string, event: ReplyEvent, state: SessionLookups): boolean {
  if (event.type === 'tokens') return state.usagesOf(id).some((usage) => !isOtherUsage(usage, event.tokens))
  const words =
    event.type === 'text' ? event.accumulated : event.type === 'thinking' ? event.delta : event.text
  return state.blocksOf(id).some((block) => 'content' in block && String(block.content).includes(words))
}

/** Whether the event goes on with the open text of a conversation. */
function isContinued(id: string, event: ReplyEvent, memory: Memory<ClineContext>): boolean {
  const text = openText(id, 'assistant_text', memory.state)?.content
  if (event.type === 'text') return text !== undefined && text + event.delta === event.accumulated
  if (event.type === 'text-end') return text === event.text
  const thought = openText(id, 'thinking', memory.state)?.content
  if (event.type === 'thinking-end') return thought === event.text
  return event.type === 'tokens' && text !== undefined && id === memory.notes.values.lastActor
}

/** Whether the sum of all input so far is that of the conversation. */
function fits(
  id: string,
  { inputTokens = 0, totalInputTokens }: ClineTokens,
  memory: Memory<ClineContext>,
): boolean {
  if (totalInputTokens === undefined) return true
  return inputSum(id, memory) + inputTokens === totalInputTokens
}

/** Adds an event to the reply without an agent that it goes on with, or begins one. */
function setAside(event: ReplyEvent, time: string | undefined, notes: ClineContext['notes']): void {
  const waiting = notes.values.unplaced ?? []
  const at = waiting.findLastIndex((reply) => goesOn(reply, event))
  const others = waiting.filter((_, index) => index !== at)
  const reply = withEvent(waiting[at] ?? omitUndefined({ time }), event)
  const { tokens, ...last } = others.at(-1) ?? {}
  // The tokens of a reply come just before the end of its text, and do not say whose they are.
  const isOwn =
    event.type === 'text-end' && !reply.tokens && tokens && last.text === undefined && !last.hasEnded
  notes.remember({
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
export function takeUnplaced(id: string, memory: Memory<ClineContext>): UnplacedReply | undefined {
  const waiting = memory.notes.values.unplaced ?? []
  const whole = waiting.filter(({ hasEnded, tokens }) => hasEnded || tokens !== undefined)
  const reply = whole.find(({ tokens }) => tokens !== undefined && fits(id, tokens, memory)) ?? whole[0]
  if (reply) removeUnplaced(reply, memory.notes)
  return reply
}

/** Returns the replies that have a conversation now: one alone waits for the model. At the end of the input, all of them. */
export function placedReplies(
  isEnd: boolean,
  memory: Memory<ClineContext>,
): readonly { readonly conversationId: string; readonly reply: UnplacedReply }[] {
  const waiting = memory.notes.values.unplaced ?? []
  if (waiting.length === 0) return []
  if (!isEnd && askingConversations(memory, 2).length > 1) return []
  const asking = askingConversations(memory)
  memory.notes.remember({ unplaced: undefined })
  return waiting.map((reply, at) => ({ conversationId: asking[at] ?? asking.at(-1) ?? MAIN, reply }))
}

function removeUnplaced(reply: UnplacedReply, notes: ClineContext['notes']): void {
  const rest = (notes.values.unplaced ?? []).filter((each) => each !== reply)
  notes.remember({ unplaced: rest.length === 0 ? undefined : rest })
}
