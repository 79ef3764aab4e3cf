import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Architecture,
  anySource,
  createReader,
  loadSession,
  type Session,
  saveSession,
  sourceOf,
} from '../../src/entries/index.ts'
import type { Reading, Source } from '../../src/entries/source-kit.ts'
import { allFormats, formatOf } from '../../src/wires/all.ts'
import { architectureOf } from '../../src/wires/detect.ts'
import { loadedSourceOf } from '../../src/wires/sources.ts'
import { parrot } from '../checks/laws/parrot.ts'
import { runs } from '../depth.ts'
import { plain } from '../wires/ag-ui/server-streams.ts'
import { inputs, type RecordedInput } from '../wires/inputs.ts'

type Input = Pick<RecordedInput, 'name' | 'architecture' | 'messages'>

const all: readonly Input[] = [
  ...inputs,
  { name: 'ag-ui, a made-up stream', architecture: 'ag-ui', messages: plain },
]

const shows = (message: unknown) => architectureOf(message) !== undefined
const visible = all.filter(({ messages }) => messages.some(shows))
const hidden = all.filter(({ messages }) => !messages.some(shows))

/** The shortest inputs of each wire, of which one begins with messages that show nothing. */
const short: readonly Input[] = allFormats().flatMap(({ name }) => {
  const own = visible
    .filter(({ architecture, messages }) => architecture === name && messages.length > 4)
    .sort((left, right) => left.messages.length - right.messages.length)
  return [...own.slice(0, 1), ...own.filter(({ messages: [first] }) => !shows(first)).slice(0, 1)]
})

const outputOf = ({ session, events, issues }: Reading) => ({ state: session.state, events, issues })
const reloaded = (source: Source, session: Session) =>
  loadSession(source, JSON.parse(JSON.stringify(saveSession(session))))

/** Reads the messages one by one to their end. An issue has no number of its message. */
function readEach(source: Source, messages: readonly unknown[], between = (session: Session) => session) {
  let session = source.open()
  const readings: Reading[] = []
  for (const message of messages) {
    const reading = source.read(between(session), [message])
    session = reading.session
    readings.push(reading)
  }
  const end = source.end(between(session))
  return {
    state: end.session.state,
    ending: end.ending,
    events: [...readings, end].flatMap(({ events }) => events),
    issues: [...readings, end].flatMap(({ issues }) => issues.map(({ index: _, ...issue }) => issue)),
  }
}

