import { describe, expect, it } from 'vitest'
import { type Message, modelAnswers, readFiles, readOpenFiles, system, userMessage } from '../messages.ts'

/** A line in the tree of main's file: its uuid, its parent's uuid, and the line. */
const at = (uuid: string, parentUuid: string | null, line: Message): Message => ({
  ...line,
  uuid,
  parentUuid,
})
const says = (id: string, words: string): Message => modelAnswers(id, words)
const compaction = () => system('compact_boundary', { compactMetadata: { trigger: 'auto' } })

const idsIn = (...lines: readonly Message[]) => readOpenFiles(lines).state.blocks.map(({ id }) => id)

describe('the lines of a first turn in another order', () => {
  const late = [at('a1', 'n1', says('m1', 'One.')), at('a2', 'a1', says('m2', 'Two.'))]
  const attachment = at('n1', 'p1', { type: 'attachment', attachment: { type: 'date', date: 'today' } })

  it.each([
    ['no line', null],
    ['a line that is there', 'n0'],
    ['a line that is missing', 'x'],
  ])('stand below a prompt that hangs on %s', (_, parent) => {
    const before =
      parent === 'n0' ? [at('n0', null, { type: 'attachment', attachment: { type: 'date' } })] : []
    const prompt = at('p1', parent, userMessage('Go.'))
    const next = at('p2', 'a2', userMessage('On.'))
    const direct = late.map((line) => (line.uuid === 'a1' ? { ...line, parentUuid: 'p1' } : line))
    expect(idsIn(...before, ...direct, prompt, next)).toEqual(['p1', 'm1:0', 'm2:0', 'p2'])
  })

  it('wait for the attachments of the prompt', () => {
    expect(idsIn(...late, at('p1', null, userMessage('Go.')), attachment)).toEqual(['p1', 'm1:0', 'm2:0'])
  })
})

describe('a file without its beginning', () => {
  const early = [at('a1', 'x', says('m1', 'One.')), at('a2', 'a1', says('m2', 'Two.'))]

  it('has its first lines above the next prompt', () => {
    expect(idsIn(...early, at('p1', 'a2', userMessage('Go.')), at('a3', 'p1', says('m3', 'Three.')))).toEqual(
      ['m1:0', 'm2:0', 'p1', 'm3:0'],
    )
  })

  it.each([null, 'a2'])('has its first lines above a compaction that hangs on %j', (parent) => {
    expect(idsIn(...early, at('b1', parent, compaction()), at('p1', 'b1', userMessage('Go.')))).toEqual([
      'm1:0',
      'm2:0',
      'b1',
      'p1',
    ])
  })

  it('has its first lines in the order of the file if nothing follows', () => {
    expect(readFiles(early).state.blocks.map(({ id }) => id)).toEqual(['m1:0', 'm2:0'])
  })
})

it('reads lines without a parent in linear time', () => {
  const orphans = (count: number) =>
    Array.from({ length: count }, (_, n) => at(`u${n}`, `none-${n}`, says(`m${n}`, 'One.')))
  const chain = (count: number) =>
    Array.from({ length: count }, (_, n) => at(`k${n}`, n === 0 ? 'p1' : `k${n - 1}`, says(`c${n}`, 'Two.')))
  const timeOf = (count: number) => {
    const lines = [...orphans(count), at('p1', null, userMessage('Go.')), ...chain(count)]
    const start = performance.now()
    expect(readOpenFiles(lines).state.blocks).toHaveLength(count + 1)
    return performance.now() - start
  }
  timeOf(300)
  const [few, many] = [timeOf(300), timeOf(3000)]
  expect(many / few).toBeLessThan(30)
})
