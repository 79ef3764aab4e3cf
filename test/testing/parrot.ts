import type { Source, Translated } from '../../src/index.ts'

export interface ParrotMemory {
  readonly count: number
}

export const unknown = (memory: ParrotMemory): Translated<ParrotMemory> => ({
  memory,
  events: [],
  issues: [{ code: 'unknown-message', count: 1, messageType: 'other' }],
})

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
      events: [{ type: 'block:upsert', conversationId: 'main', block }],
      issues: [],
    }
  },
  end: () => ({ events: [], issues: [], ending: 'finished' }),
  resume: ({ blocks }) => ({ count: blocks.length }),
}

export function textOf(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || !('say' in message)) return undefined
  return typeof message.say === 'string' ? message.say : undefined
}

export const messages: readonly unknown[] = [{ say: 'one' }, { say: 'two' }, { say: 'three', like: 'four' }]

/** A source that keeps all texts in one set for all memories. Its output depends on that set. */
export function sharing(texts: Set<string>): Source<ParrotMemory> {
  return {
    ...parrot,
    translate(memory, message) {
      const text = textOf(message)
      if (text === undefined) return unknown(memory)
      texts.add(text)
      return parrot.translate(memory, { say: `${text} ${texts.has('one')}` })
    },
  }
}

/** A source that returns no events for a memory that was passed to `end`. */
export function closing(closed: Set<ParrotMemory>): Source<ParrotMemory> {
  return {
    ...parrot,
    translate: (memory, message) =>
      closed.has(memory) && textOf(message) !== undefined
        ? { memory, events: [], issues: [] }
        : parrot.translate(memory, message),
    end(memory) {
      if (memory.count > 0) closed.add(memory)
      return parrot.end(memory)
    },
  }
}