describe('a recording read with anySource', () => {
  it('may be of any wire', () => {
    const names = allFormats().map(({ name }) => name)
    expect(new Set(visible.map(({ architecture }) => architecture))).toEqual(new Set(names))
    expect(visible.length).toBeGreaterThan(100)
  })

  it.each(visible)('is the session of its own source: $name', ({ architecture, messages }) => {
    const source = loadedSourceOf(architecture)
    const reading = anySource.read(anySource.open(), messages)
    const expected = source.read(source.open(), messages)
    expect(outputOf(reading)).toEqual(outputOf(expected))
    expect(reading.session.notes.declaration).toBe(expected.session.notes.declaration)
    expect(outputOf(anySource.end(reading.session))).toEqual(outputOf(source.end(expected.session)))
  })

  it.each(short)('is the same one by one: $name', ({ architecture, messages }) => {
    expect(readEach(anySource, messages)).toEqual(readEach(loadedSourceOf(architecture), messages))
  })

  it.each(short)('is the same if it is saved after each message: $name', ({ architecture, messages }) => {
    const read = readEach(anySource, messages, (session) => reloaded(anySource, session))
    expect(read).toEqual(readEach(loadedSourceOf(architecture), messages))
  })

  it.each(short)('is the same for any batches: $name', ({ architecture, messages }) => {
    const source = loadedSourceOf(architecture)
    const expected = source.read(source.open(), messages)
    fc.assert(
      fc.property(fc.array(fc.nat(messages.length), { maxLength: 6 }), (cuts) => {
        const places = [0, ...cuts.sort((left, right) => left - right), messages.length]
        let session = anySource.open()
        const events = places.slice(1).flatMap((to, at) => {
          const reading = anySource.read(session, messages.slice(places[at], to).values())
          session = reading.session
          return reading.events
        })
        expect({ state: session.state, events }).toEqual({
          state: expected.session.state,
          events: expected.events,
        })
      }),
      { numRuns: runs(10) },
    )
  })

  it.each(short)(
    'goes on with its own source, and the other way round: $name',
    ({ architecture, messages }) => {
      const source = loadedSourceOf(architecture)
      const shown = messages.findIndex(shows) + 1
      const [first, rest] = [messages.slice(0, shown), messages.slice(shown)]
      const { session } = anySource.read(anySource.open(), first)
      const saved = saveSession(session)
      const expected = outputOf(source.read(session, rest))
      expect(outputOf(anySource.read(session, rest))).toEqual(expected)
      expect(outputOf(source.read(loadSession(source, saved), rest))).toEqual(expected)
      expect(outputOf(anySource.read(loadSession(anySource, saved), rest))).toEqual(expected)
    },
  )

  it.each(hidden)('is read at its end if nothing shows its wire: $name', ({ architecture, messages }) => {
    const waiting = anySource.read(anySource.open(), messages)
    expect(outputOf(waiting)).toEqual({ state: anySource.open().state, events: [], issues: [] })
    const end = anySource.end(waiting.session)
    const fits = formatOf(architecture).fits
    const isRead = messages.every((message) => fits?.(message)) && end.events.length > 0
    const own = loadedSourceOf(architecture)
    const whole = isRead ? own.end(own.read(own.open(), messages).session) : undefined
    expect(end.session.state).toEqual(whole?.session.state ?? anySource.open().state)
    expect(end.issues.map(({ code }) => code)).toEqual(
      isRead ? expect.arrayContaining(['unproven-format']) : messages.map(() => 'unknown-message'),
    )
  })
})

describe('messages before the first one that shows the wire', () => {
  const tea = { type: 'tea_break' }
  const messages = inputs.find(({ name }) => name === 'claude-sdk, 01-plain-text, stream')?.messages ?? []
  const source = loadedSourceOf('claude-sdk')

  it('wait, and are then issues of the source that reads them', () => {
    const waiting = anySource.read(anySource.open(), [tea, 7])
    expect(outputOf(waiting)).toEqual(outputOf({ session: anySource.open(), events: [], issues: [] }))
    const reading = anySource.read(waiting.session, [null, tea, ...messages, tea])
    expect(reading.issues).toEqual([
      { code: 'unknown-message', count: 1, messageType: 'tea_break' },
      { code: 'unknown-message', count: 1, messageType: expect.any(String) },
      { code: 'unknown-message', count: 1, messageType: expect.any(String), index: 0 },
      { code: 'unknown-message', count: 1, messageType: 'tea_break', index: 1 },
      { code: 'unknown-message', count: 1, messageType: 'tea_break', index: messages.length + 2 },
    ])
    expect(reading.session.state).toEqual(source.read(source.open(), messages).session.state)
  })

  it('wait after a save too', () => {
    const { session } = anySource.read(anySource.open(), [tea, undefined, Symbol('odd')])
    const reading = anySource.read(reloaded(anySource, session), messages)
    expect(reading.session.state).toEqual(source.read(source.open(), messages).session.state)
    expect(reading.issues).toHaveLength(3)
  })

  it('are issues at the end if nothing shows the wire, one for each', () => {
    const { session } = anySource.read(anySource.open(), [tea, 7, tea])
    const end = anySource.end(session)
    expect(end).toMatchObject({ events: [], ending: 'open' })
    expect(end.session.state).toBe(session.state)
    expect(end.issues.map(({ code, index }) => ({ code, index }))).toEqual([
      { code: 'unknown-message', index: undefined },
      { code: 'unknown-message', index: undefined },
      { code: 'unknown-message', index: undefined },
    ])
  })

  // An end before the first message made the session one of Claude Code.
  it.each(visible.slice(-1).concat(short))('wait for a later input after the end: $name', (input) => {
    const own = loadedSourceOf(input.architecture)
    for (const first of [[], [tea]]) {
      const waiting = anySource.read(anySource.open(), first)
      const { session } = anySource.end(waiting.session)
      const reading = anySource.read(session, input.messages)
      expect(reading.session.state).toEqual(own.read(own.open(), input.messages).session.state)
    }
  })

  it('may be nested too deep, which is an issue at once and can be saved', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
    const { session, issues } = anySource.read(anySource.open(), [7, { deep }])
    expect(issues).toEqual([{ code: 'too-deep', count: 1, index: 1 }])
    const reading = anySource.read(reloaded(anySource, session), messages)
    expect(reading.issues).toHaveLength(2)
  })

  it('may be many', () => {
    const reader = createReader(anySource)
    for (let at = 0; at < 20_000; at += 1) reader.push({ at })
    expect(reader.end().issues).toMatchObject([{ count: 20_000 }])
  })

  it('are reported once, however often the input ends', () => {
    const reader = createReader(anySource)
    reader.push({ at: 1 })
    expect(reader.end().issues).toMatchObject([{ count: 1 }])
    expect(reader.end().issues).toEqual([])
    reader.push({ at: 2 })
    const again = createReader(anySource, { session: reloaded(anySource, reader.session) })
    expect(again.end().issues).toMatchObject([{ count: 1 }])
    expect(reader.end().issues).toMatchObject([{ count: 1 }])
    expect(reader.issues).toMatchObject([{ count: 2 }])
  })
})

