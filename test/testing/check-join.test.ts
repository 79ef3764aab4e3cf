import { describe, expect, it } from 'vitest'
import type { ConversationBlock, SessionEvent, Source } from '../../src/index.ts'
import { asArray, asObject, asString } from '../../src/json/values.ts'
import { translateInTurn } from '../../src/session/translate-in-turn.ts'
import type { TurnOutcome, TurnStatus } from '../../src/state/turn.ts'
import { checkJoin, LawError } from '../../src/testing/index.ts'

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

type Memory = readonly string[]

/** A program whose messages have ids. The memory knows the ids so far. */
const careful = sourceOf((known, { id, text }) => (known.includes(id) ? [] : [upsert(id, text)]))

function sourceOf(
  eventsOf: (known: Memory, message: Message) => readonly SessionEvent[],
  resume = (blocks: readonly ConversationBlock[]): Memory => blocks.map(({ id }) => id),
): Source<Memory> {
  const source: Source<Memory> = {
    initial: [],
    translate: (memory, message) => {
      const found = messages.find((each) => each === message)
      if (!found) return { memory, events: [], issues: [{ code: 'unknown-message', count: 1 }] }
      return { memory: [...memory, found.id], events: eventsOf(memory, found), issues: [] }
    },
    end: () => ({ events: [], issues: [], ending: 'open' }),
    resume: ({ blocks }) => resume(blocks),
    translateAll: (memory, all) => translateInTurn(source.translate, memory, all),
    save: (memory) => [...memory],
    load: (saved) => asArray(saved).flatMap((id) => asString(id) ?? []),
  }
  return source
}

describe('checkJoin', () => {
  it('accepts a source that knows what it has read', () => {
    expect(() => checkJoin(careful, session)).not.toThrow()
  })

  const faults: Readonly<Record<string, { readonly source: Source<Memory>; readonly code: string }>> = {
    'adds a repeated message again': {
      code: 'doubled',
      source: sourceOf((known, { text }) => [upsert(`${known.length}`, text)]),
    },
    'forgets what the state holds': {
      code: 'doubled',
      source: sourceOf(
        (known, { id, text }) => (known.includes(id) ? [] : [upsert(`${known.length}`, text)]),
        () => [],
      ),
    },
    'writes over a known block': {
      code: 'overwritten',
      source: sourceOf((known, { id, text }) => [upsert(id, known.includes(id) ? 'Again.' : text)]),
    },
    'removes a repeated block': {
      code: 'lost',
      source: sourceOf((known, { id, text }) =>
        known.includes(id) ? [{ type: 'block:removed', blockId: id }] : [upsert(id, text)],
      ),
    },
    'ignores everything after a resume': {
      code: 'incomplete',
      source: sourceOf(
        (known, { id, text }) => (known.includes(id) ? [] : [upsert(id, text)]),
        () => messages.map(({ id }) => id),
      ),
    },
    'moves a repeated block to the end': {
      code: 'reordered',
      source: sourceOf((known, { id, text }) =>
        known.includes(id) ? [{ type: 'block:removed', blockId: id }, upsert(id, text)] : [upsert(id, text)],
      ),
    },
  }

  it.each(Object.entries(faults))('refuses a source that %s', (_, { source, code }) => {
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

  it('names the cut and the way of the join', () => {
    const error = errorOf(() =>
      checkJoin(faults['ignores everything after a resume']?.source ?? careful, session),
    )
    expect(error).toMatchObject({ index: 0, code: 'incomplete' })
    expect(String(error)).toContain('with a resumed memory, live from input 0')
  })

  it('lists all faults, with their parts of the state and their first cuts', () => {
    const error = errorOf(() => checkJoin(faults['writes over a known block']?.source ?? careful, session))
    const parts = messages.map(({ id }) => `content of block ${id} of main`)
    const found = error instanceof LawError ? error.faults : []
    const overwritten = found.filter(({ code, count }) => code === 'overwritten' && count > 1)
    expect(overwritten.map(({ part }) => part).sort()).toEqual(parts)
    expect(String(error)).toContain('- overwritten: content of block d of main, first at cut 0, in ')
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
    expect(error).toMatchObject({ code: 'throws', faults: [{ part: 'the source', cut: 0 }] })
    expect(error).toHaveProperty('cause.message', 'no')
  })

  it('joins only at the given cuts', () => {
    const source = faults['ignores everything after a resume']?.source ?? careful
    expect(() => checkJoin(source, { ...session, cuts: [messages.length] })).not.toThrow()
  })

  it('refuses text instead of messages', () => {
    expect(() => checkJoin(careful, { history: '{}', live: messages })).toThrow(TypeError)
  })
})

interface TypingMemory {
  readonly text: string
  readonly status: TurnStatus
}

/** A program whose messages have one text so far. A message without a text ends the turn, and the end of the input interrupts it. */
function typing(
  eventsOf: (known: string, text: string) => readonly SessionEvent[],
  /** Whether the end of the turn is reported after an interruption. */
  { isFinishing } = { isFinishing: true },
): Source<TypingMemory> {
  const idle = (outcome: TurnOutcome): SessionEvent => ({ type: 'session:idle', outcome })
  const source: Source<TypingMemory> = {
    initial: { text: '', status: 'idle' },
    translate: (memory, message) => {
      const text = asString(asObject(message).text)
      if (text === undefined) {
        const isSilent = memory.status === 'interrupted' && !isFinishing
        return {
          memory: { ...memory, status: 'finished' },
          events: isSilent ? [] : [idle('finished')],
          issues: [],
        }
      }
      if (memory.text.startsWith(text)) return { memory, events: [], issues: [] }
      const status = memory.status === 'interrupted' ? 'interrupted' : 'running'
      return { memory: { text, status }, events: eventsOf(memory.text, text), issues: [] }
    },
    end: ({ status }) =>
      status === 'running'
        ? { events: [idle('interrupted')], issues: [], ending: 'interrupted' }
        : { events: [], issues: [], ending: 'finished' },
    resume: ({ blocks: [block], turn }) => ({
      text: block?.type === 'assistant_text' ? block.content : '',
      status: turn.status,
    }),
    translateAll: (memory, all) => translateInTurn(source.translate, memory, all),
    save: ({ text, status }) => ({ text, status }),
    load: () => source.initial,
  }
  return source
}

function errorOf(run: () => void): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}
