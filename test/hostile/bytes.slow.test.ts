import { describe, expect, it } from 'vitest'
import {
  createInitialConversationState,
  decodeLines,
  endLines,
  initialLines,
  readTranscript,
  reduceSessionEvents,
} from '../../src/entries/index.ts'
import { good } from './line.ts'
import { PROGRAMS, said, textsOf } from './programs.ts'

describe('chunks of any size and kind', () => {
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
})

// The file of Aider is no JSON, and a reply in it ends with a line of its own.
describe.each(PROGRAMS.filter(({ isText }) => !isText))('lines of $name', (program) => {
  const { architecture, beginning, line, silent } = program
  const good = line('good', '"good"')
  const other = line('other', '"other"')
  const BROKEN = '{"type":'

  // One program has a text of 50 MB and many lines: all programs share the code that cuts lines.
  const share = program === PROGRAMS[0] ? 1 : 0.1

  it('may hold a long text', () => {
    const content = 'x'.repeat(share * 50_000_000)
    const long = line('long', JSON.stringify(content))
    // Not `toEqual`: nobody could read the difference.
    const [text, ...others] = said(program, [...beginning, long, good].join('\n'))
    expect(text === content).toBe(true)
    expect(others).toEqual(['good'])
  })

  it.each([
    ['carriage returns alone', '\r'],
    ['carriage returns and newlines', '\r\n'],
    ['blank lines between', '\n\n \t\n\r\n'],
    ['blank lines with NUL bytes between', '\n\0\n'],
    ['NUL bytes after a carriage return', '\r\0\n'],
    ['a broken line between', `\n${BROKEN}\n`],
  ])('may end with %s', (_, end) => {
    const lines = [...beginning, good, other]
    const raw = lines.join(end) + end
    expect(said(program, raw)).toEqual(['good', 'other'])
    const decoded = decodeLines(initialLines, new TextEncoder().encode(raw))
    expect([...decoded.lines, ...endLines(decoded.memory).lines].map(({ message }) => message)).toEqual(
      lines.map((each) => JSON.parse(each)),
    )
  })

  it('may have a byte order mark before them, before JSON and before the data of an event', () => {
    const lines = [...beginning, good]
    expect(said(program, `\uFEFF${lines.join('\n')}`)).toEqual(['good'])
    expect(said(program, `\uFEFFdata: ${lines.join('\n\ndata: ')}`)).toEqual(['good'])
    expect(said(program, lines.map((each) => `\uFEFF${each}`).join('\n'))).toEqual(['good'])
  })

  it('stand where they hold invalid UTF-8 and lone surrogates, which are characters', () => {
    const [before = '', after = ''] = line('odd', '"?"').split('?')
    const encoder = new TextEncoder()
    const bytes = Uint8Array.from([
      ...encoder.encode([...beginning, before].join('\n')),
      0xff,
      0xc3,
      ...encoder.encode(`${after}\n${good}\n`),
    ])
    const { lines } = decodeLines(initialLines, bytes)
    const raw = lines.map(({ message }) => JSON.stringify(message)).join('\n')
    expect(said(program, raw)).toEqual(['\ufffd\ufffd', 'good'])
    const surrogate = line('odd', '"\\ud800"')
    expect(said(program, [...beginning, surrogate, good].join('\n'))).toEqual(['\ud800', 'good'])
  })

  function read(lines: readonly string[]) {
    const { events, issues } = readTranscript(architecture, lines.join('\n'))
    return { texts: textsOf(reduceSessionEvents(createInitialConversationState(), events)), issues }
  }

  it('may be 60,000', () => {
    const many = Array.from({ length: share * 60_000 }, () => silent)
    const { texts, issues } = read([...beginning, ...many, good, BROKEN])
    expect(texts).toEqual(['good'])
    expect(issues).toEqual([
      { code: 'malformed-line', count: 1, line: beginning.length + share * 60_000 + 2 },
    ])
  })

  it('stand among 50,000 broken ones, which are one issue', () => {
    const broken = Array.from({ length: share * 25_000 }, () => BROKEN)
    const { texts, issues } = read([...beginning, ...broken, good, ...broken])
    expect(texts).toEqual(['good'])
    expect(issues).toEqual([{ code: 'malformed-line', count: share * 50_000, line: beginning.length + 1 }])
  })
})