describe('a state to go on with', () => {
  it.each(short)('is that of its program: $name', ({ architecture, messages }) => {
    const source = loadedSourceOf(architecture)
    const half = messages.slice(0, Math.ceil(messages.length / 2))
    const { state } = anySource.read(anySource.open(), half).session
    const opened = anySource.open(state)
    expect(opened.state).toBe(state)
    if (state.session.program !== undefined || state.session.protocol !== undefined)
      expect(opened.notes.declaration).toBe(source.notes[0])
    const rest = messages.slice(half.length)
    expect(outputOf(anySource.read(opened, rest))).toEqual(outputOf(source.read(source.open(state), rest)))
  })

  it('is read by the protocol that carried it, whatever the program is', () => {
    const { state } = anySource.open()
    const carried = { ...state, session: { program: 'claude-code', protocol: 'acp' } }
    expect(anySource.open(carried).notes.declaration).toBe(loadedSourceOf('acp').notes[0])
  })

  it('of an unknown program waits for a message that shows the wire', () => {
    const { state } = parrot.read(parrot.open(), [{ say: 'Hello' }]).session
    const opened = anySource.open(state)
    expect(opened.state).toBe(state)
    const { session } = anySource.read(opened, short[0]?.messages ?? [])
    expect(session.state.blocks[0]).toBe(state.blocks[0])
    expect(session.state.blocks.length).toBeGreaterThan(1)
  })

  it('of another source throws a TypeError, as a session', () => {
    for (const session of [parrot.open(), JSON.parse('{"state":{},"notes":{}}')]) {
      expect(() => anySource.read(session, [])).toThrow(TypeError)
      expect(() => anySource.read(session, [{}])).toThrow(TypeError)
      expect(() => anySource.end(session)).toThrow(TypeError)
    }
    expect(() => loadSession(anySource, saveSession(parrot.open()))).toThrow(/a session of parrot/)
  })
})

describe('sourceOf', () => {
  it.each(allFormats())('loads the source of $name', async ({ name }) => {
    expect(await sourceOf(name)).toBe(loadedSourceOf(name))
  })

  it.each(['tea-pot', 'constructor', '__proto__', '', undefined, 7])('rejects the name %j', async (name) => {
    const load: (architecture: Architecture) => Promise<Source> = sourceOf
    const loaded: unknown = Reflect.apply(load, undefined, [name])
    await expect(loaded).rejects.toThrow(RangeError)
    await expect(loaded).rejects.toThrow(/^unknown architecture .*: use claude-sdk or opencode or codex/)
  })
})
