import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Architecture,
  anySource,
  createReader,
  loadSession,
  reduceSessionEvents,
  type SessionReader,
} from '../../src/entries/index.ts'
import type { Source } from '../../src/entries/source-kit.ts'
import type { ReaderStep } from '../../src/reading/reader.ts'
import { loadedSourceOf } from '../../src/wires/sources.ts'
import { parrot } from '../checks/laws/parrot.ts'
import { runs } from '../depth.ts'
import * as acp from '../wires/acp/recordings.ts'
import * as codex from '../wires/codex/recordings.ts'
import { messagesOf } from '../wires/messages-in.ts'
import * as opencode from '../wires/opencode/recordings.ts'
import { recording } from '../wires/recordings.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const say = (...texts: readonly string[]) =>
  texts.map((text) => `${JSON.stringify({ say: text })}\n`).join('')

/** Reads all parts of an input to its end. */
function readAll(reader: SessionReader, parts: readonly unknown[]) {
  const steps: readonly ReaderStep[] = parts.map((part) => reader.push(part))
  const end = reader.end()
  return {
    state: reader.state,
    events: [...steps, end].flatMap(({ events }) => events),
    issues: [...steps, end].flatMap(({ issues }) => issues),
    ending: end.ending,
  }
}

const contentsOf = ({ state }: Pick<SessionReader, 'state'>) =>
  state.blocks.map((block) => 'content' in block && block.content)

/** Cuts a text or its bytes at any places. Two cuts may be at the same place. */
function pieces<Whole extends string | Uint8Array>(whole: Whole, cuts: readonly number[]) {
  const places = [...cuts.map((cut) => cut % (whole.length + 1)), whole.length].sort((a, b) => a - b)
  return places.map((place, at) => whole.slice(at === 0 ? 0 : places[at - 1], place))
}

describe('a text that arrives in parts', () => {
  const recorded: readonly { readonly architecture: Architecture; readonly text: string }[] = [
    { architecture: 'claude-sdk', text: recording('06-nested-forward').stream },
    { architecture: 'opencode', text: opencode.recordings[3]?.events ?? '' },
    { architecture: 'codex', text: codex.recordings[4]?.app.live ?? '' },
    { architecture: 'acp', text: acp.recordings[2]?.live ?? '' },
  ]
  const broken = '{"type":"tea_break"}\n  \n{"cut":"é漢字👩‍👧\n{"type":"tea_break"}{"type":"other"}\r\n'

  describe.each(recorded)('of $architecture', ({ architecture, text: lines }) => {
    const source = loadedSourceOf(architecture)
    const middle = lines.indexOf('\n', lines.length / 2) + 1
    const text = `${lines.slice(0, middle)}${broken}${lines.slice(middle)}{"type":"tea_bre`
    const whole = readAll(createReader(source), [text])

    it('has content, issues with their lines, and an incomplete last line', () => {
      const line = lines.slice(0, middle).split('\n').length
      const last = text.split('\n').length
      expect(whole.state.blocks.length).toBeGreaterThan(0)
      expect(whole.issues.filter(({ code }) => code === 'malformed-line')).toEqual([
        { code: 'malformed-line', count: 1, line: line + 2 },
        { code: 'malformed-line', count: 1, line: last },
      ])
      const unknown = whole.issues.filter(
        (issue) => 'messageType' in issue && /tea/.test(issue.messageType ?? ''),
      )
      expect(unknown).toEqual([{ code: 'unknown-message', count: 2, messageType: 'tea_break', line }])
    })

    it.each([
      ['its text', text],
      ['its bytes', bytes(text)],
    ])('gives the same for any cuts of %s', (_, whole_) => {
      fc.assert(
        fc.property(fc.array(fc.nat(), { maxLength: 12 }), (cuts) => {
          const { issues, ...read } = readAll(createReader(source), pieces(whole_, cuts))
          const { issues: expected, ...others } = whole
          expect(read).toEqual(others)
          expect(merged(issues)).toEqual(merged(expected))
        }),
        { numRuns: runs(12) },
      )
    })

    it('gives the state that its events lead to, after each part', () => {
      const reader = createReader(source)
      let state = reader.state
      for (const part of pieces(text, [100, 1000, 5000, 9999, 12_345])) {
        state = reduceSessionEvents(state, reader.push(part).events)
        expect(reader.state).toEqual(state)
        expect(reader.session.state).toBe(reader.state)
      }
    })
  })

  it('is bytes of another realm too, such as those of a frame of the page', () => {
    const reader = createReader(parrot)
    const frame = runInNewContext('new Uint8Array(list)', { list: [...bytes(say('Hello'))] })
    expect(frame instanceof Uint8Array).toBe(false)
    expect(reader.push(frame).issues).toEqual([])
    expect(contentsOf(reader)).toEqual(['Hello'])
  })
})

