import { describe, expect, it } from 'vitest'
import {
  createInitialConversationState,
  decodeLines,
  endLines,
  foldSessionEvents,
  initialLines,
} from '../../src/index.ts'
import { claudeSource } from '../../src/sources/claude/source.ts'
import { good, said } from './line.ts'

describe('bytes and texts of any size and kind', () => {
  it('a text of 50 MB stays whole', () => {
    const content = 'x'.repeat(50_000_000)
    expect(said(good.replace('"good"}', `${JSON.stringify(content)}}`))).toEqual([content])
  })

  it('a line that is longer than a string can be is an issue, and what comes before and after it is read', () => {
    const chunk = new Uint8Array(2 ** 27).fill(0x78)
    let memory = initialLines
    const messages: unknown[] = []
    const codes: unknown[] = []
    for (const part of [`${good}\n`, chunk, chunk, chunk, chunk, chunk, `\n${good}\n`]) {
      const decoded = decodeLines(memory, part)
      memory = decoded.memory
      messages.push(...decoded.lines)
      codes.push(...decoded.issues)
    }
    expect(messages).toMatchObject([{ line: 1 }, { line: 3 }])
    expect(codes).toEqual([{ code: 'malformed-line', count: 1, line: 2 }])
    expect(endLines(memory).lines).toEqual([])
  })

  it('a chunk that is longer than a string can be is read piece by piece', () => {
    const chunk = new Uint8Array(600_000_000).fill(0x20)
    chunk.set(new TextEncoder().encode(`${good}\n`))
    const { lines, memory } = decodeLines(initialLines, chunk)
    expect(lines).toHaveLength(1)
    expect(endLines(memory).issues).toEqual([{ code: 'malformed-line', count: 1, line: 2 }])
  })

  it.each([
    ['a view of another kind', new DataView(new ArrayBuffer(8))],
    ['longer numbers', new Uint16Array(8)],
    ['nothing', undefined],
  ])('a chunk that is neither text nor bytes is refused: %s', (_, chunk) => {
    expect(() => Reflect.apply(decodeLines, undefined, [initialLines, chunk])).toThrow(TypeError)
  })

  it('a chunk whose bytes its owner fills anew has been read', () => {
    const buffer = Buffer.from('"\u00e9"\n').subarray(0, 2)
    const { memory } = decodeLines(initialLines, buffer)
    buffer.fill(0x41)
    expect(decodeLines(memory, Buffer.from([0xa9, 0x22, 0x0a])).lines).toEqual([
      { line: 1, message: '\u00e9' },
    ])
  })

  it.each([
    ['carriage returns alone', '\r'],
    ['carriage returns and newlines', '\r\n'],
    ['blank lines with NUL bytes between', '\n\0\n'],
    ['a broken line between', '\n{"type":\n'],
  ])('lines with %s', (_, end) => {
    const raw = [good, good.replaceAll('good', 'other')].join(end) + end
    expect(said(raw)).toEqual(['good', 'other'])
    const { lines, memory } = decodeLines(initialLines, new TextEncoder().encode(raw))
    expect([...lines, ...endLines(memory).lines]).toHaveLength(2)
  })

  it('a byte order mark, before JSON and before the data of an event', () => {
    expect(said(`\uFEFF${good}`)).toEqual(['good'])
    expect(said(`\uFEFFdata: ${good}`)).toEqual(['good'])
  })

  it('invalid UTF-8 and lone surrogates are characters, and the line stands', () => {
    const [before = '', after = ''] = good.split('"good"}')
    const bytes = [
      ...new TextEncoder().encode(`${before}"`),
      0xff,
      0xc3,
      ...new TextEncoder().encode(`"}${after}\n`),
    ]
    const { lines } = decodeLines(initialLines, Uint8Array.from(bytes))
    const { events } = claudeSource.translate(claudeSource.initial, lines[0]?.message)
    expect(foldSessionEvents(createInitialConversationState(), events).state.blocks).toMatchObject([
      { content: '\ufffd\ufffd' },
    ])
    expect(said(good.replace('"good"}', '"\\ud800"}'))).toEqual(['\ud800'])
  })

  it('a million lines', () => {
    const lines = '{"type":"keep_alive"}\n'.repeat(1_000_000)
    expect(decodeLines(initialLines, lines).lines).toHaveLength(1_000_000)
    expect(said(`${lines}${good}`)).toEqual(['good'])
  })
})
