import { describe, expect, it } from 'vitest'
import { answered, called, comparison, noted, type Program, said, told } from './states.ts'

describe('what both are counted by', () => {
  it('is the kind and the side: never an id', () => {
    const blocks = Array.from({ length: 30 }, (_, at) => noted('hook', `hook ${at}`))
    expect(comparison({ live: blocks.slice(0, 20), stored: blocks.slice(20) })).toStrictEqual({
      differences: [],
      projected: [
        { kind: 'system-note', side: 'live', count: 20 },
        { kind: 'system-note', side: 'stored', count: 10 },
      ],
    })
  })

  it('is the stored program where the two do not agree, and the one that is known', () => {
    const facts = (program?: string) => ({ session: program === undefined ? {} : { program } })
    const kinds = (live?: string, stored?: string) =>
      comparison(
        { live: facts(live), stored: { ...facts(stored), blocks: [told('n', 'meta')] } },
        'unknown',
      ).differences.map(({ kind }) => kind)
    expect(kinds('claude-code', undefined)).toEqual([])
    expect(kinds(undefined, 'claude-code')).toEqual([])
    expect(kinds('claude-code', 'opencode')).toEqual(['session', 'missing-block'])
    expect(kinds('opencode', 'claude-code')).toEqual(['session'])
    expect(kinds('codex', 'codex')).toEqual(['missing-block'])
  })
})

describe('of main', () => {
  const finished = [said('a'), called('t1'), answered('t1'), { ...called('t2'), status: 'error' as const }]
  const programs: readonly Program[] = ['claude-code', 'claude-code 1.0.128', 'opencode', 'unknown']

  it.each(programs)('nothing that is finished is left out, on neither side: %s', (program) => {
    for (const block of finished)
      for (const side of ['live', 'stored'] as const)
        expect(comparison({ [side]: [block] }, program)).toStrictEqual({
          differences: [{ kind: 'missing-block', conversationId: 'main', id: block.id, [side]: block }],
          projected: [],
        })
  })
})
