import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Batch } from '../../../../src/core/reducer/batch.ts'
import { applyEvent } from '../../../../src/core/reducer/reduce.ts'
import { callBlockIds } from '../../../../src/core/reducer/search-cache.ts'
import {
  type ConversationBlock,
  isCall,
  messageIdOf,
  subagentBlockId,
  toolResultBlockId,
} from '../../../../src/core/state/block.ts'
import { sessionLog } from '../../../../src/entries/arbitraries.ts'
import {
  createInitialConversationState,
  isConversationEvent,
  reduceSessionEvent,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from '../../../../src/entries/index.ts'
import { runs } from '../../../depth.ts'
import { fold, remove, spawn, subagentBlock, text, toolUse, upsert } from '../example.ts'
import { aliasLog, log } from './logs.ts'

const empty = createInitialConversationState()
const logs = fc.oneof(log, aliasLog, sessionLog())

/** A short list has no index: the log also goes on from a conversation that is long. */
const long = reduceSessionEvents(
  empty,
  Array.from({ length: 20 }, (_, at) => ({
    type: 'block:upsert',
    block: {
      id: `old-${at}`,
      type: 'assistant_text',
      status: 'complete',
      content: '',
      messageId: `old-${at}`,
    },
  })),
)
const starts = fc.constantFrom(empty, long)

/** After an event: whether somebody asks, whether the batch ends there, and whether it goes on from an older state. */
const step = fc.record({
  isAsked: fc.boolean(),
  isCut: fc.boolean(),
  back: fc.option(fc.nat(), { freq: 8, nil: undefined }),
})
const steps = fc.array(step, { minLength: 1, maxLength: 12 })

interface Thread {
  readonly id: string
  readonly blocks: readonly ConversationBlock[]
}

function threadsOf({ blocks, subagents }: SessionConversationState): readonly Thread[] {
  return [
    { id: 'main', blocks },
    ...subagents.map((agent) => ({ id: agent.toolUseId, blocks: agent.blocks })),
  ]
}

/** What a look at every block finds. */
function scanned(state: SessionConversationState, messageIds: readonly string[], calls: readonly string[]) {
  const threads = threadsOf(state)
  return {
    threads: threads.map(({ id, blocks }) => ({
      id,
      pending: blocks.filter(({ status }) => status === 'pending'),
      messages: messageIds.map((messageId) => blocks.filter((block) => messageIdOf(block) === messageId)),
    })),
    owners: calls.map(
      (call) => threads.find(({ blocks }) => blocks.some((block) => isCallOf(block, call)))?.id,
    ),
    results: calls.map((call) => {
      const resultId = toolResultBlockId(call)
      return threads.find(({ blocks }) => blocks.some((block) => isResult(block) && block.id === resultId))
        ?.id
    }),
  }
}

function isCallOf({ id, type }: ConversationBlock, call: string): boolean {
  return (type === 'tool_use' || type === 'subagent') && (id === call || id === subagentBlockId(call))
}

function isResult(block: ConversationBlock | undefined): boolean {
  return block?.type === 'tool_result'
}

/** What the indexes of a batch find. */
function lookedUp(
  batch: Batch,
  { subagents }: SessionConversationState,
  messageIds: readonly string[],
  calls: readonly string[],
) {
  return {
    threads: ['main', ...subagents.map(({ toolUseId }) => toolUseId)].map((id) => ({
      id,
      pending: batch
        .thread(id)
        ?.pendingBlocks()
        .map(({ item }) => item),
      messages: messageIds.map((messageId) =>
        batch
          .thread(id)
          ?.blocks.inGroup(messageIdOf, messageId)
          .map(({ item }) => item),
      ),
    })),
    owners: calls.map((call) => batch.conversationWith(callBlockIds(call), isCall)),
    results: calls.map((call) => batch.conversationWith([toolResultBlockId(call)], isResult)),
  }
}

function idsIn(events: readonly SessionEvent[]): {
  readonly messageIds: readonly string[]
  readonly calls: readonly string[]
} {
  const text = JSON.stringify(events)
  const valuesOf = (name: string) => [
    ...new Set([...text.matchAll(new RegExp(`"${name}":"([^"\\\\]*)"`, 'g'))].map(([, id = '']) => id)),
  ]
  return { messageIds: [...valuesOf('messageId'), 'none'], calls: [...valuesOf('toolUseId'), 'none'] }
}

describe('the look-ups of a batch', () => {
  // A single delta has no batch. It left its block in the group of the old text.
  it('find a block by its text after one delta', () => {
    const wordsOf = (block: ConversationBlock) =>
      block.type === 'assistant_text' ? `text ${block.content}` : undefined
    const open = { id: 'open', type: 'assistant_text', status: 'pending', content: 'a' } as const
    const asked = new Batch(reduceSessionEvents(long, [{ type: 'block:upsert', block: open }]))
    expect(asked.thread('main')?.blocks.inGroup(wordsOf, 'text a')).toHaveLength(1)
    const state = reduceSessionEvent(asked.finish(), { type: 'block:delta', blockId: 'open', delta: 'b' })
    const blocks = new Batch(state).thread('main')?.blocks
    expect([blocks?.inGroup(wordsOf, 'text a'), blocks?.inGroup(wordsOf, 'text ab')]).toEqual([
      [],
      [expect.objectContaining({ item: expect.objectContaining({ id: 'open' }) })],
    ])
  })

  it('find the conversation of a call, a result or a request, and of no other block', () => {
    const request = {
      id: 'r',
      type: 'request',
      status: 'pending',
      kind: 'permission',
      title: 'Mail',
    } as const
    const before = fold(spawn('S'), spawn('T'), upsert(text('old'), 'T'), upsert(toolUse('old-call'), 'T'))
    const batch = new Batch(before)
    const ownerOf = (...ids: readonly string[]) => batch.conversationWith(ids, Boolean)
    applyEvent(batch, upsert(text('x'), 'T'))
    expect([ownerOf('none'), ownerOf('old'), ownerOf('old-call')]).toEqual([undefined, undefined, 'T'])
    const result = {
      id: 'result',
      type: 'tool_result',
      status: 'complete',
      toolUseId: 'c',
      output: '',
      isError: false,
    } as const
    for (const block of [toolUse('c'), result, request]) applyEvent(batch, upsert(block, 'T'))
    applyEvent(batch, upsert(toolUse('c'), 'S'))
    // A forked agent repeats the calls of its parent: the one that came first has them.
    expect(['x', 'c', 'result', 'r', 'subagent:c'].map((id) => ownerOf(id))).toEqual([
      undefined,
      'S',
      'T',
      'T',
      undefined,
    ])
    applyEvent(batch, remove('c', 'S'))
    expect([ownerOf('c'), batch.conversationWith(callBlockIds('c'), isCall)]).toEqual(['T', 'T'])
    applyEvent(batch, subagentBlock('gone', {}, 'T'))
    applyEvent(batch, upsert(toolUse('main-call')))
    expect([ownerOf('subagent:gone'), ownerOf('main-call')]).toEqual(['T', 'main'])
    for (const event of [
      subagentBlock('U'),
      upsert(toolUse('lost'), 'U'),
      remove('lost', 'U'),
      remove('subagent:U'),
    ])
      applyEvent(batch, event)
    expect([batch.subagent('U'), ownerOf('lost')]).toEqual([undefined, undefined])
    const next = new Batch(batch.finish())
    applyEvent(next, upsert(toolUse('later'), 'S'))
    expect(['later', 'c', 'r'].map((id) => next.conversationWith([id], Boolean))).toEqual(['S', 'T', 'T'])
  })

  it('find what a look at every block finds, after any log, in any batches, from older states too', () => {
    fc.assert(
      fc.property(logs, steps, starts, (events, plan, start) => {
        const { messageIds, calls } = idsIn(events)
        const states = [{ state: start, expected: start }]
        let last = { state: start, expected: start }
        let batch = new Batch(start)
        for (const [at, event] of events.entries()) {
          const { isAsked, isCut, back } = plan[at % plan.length] ?? { isAsked: true, isCut: true }
          if (isConversationEvent(event)) applyEvent(batch, event)
          const expected = reduceSessionEvent(last.expected, event)
          if (isAsked)
            expect(lookedUp(batch, expected, messageIds, calls)).toEqual(scanned(expected, messageIds, calls))
          last = { state: last.state, expected }
          if (!isCut && back === undefined) continue
          last = { state: batch.finish(), expected }
          expect(last.state).toEqual(expected)
          states.push(last)
          if (back !== undefined) last = states[back % states.length] ?? last
          batch = new Batch(last.state)
        }
        for (const { state, expected } of states)
          expect(lookedUp(new Batch(state), expected, messageIds, calls)).toEqual(
            scanned(expected, messageIds, calls),
          )
      }),
      { numRuns: runs(500) },
    )
  })
})
