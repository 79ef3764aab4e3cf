import { describe, expect, it } from 'vitest'
import { asObject, asString } from '../../../src/core/json/values.ts'
import type { ConversationBlock, SessionEvent } from '../../../src/entries/index.ts'
import {
  declareNotes,
  defineSource,
  type NotesOf,
  type Source,
  TranslationContext,
} from '../../../src/entries/source-kit.ts'
import { checkJoin, type LawCode, LawError } from '../../../src/entries/testing.ts'
import { errorOf } from './parrot.ts'

interface Message {
  readonly id: string
  readonly text: string
}

const messages: readonly Message[] = ['a', 'b', 'c', 'd'].map((id) => ({ id, text: `Text ${id}.` }))
const session = { history: messages, live: messages, historyAt: (cut: number) => messages.slice(0, cut) }

const upsert = (id: string, content: string): SessionEvent => ({
  type: 'block:upsert',
  block: { type: 'assistant_text', id, status: 'complete', content, messageId: 'm' },
})

type Known = readonly string[]

const FIELDS = { known: { listOf: 'string' } } as const
const NOTES = declareNotes({ source: 'numbered', version: 1 }, FIELDS)

/** A program whose messages have ids. The notes know the ids so far. */
const careful = sourceOf((known, { id, text }) => (known.includes(id) ? [] : [upsert(id, text)]))

function sourceOf(
  eventsOf: (known: Known, message: Message) => readonly SessionEvent[],
  knownFrom = (blocks: readonly ConversationBlock[]): Known => blocks.map(({ id }) => id),
  notes = NOTES,
): Source {
  return defineSource({
    notes,
    begin: (session) => new TranslationContext<NotesOf<typeof FIELDS>>(session),
    open: ({ blocks }, context) => context.notes.remember({ known: knownFrom(blocks) }),
    translate(message, context) {
      const found = messages.find((each) => each === message)
      if (!found) return context.reportUnknown('unknown-message', 'other')
      const { known = [] } = context.notes.values
      for (const event of eventsOf(known, found)) context.emit(event)
      context.notes.remember({ known: [...known, found.id] })
    },
    end: (context) => context.endInput(),
  })
}

const overwriting = sourceOf((known, { id, text }) => [upsert(id, known.includes(id) ? 'Again.' : text)])
const ignoring = sourceOf(
  (known, { id, text }) => (known.includes(id) ? [] : [upsert(id, text)]),
  () => messages.map(({ id }) => id),
)