/** Issues of one kind are one issue only in one step. */
function merged(issues: ReaderStep['issues']): unknown {
  const kinds = new Map<string, { count: number; line: number | undefined }>()
  for (const { count = 1, line, ...facts } of issues) {
    const key = JSON.stringify(facts)
    const known = kinds.get(key)
    kinds.set(key, { count: (known?.count ?? 0) + count, line: known?.line ?? line })
  }
  return kinds
}

describe('messages', () => {
  it('may be pushed in place of text', () => {
    const source = loadedSourceOf('claude-sdk')
    const { stream } = recording('06-nested-forward')
    const messages = messagesOf('claude-sdk', stream)
    expect(readAll(createReader(source), messages)).toEqual(readAll(createReader(source), [stream]))
  })

  it('have issues with the number of the message, counted from 1', () => {
    const reader = createReader(parrot)
    reader.push({ say: 'One' })
    expect(reader.push({ song: 'la' }).issues).toEqual([
      { code: 'unknown-message', count: 1, messageType: 'other', line: 2 },
    ])
    for (const message of [null, undefined, 7, [], Symbol('odd')])
      expect(reader.push(message).issues).toMatchObject([{ code: 'unknown-message' }])
    expect(reader.push({}).issues).toMatchObject([{ line: 8 }])
  })

  it('may be two objects on one line', () => {
    const reader = createReader(parrot)
    expect(reader.push(`{"say":"One"}{"say":"Two"}\n${say('Three')}`).issues).toEqual([])
    expect(contentsOf(reader)).toEqual(['One', 'Two', 'Three'])
    expect(reader.push('{"say":"Four"}{"song":1}\n').issues).toMatchObject([{ line: 3 }])
  })
})

describe('a step', () => {
  it('has only its own events and issues', () => {
    const reader = createReader(parrot)
    expect(reader.push(`${say('One')}oops\n`)).toMatchObject({
      events: [{ type: 'session:updated' }, { type: 'block:upsert' }],
      issues: [{ code: 'malformed-line', count: 1, line: 2 }],
    })
    expect(reader.push(say('Two'))).toMatchObject({ events: [{ type: 'block:upsert' }], issues: [] })
    expect(reader.push('')).toEqual({ events: [], issues: [] })
    expect(reader.push('oops\noops\n').issues).toEqual([{ code: 'malformed-line', count: 2, line: 4 }])
  })

  it('of the end has the incomplete last line', () => {
    const reader = createReader(parrot)
    reader.push(`${say('One')}{"say":"Two"}`)
    expect(contentsOf(reader)).toEqual(['One'])
    expect(reader.end()).toMatchObject({ events: [{ type: 'block:upsert' }], issues: [], ending: 'open' })
    expect(contentsOf(reader)).toEqual(['One', 'Two'])
  })

  it('of the end reports a last line that is broken, also if it is a part of one letter', () => {
    const reader = createReader(parrot)
    reader.push(`${say('One')}{"say":"Tw`)
    expect(reader.end().issues).toEqual([{ code: 'malformed-line', count: 1, line: 2 }])
    reader.push(bytes('é').slice(0, 1))
    expect(reader.end().issues).toEqual([{ code: 'malformed-line', count: 1, line: 3 }])
    expect(reader.push('oops\n').issues).toEqual([{ code: 'malformed-line', count: 1, line: 4 }])
  })

  it('of the end has the issues of one kind as one', () => {
    const reader = createReader(anySource)
    for (const type of ['tea_break', 'other', 'tea_break']) reader.push({ type })
    expect(reader.end().issues).toMatchObject([
      { code: 'unknown-message', count: 2, messageType: 'tea_break' },
      { code: 'unknown-message', count: 1, messageType: 'other' },
    ])
  })
})

