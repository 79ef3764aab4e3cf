import { describe, expect, it } from 'vitest'
import { translateInTurn } from '../../src/formats/translation/translate-in-turn.ts'
import type { ConversationBlock, SessionEvent, Source } from '../../src/index.ts'
import { asArray, asString } from '../../src/json/values.ts'
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

  it('names the cut and the way of the join', () => {
    const error = errorOf(() =>
      checkJoin(faults['ignores everything after a resume']?.source ?? careful, session),
    )
    expect(error).toMatchObject({ index: 0, code: 'incomplete' })
    expect(String(error)).toContain('with a resumed memory, live from input 0')
  })

  it('joins only at the given cuts', () => {
    const source = faults['ignores everything after a resume']?.source ?? careful
    expect(() => checkJoin(source, { ...session, cuts: [messages.length] })).not.toThrow()
  })

  it('refuses text instead of messages', () => {
    expect(() => checkJoin(careful, { history: '{}', live: messages })).toThrow(TypeError)
  })
})

function errorOf(run: () => void): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}