describe('checkJoin', () => {
  it('accepts a source that knows what it has read', () => {
    expect(() => checkJoin(careful, session)).not.toThrow()
  })

  const faults: Readonly<Partial<Record<LawCode, Readonly<Record<string, Source>>>>> = {
    doubled: {
      'adds a repeated message again': sourceOf((known, { text }) => [upsert(`${known.length}`, text)]),
      'forgets what the state holds': sourceOf(
        (known, { id, text }) => (known.includes(id) ? [] : [upsert(`${known.length}`, text)]),
        () => [],
      ),
    },
    overwritten: {
      'writes over a known block': overwriting,
    },
    lost: {
      'removes a repeated block': sourceOf((known, { id, text }) =>
        known.includes(id) ? [{ type: 'block:removed', blockId: id }] : [upsert(id, text)],
      ),
    },
    incomplete: {
      'ignores everything after it was opened from a state': ignoring,
    },
    reordered: {
      'moves a repeated block to the end': sourceOf((known, { id, text }) =>
        known.includes(id) ? [{ type: 'block:removed', blockId: id }, upsert(id, text)] : [upsert(id, text)],
      ),
    },
  }

  it.each(
    Object.entries(faults).flatMap(([code, sources]) =>
      Object.entries(sources).map(([name, source]) => [name, code, source] as const),
    ),
  )('refuses a source that %s: %s', (_, code, source) => {
    expect(() => checkJoin(source, session)).toThrow(LawError)
    expect(() => checkJoin(source, session)).toThrow(expect.objectContaining({ code }))
  })

  describe('of an open text', () => {
    const texts = [{ text: 'Hel' }, { text: 'Hello' }, {}]
    const open = { history: texts, live: texts, historyAt: (cut: number) => texts.slice(0, cut) }
    const upsertOpen = (content: string): SessionEvent => ({
      type: 'block:upsert',
      block: { type: 'assistant_text', id: 'a', status: 'pending', content },
    })
    const goOn = (known: string, text: string): readonly SessionEvent[] => [
      known === ''
        ? upsertOpen(text)
        : { type: 'block:delta', blockId: 'a', delta: text.slice(known.length) },
    ]

    it('accepts that the text goes on after the end of the input', () => {
      expect(() => checkJoin(typing(goOn), open)).not.toThrow()
    })

    it('refuses another text', () => {
      const replace = (known: string, text: string): readonly SessionEvent[] => [
        { type: 'block:removed', blockId: 'a' },
        upsertOpen(text.slice(known.length)),
      ]
      expect(() => checkJoin(typing(replace), open)).toThrow(expect.objectContaining({ code: 'overwritten' }))
    })

    it('refuses a turn that stays interrupted', () => {
      expect(() => checkJoin(typing(goOn, { isFinishing: false }), open)).toThrow(
        expect.objectContaining({ code: 'incomplete', expected: { status: 'finished' } }),
      )
    })
  })

  // An author of somebody else's program cannot change its lines, and its files may have no requests.
  it('accepts an answer that does not repeat its question, but no lost question', () => {
    const asking = (isDeaf: boolean) =>
      defineSource({
        notes: declareNotes({ source: 'asking', version: 1 }, {}),
        begin: (session) => new TranslationContext(session),
        open: () => {},
        translate(message, context) {
          const [ask, answer] = [asString(asObject(message).ask), asString(asObject(message).answer)]
          const [first, known] = [context.state.blocksOf('main')[0], context.state.findBlock('main', 'q')]
          const question = { type: 'request', id: 'q', kind: 'permission' } as const
          if (!ask && !answer) context.emit(upsert('a', 'Hi.'))
          else if (ask && !known && !(isDeaf && first))
            context.upsert('main', { ...question, title: ask, status: 'pending' })
          else if (answer && known?.type === 'request')
            context.upsert('main', { ...known, answer, status: 'complete' })
        },
        end: (context) => context.endInput(),
      })
    const asked = { history: [{}], live: [{ ask: 'Run?' }, { answer: 'yes' }] }
    expect(() => checkJoin(asking(false), asked)).not.toThrow()
    expect(() => checkJoin(asking(true), asked)).toThrow(expect.objectContaining({ code: 'incomplete' }))
  })

  it('names the cut and the way of the join', () => {
    const error = errorOf(() => checkJoin(ignoring, session))
    expect(error).toMatchObject({ index: 0, code: 'incomplete' })
    expect(String(error)).toContain('with a session opened from the state, live from input 0')
  })

  describe('finds a fault in one way of joining alone', () => {
    /** A program whose blocks are numbered, so it must know which messages it has read. */
    const numbered = (isKnown: (known: Known, id: string) => boolean) => (known: Known, message: Message) =>
      isKnown(known, message.id) ? [] : [upsert(`${new Set(known).size}`, message.text)]
    const knowing = numbered((known, id) => known.includes(id))
    const unsaved = { ...NOTES, shapes: {} }
    const doublingAtOnce = sourceOf((known, { id, text }) => {
      if (known.at(-1) === id) return [upsert(`${id} again`, text)]
      return known.includes(id) ? [] : [upsert(id, text)]
    })
    const knowingTheLast = sourceOf(numbered((known, id) => known.at(-1) === id))
    const repeating = [...messages, messages[1]]

    it.each<{ way: string; source: Source; cut: number; live?: readonly unknown[] }>([
      {
        way: 'with a saved session of the history',
        source: sourceOf(knowing, undefined, unsaved),
        cut: 4,
        live: repeating,
      },
      {
        way: 'with a session opened from the state',
        source: sourceOf(knowing, () => []),
        cut: 4,
        live: repeating,
      },
      { way: 'with buffered messages', source: doublingAtOnce, cut: 1 },
      { way: 'with a reconnect', source: doublingAtOnce, cut: 0 },
      { way: 'with two overlapping streams', source: knowingTheLast, cut: 0 },
    ])('$way', ({ way, source, cut, live = messages }) => {
      const error = errorOf(() => checkJoin(source, { history: messages.slice(0, cut), live, cuts: [cut] }))
      expect(String(error)).toContain(`(${way}, live from input ${cut})`)
    })
  })

  it('lists all faults, with their parts of the state and their first cuts', () => {
    const error = errorOf(() => checkJoin(overwriting, session))
    const parts = messages.map(({ id }) => `content of block ${id} of main`)
    const found = error instanceof LawError ? error.faults : []
    const overwritten = found.filter(({ code, count }) => code === 'overwritten' && count > 1)
    expect(overwritten.map(({ part }) => part).sort()).toEqual(parts)
    expect(String(error)).toContain('- overwritten: content of block d of main, first at input 0, ')
  })

  it('lists at most 20 faults, and counts the others', () => {
    const ids = Array.from({ length: 25 }, (_, at) => `b${at}`)
    const counting = sourceOf((known) => ids.map((id) => upsert(id, `${id}, ${known.length}`)))
    const error = errorOf(() => checkJoin(counting, { ...session, cuts: [0] }))
    expect(error).toMatchObject({ code: 'overwritten' })
    expect(error instanceof LawError && error.faults).toHaveLength(20)
    expect(String(error)).toMatch(/\n- and \d+ more$/)
  })

  it('lists a join in which the source throws', () => {
    const failing = sourceOf(
      (known, { id, text }) => (known.includes(id) ? [] : [upsert(id, text)]),
      () => {
        throw new Error('no')
      },
    )
    const error = errorOf(() => checkJoin(failing, session))
    expect(error).toMatchObject({ code: 'throws', faults: [{ part: 'the source', index: 0 }] })
    expect(error).toHaveProperty('cause.message', 'no')
  })

  it('joins only at the given cuts', () => {
    expect(() => checkJoin(ignoring, { ...session, cuts: [messages.length] })).not.toThrow()
  })

  it('refuses text instead of messages', () => {
    expect(() => checkJoin(careful, { history: '{}', live: messages })).toThrow(TypeError)
  })
})

/** A program whose messages have one text so far. A message without a text ends the turn, and the end of the input interrupts it. */
function typing(
  eventsOf: (known: string, text: string) => readonly SessionEvent[],
  /** Whether the end of the turn is reported after an interruption. */
  { isFinishing } = { isFinishing: true },
): Source {
  return defineSource({
    notes: declareNotes({ source: 'typing', version: 1 }, {}),
    begin: (session) => new TranslationContext(session),
    open: () => {},
    translate(message, context) {
      const text = asString(asObject(message).text)
      const isInterrupted = context.state.turn.status === 'interrupted'
      if (text === undefined) {
        if (isFinishing || !isInterrupted) context.turn.end({ outcome: 'finished' })
        return
      }
      const [block] = context.state.blocksOf('main')
      const known = block?.type === 'assistant_text' ? block.content : ''
      if (!known.startsWith(text)) for (const event of eventsOf(known, text)) context.emit(event)
    },
    end: (context) => context.endInput(),
  })
}
