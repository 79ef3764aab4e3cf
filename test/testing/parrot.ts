import type { Source, Translated } from '../../src/index.ts'

export interface Said {
  readonly count: number
}

export const unknown = (memory: Said): Translated<Said> => ({
  memory,
  events: [],
  issues: [{ code: 'unknown-message', count: 1, messageType: 'other' }],
})

/** A program whose messages are `{ "say": "…" }`. */
export const parrot: Source<Said> = {
  initial: { count: 0 },
  translate(memory, message) {
    const said = textOf(message)
    if (said === undefined) return unknown(memory)
    const block = {
      id: `${memory.count}`,
      type: 'assistant_text',
      status: 'complete',
      content: said,
    } as const
    return {
      memory: { count: memory.count + 1 },
      events: [{ type: 'block:upsert', conversationId: 'main', block }],
      issues: [],
    }
  },
  end: () => ({ events: [], issues: [], ending: 'finished' }),
}

export function textOf(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || !('say' in message)) return undefined
  return typeof message.say === 'string' ? message.say : undefined
}

export const messages: readonly unknown[] = [{ say: 'one' }, { say: 'two' }, { say: 'three', like: 'four' }]

/** Says whether something was said, which it keeps where every memory sees it. */
export function sharing(heard: Set<string>): Source<Said> {
  return {
    ...parrot,
    translate(memory, message) {
      const said = textOf(message)
      if (said === undefined) return unknown(memory)
      heard.add(said)
      return parrot.translate(memory, { say: `${said} ${heard.has('one')}` })
    },
  }
}

/** After its end was asked for in the middle, it says no more. */
export function closing(closed: Set<Said>): Source<Said> {
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
