import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { restore, SnapshotError } from '../../../src/entries/sync.ts'
import { fold, spawn, text, toolUse, upsert, usage } from '../../core/reducer/example.ts'
import { json } from '../../core/reducer/laws/logs.ts'
import { touchy } from '../../hostile/values.ts'
import { expectUsable, use } from './spoiled-snapshots.ts'
import { epoch } from './transport.ts'

/** Returns the value after a write to and a read from disk or network. */
const stored = (value: unknown) => JSON.parse(JSON.stringify(value))

const full = fold(upsert(text('a')), spawn('T', { agentId: 'X' }), upsert(toolUse('u'), 'T'), usage('m', 5))

describe('a value that is no snapshot', () => {
  const good = { version: 1, epoch: 'e1', seq: 4, state: full }

  it.each<[string, unknown]>([
    ['nothing', null],
    ['a value that throws when it is looked at', touchy()],
    ['blocks that throw when they are looked at', { ...good, state: { ...full, blocks: [touchy()] } }],
    ['undefined', undefined],
    ['a text', JSON.stringify(good)],
    ['a list', [good]],
    ['an empty object', {}],
    ['a state alone', full],
    ['no version', { ...good, version: undefined }],
    ['a version that is a text', { ...good, version: '1' }],
    ['no log', { ...good, epoch: undefined }],
    ['a log that is no text', { ...good, epoch: 1 }],
    ['no place', { ...good, seq: null }],
    ['a negative place', { ...good, seq: -1 }],
    ['a place between two events', { ...good, seq: 1.5 }],
    ['a place that is no number', { ...good, seq: NaN }],
    ['a place beyond the numbers that can be told apart', { ...good, seq: 2 ** 53 }],
  ])('is refused: %s', (_, value) => {
    expect(refusal(value)).toMatchObject({ name: 'SnapshotError', code: 'not-a-snapshot', issues: [] })
  })

  it.each([0, 2, 1.5, NaN])('is refused for its unknown version %d', (version) => {
    const { code, issues, message } = refusal({ ...good, version, state: null })
    expect([code, issues]).toEqual(['unknown-version', []])
    expect(message).toContain(String(version))
  })

  it.each<[string, (state: ReturnType<typeof stored>) => void]>([
    ['state.blocks', (state) => delete state.blocks],
    ['state.subagents', (state) => (state.subagents = {})],
    ['state.session', (state) => (state.session = null)],
    ['state.session.tools.1', (state) => (state.session = { tools: ['Read', 2] })],
    ['state.blocks.0', (state) => (state.blocks[0] = null)],
    ['state.blocks.0.type', (state) => (state.blocks[0].type = 'poem')],
    ['state.blocks.0.status', (state) => (state.blocks[0].status = 'running')],
    ['state.blocks.0.conversationId', (state) => delete state.blocks[0].conversationId],
    ['state.usage.0.final', (state) => delete state.usage[0].final],
    ['state.usage.0.outputTokens', (state) => (state.usage[0].outputTokens = '5')],
    ['state.subagents.0.toolUseId', (state) => delete state.subagents[0].toolUseId],
    ['state.subagents.0.status', (state) => (state.subagents[0].status = 'complete')],
    ['state.subagents.0.agentId', (state) => (state.subagents[0].agentId = null)],
    ['state.subagents.0.usage', (state) => delete state.subagents[0].usage],
    ['state.subagents.0.blocks.0.toolName', (state) => delete state.subagents[0].blocks[0].toolName],
  ])('names the wrong place in its state: %s', (path, spoil) => {
    const state = stored(full)
    spoil(state)
    const error = refusal({ ...good, state })
    expect(error.code).toBe('not-a-snapshot')
    expect(error.issues.map((issue) => issue.path.join('.'))).toEqual([path])
    expect(error.message).toContain(path)
  })

  it('throws a SnapshotError', () => {
    expect(refusal(null)).toBeInstanceOf(SnapshotError)
    expect(refusal(null)).toBeInstanceOf(Error)
  })
})

describe('any JSON', () => {
  it('is restored or refused', () => {
    const snapshotLike = fc.record(
      {
        version: fc.oneof(fc.constant(1), json),
        epoch: fc.oneof(epoch, json),
        seq: fc.oneof(fc.nat(), json),
        state: json,
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(json, snapshotLike), (value) => {
        expect(() => use(value, [])).not.toThrow()
      }),
    )
  })

  it('can be folded and read if it is restored, even if its parts contradict each other', () => {
    expectUsable(100)
  })
})

function refusal(value: unknown): SnapshotError {
  try {
    restore(value)
  } catch (error) {
    if (error instanceof SnapshotError) return error
    throw error
  }
  throw new Error('it was restored')
}
