import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_DEPTH } from '../../../src/core/json/depth.ts'
import {
  type Architecture,
  findBlock,
  isConversationEvent,
  parseSessionEvent,
  parseTranscript,
  readTranscript,
  reduceSessionEvents,
  stepSessionEvent,
} from '../../../src/entries/index.ts'
import { restore, SnapshotError, snapshot } from '../../../src/entries/sync.ts'
import { claudeSource } from '../../../src/wires/claude/source.ts'
import { toolUse, upsert } from '../../core/reducer/example.ts'
import { runs } from '../../depth.ts'
import * as opencode from '../../wires/opencode/recordings.ts'
import * as claude from '../../wires/recordings.ts'
import { good, state } from '../example.ts'
import { good as goodLine, said } from '../line.ts'
import { deepJson, doublyCyclic, shared, touchy } from '../values.ts'

describe('an event that is nested too deep', () => {
  const nested = (depth: number): unknown => JSON.parse(deepJson(depth)[0] ?? '')

  it('has more than 256 levels', () => {
    // The event and its block are two of the levels.
    expect(isConversationEvent(upsert(toolUse('t', { input: nested(MAX_DEPTH - 2) })))).toBe(true)
    expect(isConversationEvent(upsert(toolUse('t', { input: nested(MAX_DEPTH - 1) })))).toBe(false)
  })

  it.each(deepJson(100_000))('is an issue that names the field', (json) => {
    const input: unknown = JSON.parse(json)
    for (const [event, path] of [
      [upsert(toolUse('t', { input })), ['block', 'input']],
      [{ ...good, tea: input }, ['tea']],
      [{ type: input }, ['type']],
    ] as const)
      expect(parseSessionEvent(event)).toMatchObject({
        ok: false,
        issues: [
          { code: 'too-deep', path: expect.arrayContaining([...path]), expected: 'at most 256 levels' },
        ],
      })
  })

  // The number of paths through such a value is exponential.
  it('is refused at once, even if its parts are shared', () => {
    for (const value of [doublyCyclic(), shared(300)])
      expect(parseSessionEvent({ ...good, tea: value }).ok).toBe(false)
    expect(parseSessionEvent({ ...good, tea: shared(200) }).ok).toBe(true)
  })

  it('may be shared in many places of a repeated block', () => {
    const event = () => upsert(toolUse('t', { input: shared(200) }))
    const once = reduceSessionEvents(state, [event()])
    expect(reduceSessionEvents(once, [event()])).toBe(once)
  })

  it('may have a list with billions of holes beside it', () => {
    expect(parseSessionEvent({ ...good, tea: new Array(2 ** 32 - 1) }).ok).toBe(true)
  })

  it('is refused as a single delta and in a batch', () => {
    for (const tea of [nested(300), touchy()]) {
      const event = { ...good, tea }
      expect(stepSessionEvent(state, event)).toMatchObject({ state, issue: { code: 'malformed-event' } })
      expect(reduceSessionEvents(state, [event])).toBe(state)
    }
  })

  it('includes every cyclic event', () => {
    const facts: Record<string, unknown> = { id: 's' }
    facts.self = facts
    expect(stepSessionEvent(state, { type: 'session:updated', facts })).toMatchObject({
      state,
      issue: { code: 'malformed-event', path: ['facts', 'self'] },
    })
  })

  it('is refused in a snapshot too', () => {
    const value = { ...snapshot({ state, epoch: 'e', seq: 1 }), tea: nested(100_000) }
    expect(() => restore(value)).toThrow(SnapshotError)
  })

  it('does not make an allowed subagent’s block unusable in a snapshot', () => {
    const deep = upsert(toolUse('t', { input: nested(MAX_DEPTH - 2) }), 'T')
    const sent = JSON.stringify(snapshot({ state: reduceSessionEvents(state, [deep]), epoch: 'e', seq: 1 }))
    expect(findBlock(restore(JSON.parse(sent)).state, 'T', 't')).toBeDefined()
  })
})

const deep = (depth: number, leaf = '1') => `${'['.repeat(depth)}${leaf}${']'.repeat(depth)}`

describe('values in a message that are nested too deep', () => {
  it.each(['hookErrors', 'content', 'message', 'tools', 'tea'])(
    'are cut where they stand in `%s`',
    (name) => {
      const line = `{"type":"system","subtype":"stop_hook_summary","sessionId":"s","preventedContinuation":true,"${name}":${deep(100_000)}}`
      const { events, issues } = readTranscript(
        'claude-sdk',
        [goodLine, line, goodLine.replace('good', 'after')].join('\n'),
      )
      expect(issues).toContainEqual({ code: 'too-deep', count: 1, line: 2 })
      expect(() => JSON.stringify(events)).not.toThrow()
      const again = goodLine.replaceAll('good', 'again')
      expect(said([goodLine, line, again].join('\n'))).toEqual(expect.arrayContaining(['good', 'again']))
    },
  )

  it('are cut at once, even if their parts are shared', () => {
    for (const tea of [doublyCyclic(), shared(300)]) {
      const { issues, events } = claudeSource.read(claudeSource.open(), [
        {
          ...JSON.parse(goodLine),
          tea,
        },
      ])
      expect(issues).toEqual([{ code: 'too-deep', count: 1, index: 0 }])
      expect(events.at(-1)).toMatchObject({ block: { content: 'good' } })
    }
  })

  it('leave a tool call with the rest of its input', () => {
    const input = `{"command":"ls","deep":${deep(100_000)},"after":1}`
    const line = `{"type":"assistant","session_id":"s","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":${input}}]}}`
    const [block] = parseTranscript('claude-sdk', line).blocks
    expect(block).toMatchObject({ type: 'tool_use', input: { command: 'ls', after: 1 } })
    expect(JSON.stringify(block)).toContain('[nested too deep]')
  })

  /** The JSON with one of its objects or lists nested to this depth. */
  function deepened(text: string, place: number): string {
    const places = [...text.matchAll(/[{[]/g)].length
    let count = 0
    return JSON.stringify(JSON.parse(text), (_, part: unknown) => {
      if (typeof part !== 'object' || part === null) return part
      count += 1
      return count - 1 === place % places ? JSON.parse(deep(1_000, JSON.stringify(part))) : part
    })
  }

  const inputs: readonly (readonly [Architecture, readonly string[]])[] = [
    ...claude.recordings.flatMap(({ stream, disk }) => [
      ['claude-sdk', stream.trim().split('\n')] as const,
      ['claude-sdk', disk.main.trim().split('\n')] as const,
    ]),
    ...opencode.recordings.map(({ events }) => ['opencode', events.trim().split('\n')] as const),
  ]

  it('give valid events at every place in a recording', () => {
    fc.assert(
      fc.property(fc.constantFrom(...inputs), fc.nat(), fc.nat(), ([architecture, lines], which, place) => {
        const at = which % lines.length
        const raw = lines.with(at, deepened(lines[at] ?? '', place)).join('\n')
        for (const event of readTranscript(architecture, raw).events)
          expect(parseSessionEvent(event)).toEqual({ ok: true, event })
      }),
      { numRuns: runs(200) },
    )
  })
})