describe('a saved session', () => {
  const source = loadedSourceOf('claude-sdk')
  const { stream } = recording('06-nested-forward')
  const lines = stream.trimEnd().split('\n')
  const whole = readAll(createReader(source), [stream])
  const stored = (reader: SessionReader) => JSON.parse(JSON.stringify(reader.save()))

  it('goes on with the rest of the input', () => {
    fc.assert(
      fc.property(fc.nat(lines.length), (at) => {
        const first = createReader(source)
        const { events } = first.push(
          lines
            .slice(0, at)
            .map((line) => `${line}\n`)
            .join(''),
        )
        const next = createReader(source, { session: loadSession(source, stored(first)) })
        expect(next.state).toEqual(first.state)
        const rest = readAll(next, [lines.slice(at).join('\n')])
        expect(rest.state).toEqual(whole.state)
        expect([...events, ...rest.events]).toEqual(whole.events)
      }),
      { numRuns: runs(12) },
    )
  })

  it('has no part of an incomplete line', () => {
    const reader = createReader(parrot)
    reader.push(`${say('One')}{"say":`)
    const next = createReader(parrot, { session: loadSession(parrot, stored(reader)) })
    next.push('{"say":"Two"}\n')
    expect(contentsOf(next)).toEqual(['One', 'Two'])
    reader.push('"Three"}\n')
    expect(contentsOf(reader)).toEqual(['One', 'Three'])
  })

  it('may be opened from a state instead', () => {
    const first = createReader(parrot)
    first.push(say('One'))
    const next = createReader(parrot, { session: parrot.open(first.state) })
    next.push(say('Two'))
    expect(contentsOf(next)).toEqual(['One', 'Two'])
  })

  it('of another source throws a TypeError', () => {
    const reader = createReader(source, { session: parrot.open() })
    expect(() => reader.push({})).toThrow(TypeError)
  })
})

describe('after the end of the input', () => {
  const source = loadedSourceOf('claude-sdk')
  const { stream } = recording('01-plain-text')
  const lines = stream.trimEnd().split('\n')
  const isDelta = (line: string) => line.includes('content_block_delta')
  const cut = lines.findIndex(isDelta) + 1

  it('the rest of the input goes on where it was cut', () => {
    const reader = createReader(source)
    reader.push(lines.slice(0, cut).join('\n'))
    const { ending, events } = reader.end()
    expect({ ending, status: reader.state.turn.status }).toEqual({
      ending: 'interrupted',
      status: 'interrupted',
    })
    expect(events).toContainEqual({ type: 'session:idle', outcome: 'interrupted', cut: true })
    const [first] = reader.push(`${lines[cut]}\n`).events
    expect(first).toEqual({ type: 'session:running', continues: true })
    expect(reader.state.turn.status).toBe('running')
    reader.push(lines.slice(cut + 1).join('\n'))
    expect(reader.end().ending).toBe('finished')
    expect(reader.state).toEqual(readAll(createReader(source), [stream]).state)
  })

  it('lines count on, and a second end changes nothing', () => {
    const reader = createReader(parrot)
    reader.push('{"say":"One"}')
    reader.end()
    expect(reader.push('oops\n').issues).toMatchObject([{ line: 2 }])
    const { state } = reader
    expect(reader.end()).toEqual({ events: [], issues: [], ending: 'open' })
    expect(reader.state).toBe(state)
  })
})

it('a reader that has read nothing has an empty session', () => {
  const sources: readonly Source[] = [parrot, anySource]
  for (const source of sources) {
    const reader = createReader(source)
    expect(reader.session).toEqual(source.open())
    expect(reader.end()).toEqual({ events: [], issues: [], ending: 'open' })
    expect(loadSession(source, reader.save()).state).toEqual(source.open().state)
  }
})
