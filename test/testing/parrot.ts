import { type SessionEvent, SnapshotError, type Source, type Translated } from '../../src/index.ts'
import { translateInTurn } from '../../src/session/translate-in-turn.ts'

export interface ParrotMemory {
  readonly count: number
}

export const unknown = (memory: ParrotMemory): Translated<ParrotMemory> => ({
  memory,
  events: [],
  issues: [{ code: 'unknown-message', count: 1, messageType: 'other' }],
})

const PARROT: SessionEvent = { type: 'session:updated', facts: { program: 'parrot' } }

/** A program whose messages are `{ "say": "…" }`. */
export const parrot: Source<ParrotMemory> = {
  initial: { count: 0 },
  translate(memory, message) {
    const text = textOf(message)
    if (text === undefined) return unknown(memory)
    const block = {
      id: `${memory.count}`,
      type: 'assistant_text',
      status: 'complete',
      content: text,
    } as const
    return {
      memory: { count: memory.count + 1 },
      events: [
        ...(memory.count === 0 ? [PARROT] : []),
        { type: 'block:upsert', conversationId: 'main', block },
      ],
      issues: [],
    }
  },
  translateAll: (memory, all) => translateInTurn(parrot.translate, memory, all),
  end: () => ({ events: [], issues: [], ending: 'finished' }),
  resume: ({ blocks }) => ({ count: blocks.length }),
  save: ({ count }) => count,
  load(saved) {
    if (typeof saved !== 'number') throw new SnapshotError('not-a-snapshot', 'the count must be a number')
    return { count: saved }
  },
}

/** Returns a parrot with other functions. Its batches use its own `translate`. */
export function parrotWith(part: Partial<Source<ParrotMemory>>): Source<ParrotMemory> {
  const { translate } = { ...parrot, ...part }
  return { ...parrot, translateAll: (memory, all) => translateInTurn(translate, memory, all), ...part }
}

export function textOf(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || !('say' in message)) return undefined
  return typeof message.say === 'string' ? message.say : undefined
}

export const messages: readonly unknown[] = [{ say: 'one' }, { say: 'two' }, { say: 'three', like: 'four' }]

/** A source that keeps all texts in one set for all memories. Its output depends on that set. */
export function sharing(texts: Set<string>): Source<ParrotMemory> {
  return parrotWith({
    translate(memory, message) {
      const text = textOf(message)
      if (text === undefined) return unknown(memory)
      texts.add(text)
      return parrot.translate(memory, { say: `${text} ${texts.has('one')}` })
    },
  })
}

/** A source that returns no events for a memory that was passed to `end`. */
export function closing(closed: Set<ParrotMemory>): Source<ParrotMemory> {
  return parrotWith({
    translate: (memory, message) =>
      closed.has(memory) && textOf(message) !== undefined
        ? { memory, events: [], issues: [] }
        : parrot.translate(memory, message),
    end(memory) {
      if (memory.count > 0) closed.add(memory)
      return parrot.end(memory)
    },
  })
}
