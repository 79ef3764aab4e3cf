import { afterEach, describe, expect, it } from 'vitest'
import {
  createInitialConversationState,
  findBlock,
  findSubagent,
  foldSessionEvents,
  parseSessionEvent,
  reduceSessionEvents,
} from '../../src/entries/index.ts'
import { toMarkdown } from '../../src/entries/markdown.ts'
import { toSpans } from '../../src/entries/otel.ts'

const start = createInitialConversationState()

describe('fields of `event.context`', () => {
  const context = { conversationId: 'OUTER', timestamp: '2026-10-05T09:00:00.000Z' }
  const block = { id: 't', type: 'assistant_text', status: 'complete', content: 'x' }

  it.each([
    { type: 'subagent:spawned', toolUseId: 'INNER', prompt: 'inner', context },
    { type: 'subagent:completed', toolUseId: 'INNER', status: 'completed', context },
    { type: 'block:upsert', block, context },
    { type: 'block:delta', blockId: 't', delta: 'x', context },
    { type: 'session:idle', context: { timestamp: context.timestamp } },
  ])('are refused with their path, and the event changes nothing: $type', (event) => {
    const parsed = parseSessionEvent(event)
    const names = Object.keys(event.context)
    expect(!parsed.ok && parsed.issues.map(({ path }) => path)).toEqual(
      names.map((name) => ['context', name]),
    )
    const { state, issues } = Reflect.apply(foldSessionEvents, undefined, [start, [event]])
    expect(state).toBe(start)
    expect(issues).toMatchObject([{ code: 'unknown-event', eventType: event.type }])
  })

  it('may repeat the fields of the event, and may hold others', () => {
    const event = { type: 'subagent:spawned', toolUseId: 'INNER', prompt: 'inner', ...context }
    for (const each of [
      { ...event, context },
      { ...event, context: { traceId: 'a' } },
    ]) {
      const { state, issues } = foldSessionEvents(start, [
        { type: 'subagent:spawned', toolUseId: 'OUTER', prompt: 'outer' },
        { ...each, type: 'subagent:spawned' },
      ])
      expect(issues).toEqual([])
      expect(findSubagent(state, 'INNER')?.parentConversationId).toBe('OUTER')
    }
  })
})

describe('a time without a zone', () => {
  const zone = process.env.TZ
  afterEach(() => {
    // An assignment of undefined would be the text "undefined".
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })

  it.each([
    ['2026-05-01T00:00:00', '2026-05-01T08:00:00Z'],
    ['2026-05-01T00:00:00Z', '2026-05-01T08:00:00'],
    // Clocks in New York change on this day.
    ['2026-03-08T00:00:00', '2026-03-08T08:00:00'],
  ])('is UTC on every machine: %s to %s', (from, to) => {
    const results = ['UTC', 'America/New_York', 'Asia/Tokyo'].map((each) => {
      process.env.TZ = each
      const state = reduceSessionEvents(start, [
        { type: 'session:running', timestamp: from },
        {
          type: 'block:upsert',
          block: { id: 'u', type: 'user_message', status: 'complete', content: 'Go.', timestamp: from },
        },
        { type: 'session:idle', timestamp: to, outcome: 'finished' },
      ])
      return { state, page: toMarkdown(state), spans: toSpans(state, { sessionId: 's' }) }
    })
    expect(results[0]?.state.turn.durationMs).toBe(28_800_000)
    expect(results[1]).toEqual(results[0])
    expect(results[2]).toEqual(results[0])
  })
})

describe('a block of a subagent with an id of its own', () => {
  it.each(['main', 'outer'])('is an issue, and the block has the id of its call: in %s', (conversationId) => {
    const { state, issues } = foldSessionEvents(start, [
      { type: 'subagent:spawned', toolUseId: 'outer', prompt: 'Go.' },
      {
        type: 'block:upsert',
        conversationId,
        block: { id: 'sb', type: 'subagent', status: 'running', toolUseId: 'A', input: 'p' },
      },
      { type: 'block:removed', conversationId, blockId: 'sb' },
    ])
    expect(issues).toMatchObject([{ code: 'other-block-id', blockId: 'sb', toolUseId: 'A' }])
    expect(findBlock(state, conversationId, 'subagent:A')).toMatchObject({ toolUseId: 'A' })
  })
})
