import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type DecodedLine,
  decodeLines,
  endLines,
  initialLines,
  type LineMemory,
} from '../../src/reading/input/jsonl.ts'
import type { SourceIssue } from '../../src/reading/source.ts'
import { runs } from '../depth.ts'
import { messagesIn, recording } from '../wires/recordings.ts'

type Chunk = string | Uint8Array

interface Decoded {
  readonly lines: readonly DecodedLine[]
  readonly issues: readonly SourceIssue[]
}

function decode(chunks: readonly Chunk[]): Decoded {
  const lines: DecodedLine[] = []
  const issues: SourceIssue[] = []
  let memory: LineMemory = initialLines
  for (const chunk of chunks) {
    const decoded = decodeLines(memory, chunk)
    lines.push(...decoded.lines)
    issues.push(...decoded.issues)
    memory = decoded.memory
  }
  const last = endLines(memory)
  return { lines: [...lines, ...last.lines], issues: [...issues, ...last.issues] }
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const values = ({ lines }: Decoded): readonly unknown[] => lines.map(({ message }) => message)

/** Cuts a text or its bytes at any places. Two cuts may be at the same place. */
function pieces<Whole extends Chunk>(whole: Whole, cuts: readonly number[]): readonly Chunk[] {
  const places = [...cuts.map((cut) => cut % (whole.length + 1)), whole.length].sort((a, b) => a - b)
  return places.map((place, at) => whole.slice(at === 0 ? 0 : places[at - 1], place))
}

const cuts = fc.array(fc.nat(), { maxLength: 40 })
const tricky = recording('01-plain-text').stream

describe('a broken line', () => {
  // Its quoted text was read as separate messages.
  it('is one issue, also with carriage returns in it', () => {
    const { lines, issues } = decode(['{"a":"pasted\r{"b":1}\r"}\n{"c":2}\n'])
    expect(lines).toEqual([{ line: 2, message: { c: 2 } }])
    expect(issues).toEqual([{ code: 'malformed-line', count: 1, line: 1 }])
  })

  it('does not stop the reading if carriage returns alone end the lines', () => {
    const { lines, issues } = decode(['{"a":1}\r{"b":\r{"c":2}\r'])
    expect(lines.map(({ message }) => message)).toEqual([{ a: 1 }, { c: 2 }])
    expect(issues).toHaveLength(1)
  })
})

describe('lines cut into chunks', () => {
  const text = [
    '\uFEFF{"a":"é漢字👩‍👧"}\r',
    '',
    '{"b":"\u2028\u2029\uFEFF inside"}',
    'no json',
    '  \r',
    '{"c":"𝒳"}\r',
    '{"cut":"of',
  ].join('\n')
  const whole = decode([text])

  it('are equal to those of the whole, for any cuts of the bytes', () => {
    fc.assert(
      fc.property(cuts, (cuts) => {
        expect(decode(pieces(bytes(text), cuts))).toEqual(whole)
      }),
      { numRuns: runs(300) },
    )
  })

  it('are equal to those of the whole, for any cuts of the string', () => {
    fc.assert(
      fc.property(cuts, (cuts) => {
        expect(decode(pieces(text, cuts))).toEqual(whole)
      }),
      { numRuns: runs(300) },
    )
  })

  it('are equal to those of the whole, byte by byte and unit by unit', () => {
    expect(decode([...bytes(text)].map((byte) => Uint8Array.of(byte)))).toEqual(whole)
    expect(decode(text.split(''))).toEqual(whole)
  })

  it('are equal to those of a recording', () => {
    const expected = messagesIn(tricky)
    const encoded = bytes(tricky)
    fc.assert(
      fc.property(cuts, fc.boolean(), (cuts, isText) => {
        const decoded = decode(isText ? pieces(tricky, cuts) : pieces(encoded, cuts))
        expect(values(decoded)).toEqual(expected)
        expect(decoded.lines.map(({ line }) => line)).toEqual(expected.map((_, at) => at + 1))
        expect(decoded.issues).toEqual([])
      }),
      { numRuns: runs(40) },
    )
  })

  it('are equal to those of the whole, also for bytes that are not UTF-8', () => {
    const junk = fc.uint8Array({ maxLength: 30 }).map((array) => Uint8Array.from(array))
    const nearMiss = fc
      .array(fc.constantFrom(0xf0, 0xe2, 0xc3, 0x80, 0x9f, 0xbf, 0x22, 0x0a, 0x31), { maxLength: 30 })
      .map((array) => Uint8Array.from(array))
    fc.assert(
      fc.property(fc.oneof(junk, nearMiss), cuts, (junk, cuts) => {
        expect(decode(pieces(junk, cuts))).toEqual(decode([junk]))
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('a line', () => {
  it('may end with carriage return and newline', () => {
    expect(decode(['{"a":1}\r', '\n{"b":2}\r\n'])).toEqual({
      lines: [
        { line: 1, message: { a: 1 } },
        { line: 2, message: { b: 2 } },
      ],
      issues: [],
    })
  })

  it('that is blank is counted and skipped', () => {
    expect(decode(['\n \t\n\r\n{"a":1}\n\n'])).toEqual({
      lines: [{ line: 4, message: { a: 1 } }],
      issues: [],
    })
  })

  it('may follow a byte order mark, as text or as bytes', () => {
    expect(values(decode(['\uFEFF{"a":1}']))).toEqual([{ a: 1 }])
    expect(values(decode([Uint8Array.of(0xef, 0xbb), Uint8Array.of(0xbf), '{"a":1}']))).toEqual([{ a: 1 }])
  })

  it('is not ended by the other line separators of Unicode', () => {
    expect(values(decode(['"\u2028\u2029\u0085"\n']))).toEqual(['\u2028\u2029\u0085'])
  })

  it('keeps a byte order mark and lone surrogates inside a string', () => {
    expect(values(decode([bytes('"a\uFEFFb"\n')]))).toEqual(['a\uFEFFb'])
    expect(values(decode([bytes('"a'), bytes('\uFEFFb"\n')]))).toEqual(['a\uFEFFb'])
    expect(values(decode(['"\\ud83d"\n"\\ude00"']))).toEqual(['\ud83d', '\ude00'])
  })

  it('may lack its newline at the end of the input', () => {
    expect(values(decode(['{"a":1}\n{"b":2}']))).toEqual([{ a: 1 }, { b: 2 }])
  })

  it('may be a field of a server-sent event, of which only the data counts', () => {
    const sent = ': ok\nretry: 1000\n\nevent: message\nid: 7\ndata: {"a":1}\n\n:\n'
    expect(decode([sent])).toEqual({ lines: [{ line: 6, message: { a: 1 } }], issues: [] })
  })

  it('may be any JSON value, including null and false', () => {
    expect(values(decode(['null\nfalse\n0\n""\n[]']))).toEqual([null, false, 0, '', []])
  })
})

describe('a line that is not JSON', () => {
  it('in the middle is an issue with its number, and the rest is read', () => {
    const decoded = decode(['{"a":1}\n{"b":\n{"c":3}\n'])
    expect(decoded.issues).toEqual([{ code: 'malformed-line', count: 1, line: 2 }])
    expect(decoded.lines).toEqual([
      { line: 1, message: { a: 1 } },
      { line: 3, message: { c: 3 } },
    ])
  })

  it('at the end, cut inside a string or a character, is an issue with its number', () => {
    const cut = bytes('{"a":1}\n\n{"b":"é').slice(0, -1)
    expect(decode([cut]).issues).toEqual([{ code: 'malformed-line', count: 1, line: 3 }])
    expect(values(decode([cut]))).toEqual([{ a: 1 }])
  })

  it('is one issue for each such line', () => {
    expect(decode(['x\ny\n']).issues.map(({ line }) => line)).toEqual([1, 2])
  })
})

// Two processes wrote to one file at once, or a new process appended to a line that was cut.
describe('a line with several objects', () => {
  it('gives each of them, with the same number', () => {
    expect(decode(['{"a":1}{"b":{"c":[{"d":2}]}} {"e":"{"}\n3\n'])).toEqual({
      lines: [
        { line: 1, message: { a: 1 } },
        { line: 1, message: { b: { c: [{ d: 2 }] } } },
        { line: 1, message: { e: '{' } },
        { line: 2, message: 3 },
      ],
      issues: [],
    })
  })

  it('has one issue for a broken object, wherever it stands', () => {
    const broken = [{ code: 'malformed-line', count: 1, line: 1 }]
    for (const line of ['{"a":1}{"b":"cu{"c":3}', '{"b":{"cu{"a":1}{"c":3}', '{"a":1}{"c":3}{"b":[1,']) {
      const decoded = decode([line])
      expect(values(decoded)).toEqual([{ a: 1 }, { c: 3 }])
      expect(decoded.issues).toEqual(broken)
    }
  })

  it('is not one that was cut behind an object inside it', () => {
    for (const line of ['{"a":{"b":1}', '{"a": [{"b":1}, {"c":2}', '{"a":"{\\"b\\":1}'])
      expect(decode([line])).toEqual({ lines: [], issues: [{ code: 'malformed-line', count: 1, line: 1 }] })
  })

  it('may be long, whole or broken', () => {
    const line = '{"a":"x'.repeat(200_000)
    expect(decode([line]).issues).toHaveLength(1)
    expect(decode(['{"a":1}'.repeat(50_000)]).lines).toHaveLength(50_000)
  })
})

describe('the fold', () => {
  it('gives the same from an older memory again, and branches do not affect each other', () => {
    const { memory } = decodeLines(initialLines, bytes('{"a":1}\n{"b":"\u00e9').slice(0, -1))
    const left = decodeLines(memory, Uint8Array.of(0xa9, 0x22, 0x7d, 0x0a))
    const right = decodeLines(memory, Uint8Array.of(0xa8, 0x22, 0x7d, 0x0a))
    expect(left.lines).toEqual([{ line: 2, message: { b: 'é' } }])
    expect(right.lines).toEqual([{ line: 2, message: { b: 'è' } }])
    expect(decodeLines(memory, Uint8Array.of(0xa9, 0x22, 0x7d, 0x0a)).lines).toEqual(left.lines)
  })

  it('does not mutate the chunk or the memory', () => {
    const chunk = bytes('{"a":"漢')
    const memory: LineMemory = Object.freeze({ rest: '{"z":', bytes: Uint8Array.of(0xe6), ended: 7 })
    decodeLines(memory, chunk)
    expect(chunk).toEqual(bytes('{"a":"漢'))
    expect(memory).toEqual({ rest: '{"z":', bytes: Uint8Array.of(0xe6), ended: 7 })
  })

  it('copies the rest of a chunk, so that its owner may overwrite it', () => {
    const chunk = bytes('"é').slice(0, -1)
    const { memory } = decodeLines(initialLines, chunk)
    chunk.fill(0)
    expect(decodeLines(memory, Uint8Array.of(0xa9, 0x22, 0x0a)).lines).toEqual([{ line: 1, message: 'é' }])
  })

  it('keeps no more than an incomplete line', () => {
    const { memory } = decodeLines(initialLines, `${tricky}{"rest":`)
    expect(memory).toMatchObject({ rest: '{"rest":', ended: messagesIn(tricky).length })
  })
})
