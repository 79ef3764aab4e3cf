import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sessionLog } from '../../../src/entries/arbitraries.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
} from '../../../src/entries/index.ts'
import { toMarkdown } from '../../../src/entries/markdown.ts'
import { runs } from '../../depth.ts'
import { unrulyEvents } from '../../unruly-events.ts'
import { recordings, replay } from '../../wires/recordings.ts'
import { withMarks } from './marked.ts'
import { pageOf, textsOf } from './page.ts'

const anyState = fc
  .oneof(sessionLog(), unrulyEvents())
  .map((events) => reduceSessionEvents(createInitialConversationState(), events))

/** Ids and closed lists of words are never shown as a text of the session. */
const STRUCTURE = new Set([
  ...[
    'type',
    'status',
    'kind',
    'origin',
    'id',
    'toolUseId',
    'conversationId',
    'parentConversationId',
    'messageId',
    'agentId',
    'runId',
  ],
  ...['timestamp', 'startedAt', 'endedAt'],
])
const FOREIGN = new Set(['input', 'output', 'data'])

/** Adds a secret to every text and every key of foreign JSON. */
function withSecrets(value: unknown, isForeign = false): unknown {
  if (typeof value === 'string') return `SECRET ${value}`
  if (Array.isArray(value)) return value.map((item) => withSecrets(item, isForeign))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (isForeign) return [`SECRET${key}`, withSecrets(item, true)]
      return [key, STRUCTURE.has(key) ? item : withSecrets(item, FOREIGN.has(key))]
    }),
  )
}

function expectOnce(state: SessionConversationState): void {
  const { state: marked, marks } = withMarks(state)
  for (const details of [true, false]) {
    const text = toMarkdown(marked, { details })
    const found = [...text.matchAll(/MARK\d+END/g)].map(([mark]) => mark)
    expect(found.sort()).toEqual([...marks].sort())
  }
}

describe('the document of any session', () => {
  it('shows every text, call, result, request and agent once', () => {
    fc.assert(fc.property(anyState, expectOnce), { numRuns: runs(150) })
  })

  it.each(recordings.map(({ name, disk }) => [name, disk] as const))('shows all of %s once', (_, disk) => {
    expectOnce(replay(disk).state)
  })

  it('redacts every text', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        const secret = withSecrets(state) as SessionConversationState
        const text = toMarkdown(secret, { redact: (each) => each.replaceAll('SECRET', '[hidden]') })
        expect(text).not.toContain('SECRET')
      }),
      { numRuns: runs(150) },
    )
  })

  it('is the same for the same state, and closes what it opens', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        const text = toMarkdown(state)
        expect(toMarkdown(structuredClone(state))).toBe(text)
        const page = pageOf(`${text}\n## After\n`)
        expect(page.lastElementChild?.textContent).toBe('After')
        expect(textsOf(page, 'details > summary:first-child')).toHaveLength(
          page.querySelectorAll('details').length,
        )
        expect(textsOf(page, 'body > h1')).toHaveLength(1)
      }),
      { numRuns: runs(100) },
    )
  })

  it('reaches every depth of agents', () => {
    const state = createInitialConversationState()
    const subagents = Array.from({ length: 10_000 }, (_, at) => ({
      toolUseId: `a${at}`,
      parentConversationId: at === 0 ? 'main' : `a${at - 1}`,
      name: `n${at}`,
      status: 'success' as const,
      blocks: [],
      usage: [],
    }))
    const text = toMarkdown({ ...state, subagents })
    expect(text.match(/<details>/g)).toHaveLength(10_000)
    expect(text.match(/<\/details>/g)).toHaveLength(10_000)
    expect(text).toContain('Agent n9999')
  })
})
