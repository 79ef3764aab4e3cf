import { describe, expect, it } from 'vitest'
import {
  comparison,
  modelText,
  type Program,
  systemNote,
  toolResult,
  toolUse,
  userMessage,
} from '../states.ts'

describe('excluded content', () => {
  it('is counted by kind and side, and never by id', () => {
    const blocks = Array.from({ length: 30 }, (_, at) => systemNote('hook', `hook ${at}`))
    expect(comparison({ live: blocks.slice(0, 20), stored: blocks.slice(20) })).toStrictEqual({
      differences: [],
      excluded: [
        { kind: 'system-note', side: 'live', count: 20 },
        { kind: 'system-note', side: 'stored', count: 10 },
      ],
    })
  })

  it('depends on the stored program if the sides differ, or on the only known one', () => {
    const facts = (program?: string) => ({ session: program === undefined ? {} : { program } })
    const kinds = (live?: string, stored?: string) =>
      comparison(
        { live: facts(live), stored: { ...facts(stored), blocks: [userMessage('n', 'meta')] } },
        'unknown',
      ).differences.map(({ kind }) => kind)
    expect(kinds('claude-code', undefined)).toEqual([])
    expect(kinds(undefined, 'claude-code')).toEqual([])
    expect(kinds('claude-code', 'opencode')).toEqual(['session', 'missing-block'])
    expect(kinds('opencode', 'claude-code')).toEqual(['session'])
    expect(kinds('goose', 'goose')).toEqual(['missing-block'])
  })
})

describe('main', () => {
  const finished = [
    modelText('a'),
    toolUse('t1'),
    toolResult('t1'),
    { ...toolUse('t2'), status: 'error' as const },
  ]
  const programs: readonly Program[] = ['claude-code', 'claude-code 1.0.128', 'opencode', 'unknown']

  it.each(programs)('excludes no final text, call or result on either side: %s', (program) => {
    for (const block of finished)
      for (const side of ['live', 'stored'] as const)
        expect(comparison({ [side]: [block] }, program)).toStrictEqual({
          differences: [{ kind: 'missing-block', conversationId: 'main', id: block.id, [side]: block }],
          excluded: [],
        })
  })
})
