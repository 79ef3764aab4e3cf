import { afterEach, describe, expect, it } from 'vitest'
import {
  createInitialConversationState,
  findBlock,
  foldSessionEvents,
  reduceSessionEvents,
} from '../../src/entries/index.ts'
import { toMarkdown } from '../../src/entries/markdown.ts'
import { toSpans } from '../../src/entries/otel.ts'

const start = createInitialConversationState()

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

it.each(['main', 'outer'])(
  'a block of a subagent with an id of its own is an issue, and the block has the id of its call: in %s',
  (conversationId) => {
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
  },
)
