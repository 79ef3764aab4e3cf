import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from '../../src/entries/index.ts'
import { random } from '../random.ts'

/** Events of made-up sessions; the same seed makes the same ones. */

const WORDS = ['the', 'reducer', 'keeps', 'every', 'block', 'of', 'a', 'session', 'and', 'loses', 'none.']

export function delta(
  blockId: string,
  conversationId = 'main',
): Extract<SessionEvent, { type: 'block:delta' }> {
  return { type: 'block:delta', conversationId, blockId, delta: 'word ' }
}

function text(
  id: string,
  status: 'pending' | 'complete',
  conversationId = 'main',
  content = '',
): SessionEvent {
  const block = { id, type: 'assistant_text' as const, status, content, messageId: id }
  return { type: 'block:upsert', conversationId, block }
}

/** A state of so many blocks, the last of which takes deltas. */
export function stateOf(blocks: number): SessionConversationState {
  const events = Array.from({ length: blocks }, (_, at) =>
    text(`b${at}`, at === blocks - 1 ? 'pending' : 'complete', 'main', WORDS.join(' ')),
  )
  return reduceSessionEvents(createInitialConversationState(), events)
}

export function lastBlock(state: SessionConversationState): string {
  return state.blocks.at(-1)?.id ?? ''
}

/** What a transcript of so many blocks is read into: each block pending, two deltas, then whole. */
export function transcript(blocks: number): readonly SessionEvent[] {
  return Array.from({ length: blocks }, (_, at) => turn(`b${at}`, 'main')).flat()
}

/** What a stored transcript of so many blocks is read into: each block once, whole. */
export function storedTranscript(blocks: number): readonly SessionEvent[] {
  return Array.from({ length: blocks }, (_, at) => text(`b${at}`, 'complete', 'main', WORDS.join(' ')))
}

function turn(id: string, conversationId: string): readonly SessionEvent[] {
  return [
    text(id, 'pending', conversationId),
    delta(id, conversationId),
    delta(id, conversationId),
    text(id, 'complete', conversationId, WORDS.join(' ')),
  ]
}

/** So many subagents, of which one after the other says a word: ten each. */
export function interleaved(subagents: number): readonly SessionEvent[] {
  const ids = Array.from({ length: subagents }, (_, at) => `t${at}`)
  return [
    ...ids.map(
      (toolUseId): SessionEvent => ({
        type: 'subagent:spawned',
        toolUseId,
        prompt: 'Go.',
        agentId: `a${toolUseId}`,
      }),
    ),
    ...ids.map((id) => text(`${id}:0`, 'pending', id)),
    ...Array.from({ length: 10 }, () => ids.map((id) => delta(`${id}:0`, id))).flat(),
    ...ids.map((toolUseId): SessionEvent => ({ type: 'subagent:completed', toolUseId, status: 'completed' })),
  ]
}

/** A log as sessions have it: turns, tools, subagents, usage, until there are so many events. */
export function mixed(events: number, seed = 1): readonly SessionEvent[] {
  const next = random(seed)
  const log: SessionEvent[] = []
  const conversations = ['main']
  for (let at = 0; log.length < events; at += 1) {
    const id = conversations[Math.floor(next() * conversations.length)] ?? 'main'
    const chance = next()
    if (chance < 0.7) log.push(...turn(`b${at}`, id))
    else if (chance < 0.9) log.push(...toolCall(`call${at}`, id))
    else if (chance < 0.95) log.push(usage(`m${at}`, id))
    else if (conversations.length < 12) {
      conversations.push(`t${at}`)
      log.push({ type: 'subagent:spawned', conversationId: id, toolUseId: `t${at}`, prompt: 'Go.' })
    } else {
      const [toolUseId = ''] = conversations.splice(1 + Math.floor(next() * 11), 1)
      log.push({ type: 'subagent:completed', toolUseId, status: 'completed', output: 'Done.' })
    }
  }
  return log.slice(0, events)
}

function toolCall(id: string, conversationId: string): readonly SessionEvent[] {
  const call = { id, type: 'tool_use' as const, toolName: 'Read', toolUseId: id, input: { path: 'a.ts' } }
  const result = {
    id: `${id}:result`,
    type: 'tool_result' as const,
    toolUseId: id,
    output: 'text',
    isError: false,
  }
  return [
    { type: 'block:upsert', conversationId, block: { status: 'pending', ...call } },
    { type: 'block:upsert', conversationId, block: { status: 'complete', ...result } },
    { type: 'block:upsert', conversationId, block: { status: 'complete', ...call } },
  ]
}

function usage(messageId: string, conversationId: string): SessionEvent {
  return {
    type: 'usage:reported',
    conversationId,
    messageId,
    usage: { inputTokens: 9, outputTokens: 9 },
    final: true,
  }
}
