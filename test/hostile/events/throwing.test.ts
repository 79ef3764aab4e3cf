import { describe, expect, it } from 'vitest'
import { claudeSource, claudeTranscript } from '../../../src/entries/claude.ts'
import { parseConversationLog } from '../../../src/entries/conversations.ts'
import { createInitialConversationState, readTranscript } from '../../../src/entries/index.ts'
import { opencodeSource, opencodeTranscript } from '../../../src/entries/opencode.ts'
import type { Source } from '../../../src/entries/source-kit.ts'
import { restore, SnapshotError, snapshot } from '../../../src/entries/sync.ts'
import { expectDocumented } from '../functions/documented.ts'
import { CLAUDE, OPENCODE, type Program, textsOf } from '../programs.ts'
import { ASKED_FOR, revoked, touchy } from '../values.ts'

/** Values that throw, each in another way. */
const THROWING = [
  ['a proxy that throws', touchy],
  ['a revoked proxy', revoked],
  ['an object whose getter throws', () => asked({}, 'type')],
  ['a list of what throws', () => [touchy(), revoked()]],
] as const

const asked = (value: object, name: string): object =>
  Object.defineProperty(value, name, {
    enumerable: true,
    get() {
      throw ASKED_FOR
    },
  })

/** Versions of a program's line with a throwing value in one place. */
function spoiled(line: string): readonly (readonly [string, () => unknown])[] {
  const fieldNames = Object.keys(JSON.parse(line))
  return [
    ...THROWING.map(([name, value]) => [`that is ${name}`, value] as const),
    ...fieldNames.flatMap((field) => [
      [`whose ${field} cannot be asked for`, () => asked(JSON.parse(line), field)] as const,
      ...THROWING.map(
        ([name, value]) =>
          [`whose ${field} is ${name}`, () => ({ ...JSON.parse(line), [field]: value() })] as const,
      ),
    ]),
    ...THROWING.map(
      ([name, value]) =>
        [`with ${name} beside its fields`, () => ({ ...JSON.parse(line), tea: value() })] as const,
    ),
  ]
}

/** Reads a message between two good ones. Returns the texts of the good ones, and the issues. */
function around(program: Program, source: Source, message: unknown) {
  const lineOf = (id: string): unknown => JSON.parse(program.line(id, JSON.stringify(id)))
  const beginning = program.beginning.map((line): unknown => JSON.parse(line))
  const start = source.read(source.open(), [...beginning, lineOf('before')])
  const { session, issues } = source.read(start.session, [message, lineOf('after')])
  return { texts: textsOf(source.end(session).session.state), issues: [...start.issues, ...issues] }
}

const UNKNOWN = [{ code: 'unknown-message', count: 1, messageType: 'no object', index: 0 }]

it.each(spoiled(CLAUDE.line('odd', '"odd"')))('a message of Claude Code %s is reported', (_, message) => {
  expect(around(CLAUDE, claudeSource, message())).toEqual({ texts: ['before', 'after'], issues: UNKNOWN })
})

it.each(spoiled(OPENCODE.line('odd', '"odd"')))('a message of OpenCode %s is reported', (_, message) => {
  expect(around(OPENCODE, opencodeSource, message())).toEqual({ texts: ['before', 'after'], issues: UNKNOWN })
})

const raw = CLAUDE.line('good', '"good"')
const sub = { id: 'a', transcript: raw }

describe.each(THROWING)('%s as an argument', (_, value) => {
  /** Calls the function without type checks, and expects that it throws a documented error. */
  function expectRefused(call: (...args: never[]) => unknown, ...args: readonly unknown[]): void {
    let error: unknown
    expect(() => {
      try {
        Reflect.apply(call, undefined, args)
      } catch (thrown) {
        error = thrown
        throw thrown
      }
    }).toThrow()
    // The error of an argument's own getter may pass.
    if (error !== ASKED_FOR) expectDocumented(error)
  }

  it.each(['claude-sdk', 'opencode'])('is no transcript of %s', (architecture) => {
    expectRefused(readTranscript, architecture, value())
    expectRefused(readTranscript, architecture, { main: value(), subagents: [] })
    expectRefused(readTranscript, architecture, { main: raw, subagents: [value()] })
    expectRefused(readTranscript, architecture, { main: raw, subagents: [{ ...sub, transcript: value() }] })
    expectRefused(readTranscript, architecture, { main: raw, subagents: [{ ...sub, meta: value() }] })
    expectRefused(readTranscript, architecture, asked({ subagents: [] }, 'main'))
    expectRefused(readTranscript, value(), raw)
  })

  it('is no log of conversations', () => {
    const read = (json: unknown) => {
      const { issues } = parseConversationLog(json)
      if (issues[0]?.code === 'not-a-log') throw new TypeError('reported')
    }
    expectRefused(read, value())
    expectRefused(read, { version: 1, conversations: asked({}, 'length') })
    expectRefused(read, asked({ conversations: [] }, 'version'))
  })

  it('is no file of a session', () => {
    for (const bundle of [claudeTranscript, opencodeTranscript]) {
      expectRefused(bundle, value())
      expectRefused(bundle, { 'a.jsonl': value(), 'a.json': value() })
      expectRefused(bundle, asked({}, 'a.json'))
    }
  })

  it('is no snapshot, nor a part of one', () => {
    const whole = snapshot({ state: createInitialConversationState(), epoch: 'e', seq: 1 })
    expect(restore(whole).seq).toBe(1)
    expect(() => restore(value())).toThrow(SnapshotError)
    for (const key of [...Object.keys(whole), 'tea'])
      expect(() => restore({ ...whole, [key]: value() }), key).toThrow(SnapshotError)
    for (const key of Object.keys(whole.state))
      expect(() => restore({ ...whole, state: { ...whole.state, [key]: value() } }), key).toThrow(
        SnapshotError,
      )
    expect(() => restore({ ...whole, state: { ...whole.state, blocks: [value()] } })).toThrow(SnapshotError)
  })
})

describe('in a log of conversations', () => {
  const message = { id: '1', timestamp: '2026-01-01T00:00:00Z', role: 'user', content: 'good' }
  const conversation = { id: 'c', startedAt: '2026-01-01T00:00:00Z', messages: [message] }

  /** Expects that the log sets the value at the place aside and reads the good message. */
  function expectSetAside(conversations: readonly unknown[], place: readonly unknown[]): void {
    const { log, issues } = parseConversationLog({ version: 1, conversations })
    expect(issues.map(({ path }) => path.slice(0, place.length))).toEqual([place])
    expect(log.active?.messages).toEqual([message])
  }
  const asConversation = (value: unknown) => expectSetAside([value, conversation], ['conversations', 0])
  const asMessage = (value: unknown) =>
    expectSetAside([{ ...conversation, messages: [value, message] }], ['conversations', 0, 'messages', 0])

  // An uncaught error of a proxy would lose the whole log.
  it.each(THROWING)('%s is a conversation that is set aside', (_, value) => asConversation(value()))
  it.each(THROWING)('%s is a message that is set aside', (_, value) => asMessage(value()))
  it.each(THROWING)('%s in a host’s own field sets the message aside', (_, value) =>
    asMessage({ ...message, id: '2', tea: value() }),
  )
  it.each(THROWING)('%s in a host’s own field sets the conversation aside', (_, value) =>
    asConversation({ ...conversation, id: 'd', tea: value() }),
  )
})
