import * as fc from 'fast-check'
import type { IncomingBlock, SessionEvent } from '../../core/events/event.ts'
import { assertNever } from '../../core/json/values.ts'
import { toolResultBlockId } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'

type Item = Text | Prompt | Call | Agent

interface Text {
  readonly type: 'assistant_text' | 'thinking'
  readonly words: readonly string[]
}

interface Prompt {
  readonly type: 'prompt'
  readonly text: string
}

interface Call {
  readonly type: 'call'
  readonly input: unknown
  readonly output: string
  readonly isError: boolean
}

interface Agent {
  readonly type: 'agent'
  readonly prompt: string
  readonly items: readonly Item[]
  /** Undefined if it still runs at the end. */
  readonly status: 'completed' | 'error' | undefined
  /** Its parent continues while it runs. */
  readonly isInBackground: boolean
}

interface Place {
  readonly conversationId: string
  readonly id: string
}

/**
 * Arbitrary logs of sessions without errors: prompts, streamed text and thinking with their final blocks, calls with
 * their results, and tokens. Subagents are nested up to three levels; some run in the background, and some still run
 * at the end. In some logs a cut ends main's turn, and the next input continues it. The reducer reports no issue for
 * any event.
 */
export function sessionLog(): fc.Arbitrary<readonly SessionEvent[]> {
  return fc.tuple(items(3), fc.option(fc.nat())).map(([all, place]) => {
    const events = eventsOf(all, MAIN)
    const at = place === null ? undefined : place % (events.length + 1)
    return [
      { type: 'session:running' },
      ...events.slice(0, at),
      ...(at === undefined ? [] : [...CUT, ...events.slice(at)]),
      { type: 'session:idle' },
    ]
  })
}

/** The end of an input in the middle of main's turn, and the start of the next input. */
const CUT: readonly SessionEvent[] = [
  { type: 'session:idle', outcome: 'interrupted', cut: true },
  { type: 'session:running', continues: true },
]

const text: fc.Arbitrary<string> = fc.lorem({ maxCount: 4 })

function items(depth: number): fc.Arbitrary<readonly Item[]> {
  const words = fc.array(text, { minLength: 1, maxLength: 5 })
  const plain: fc.Arbitrary<Item> = fc.oneof(
    fc.record({ type: fc.constantFrom('assistant_text', 'thinking'), words }),
    fc.record({ type: fc.constant('prompt'), text }),
    fc.record({
      type: fc.constant('call'),
      input: fc.dictionary(fc.constantFrom('path', 'command', 'query'), text, { noNullPrototype: true }),
      output: text,
      isError: fc.boolean(),
    }),
  )
  const item = depth === 0 ? plain : fc.oneof({ arbitrary: plain, weight: 3 }, agent(depth - 1))
  return fc.array(item, { maxLength: 6 })
}

function agent(depth: number): fc.Arbitrary<Agent> {
  return fc.record({
    type: fc.constant('agent'),
    prompt: text,
    items: items(depth),
    status: fc.constantFrom('completed', 'completed', 'error', undefined),
    isInBackground: fc.boolean(),
  })
}

/** The ids contain the items' places, so they are unique. */
function eventsOf(items: readonly Item[], conversationId: string): readonly SessionEvent[] {
  let later: readonly SessionEvent[] = []
  const events: SessionEvent[] = []
  for (const [at, item] of items.entries()) {
    const place = { conversationId, id: conversationId === MAIN ? `${at}` : `${conversationId}.${at}` }
    const own = item.type === 'agent' ? agentEvents(item, place) : itemEvents(item, place)
    if (item.type === 'agent' && item.isInBackground) {
      const [spawned, ...rest] = own
      events.push(...(spawned ? [spawned] : []))
      later = interleave(later, rest)
    } else {
      events.push(...interleave(own, later.slice(0, own.length)))
      later = later.slice(own.length)
    }
  }
  return [...events, ...later]
}

function interleave(left: readonly SessionEvent[], right: readonly SessionEvent[]): readonly SessionEvent[] {
  const longest = Math.max(left.length, right.length)
  return Array.from({ length: longest }, (_, at) => [left.slice(at, at + 1), right.slice(at, at + 1)]).flat(2)
}

function agentEvents(
  { prompt, items, status, isInBackground }: Agent,
  { conversationId, id: toolUseId }: Place,
): readonly SessionEvent[] {
  const agentId = `agent-${toolUseId}`
  const spawned: SessionEvent = {
    type: 'subagent:spawned',
    conversationId,
    toolUseId,
    agentId,
    prompt,
    subagentType: isInBackground ? 'background' : 'general-purpose',
  }
  const events = eventsOf([{ type: 'prompt', text: prompt }, ...items], toolUseId)
  if (status === undefined) return [spawned, ...events]
  return [spawned, ...events, { type: 'subagent:completed', toolUseId, agentId, status, output: prompt }]
}

function itemEvents(item: Exclude<Item, Agent>, place: Place): readonly SessionEvent[] {
  switch (item.type) {
    case 'prompt':
      return [upsert(place, { id: place.id, type: 'user_message', status: 'complete', content: item.text })]
    case 'call':
      return callEvents(item, place)
    case 'assistant_text':
    case 'thinking':
      return textEvents(item, place)
    default:
      return assertNever(item)
  }
}

function callEvents({ input, output, isError }: Call, place: Place): readonly SessionEvent[] {
  const { id } = place
  const status = isError ? 'error' : 'complete'
  const call = { id, type: 'tool_use' as const, toolName: 'Read', toolUseId: id, input }
  const result = { id: toolResultBlockId(id), type: 'tool_result' as const, toolUseId: id, output, isError }
  return [
    upsert(place, { ...call, status: 'pending' }),
    upsert(place, { ...result, status }),
    upsert(place, { ...call, status }),
  ]
}

function textEvents({ type, words }: Text, place: Place): readonly SessionEvent[] {
  const { id, conversationId } = place
  const block = { id, type, messageId: id }
  const usage = { inputTokens: 100, outputTokens: words.length }
  return [
    upsert(place, { ...block, status: 'pending', content: '' }),
    ...words.map((delta): SessionEvent => ({ type: 'block:delta', conversationId, blockId: id, delta })),
    upsert(place, { ...block, status: 'complete', content: words.join('') }),
    { type: 'usage:reported', conversationId, messageId: id, usage, final: true },
  ]
}

function upsert({ conversationId }: Place, block: IncomingBlock): SessionEvent {
  return { type: 'block:upsert', conversationId, block }
}
