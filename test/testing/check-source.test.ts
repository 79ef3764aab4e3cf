import { describe, expect, it } from 'vitest'
import type { Source, Translated } from '../../src/index.ts'
import { checkSource, LawError } from '../../src/testing/index.ts'
import { closing, messages, parrot, type Said, sharing, textOf, unknown } from './parrot.ts'

describe('a source of somebody else', () => {
  it('is told what its messages come to', () => {
    const { state, events, ending } = checkSource(parrot, messages)
    expect(state.blocks).toMatchObject([{ content: 'one' }, { content: 'two' }, { content: 'three' }])
    expect(events).toHaveLength(3)
    expect(ending).toBe('finished')
  })

  it('may have nothing to read', () => {
    expect(checkSource(parrot, []).events).toEqual([])
  })

  const memory = { said: 0 }
  const faults: Readonly<Record<string, { readonly source: Source<Said>; readonly code: LawError['code'] }>> =
    {
      'takes every message for one of its own': {
        code: 'throws',
        source: { ...parrot, translate: (memory, message) => translateAll(memory, Object(message)) },
      },
      'passes over what it does not know': {
        code: 'swallowed',
        source: {
          ...parrot,
          translate: (memory, message) => ({ ...parrot.translate(memory, message), issues: [] }),
        },
      },
      'counts what it does not know': {
        code: 'disturbed',
        source: {
          ...parrot,
          translate: (memory, message) =>
            textOf(message) === undefined
              ? unknown({ count: memory.count + 1 })
              : parrot.translate(memory, message),
        },
      },
      'says of what it does not know that it was said': {
        code: 'disturbed',
        source: {
          ...parrot,
          translate: (memory, message) => ({
            ...parrot.translate(memory, message),
            events: [{ type: 'session:idle' }],
          }),
        },
      },
      'remembers in a variable': {
        code: 'not-repeatable',
        source: {
          ...parrot,
          translate: (_, message) => {
            memory.said += 1
            return parrot.translate({ count: memory.said }, message)
          },
        },
      },
      'changes its memory': {
        code: 'changes-argument',
        source: {
          ...parrot,
          initial: { count: 0 },
          translate: (memory, message) => {
            const translated = parrot.translate({ ...memory }, message)
            return { ...translated, memory: Object.assign(memory, translated.memory) }
          },
        },
      },
      'shares a set among its memories': {
        code: 'not-repeatable',
        source: sharing(new Set()),
      },
      'gives no answer': {
        code: 'throws',
        source: { ...parrot, translate: () => JSON.parse('{"memory":{"count":0}}') },
      },
      'cannot do without a field': {
        code: 'throws',
        source: {
          ...parrot,
          translate: (memory, message) => {
            const { say = 'x', like } = Object(message)
            return parrot.translate(memory, like === undefined ? message : { say: say + like.trim() })
          },
        },
      },
      'closes when it is asked for its end': {
        code: 'changes-argument',
        source: closing(new Set()),
      },
      'gives no end': {
        code: 'throws',
        source: { ...parrot, end: () => JSON.parse('{"events":[],"issues":[],"ending":"done"}') },
      },
      'gives no events but something like them': {
        code: 'invalid-event',
        source: {
          ...parrot,
          translate: (memory, message) => ({
            ...parrot.translate(memory, message),
            events: [JSON.parse('{"type":"block:upsert","block":{"id":1}}')],
          }),
        },
      },
      'ends differently each time': {
        code: 'not-repeatable',
        source: {
          ...parrot,
          end: () => {
            memory.said += 1
            return { events: [], issues: [], ending: memory.said % 2 ? 'open' : 'finished' }
          },
        },
      },
      'cannot be asked for its end before it is there': {
        code: 'throws',
        source: {
          ...parrot,
          end: (memory) => {
            if (memory.count < 2) throw new Error('not yet')
            return parrot.end(memory)
          },
        },
      },
    }

  it.each(Object.entries(faults))('is found out when it %s', (_, { source, code }) => {
    expect(() => checkSource(source, messages)).toThrow(expect.objectContaining({ name: 'LawError', code }))
  })
})

it('a source is told what it was asked when it throws at JSON that no program writes', () => {
  const source = broken({ translate: (memory, message) => translateAll(memory, Object(message)) })
  expect(() => checkSource(source, [])).toThrow('it throws (JSON that no program writes, before input 0)')
})

it('the end of a long input is looked at too', () => {
  const long = Array.from({ length: 100 }, (_, at) => ({ say: `${at}` }))
  const end = ({ count }: Said) => {
    if (count === long.length) throw new Error('too many')
    return parrot.end({ count })
  }
  expect(() => checkSource(broken({ end }), long)).toThrow(LawError)
  expect(checkSource(broken({ end }), long.slice(1)).events).toHaveLength(99)
})

it('a source may be an object of a class', () => {
  class Parrot implements Source<Said> {
    readonly initial = parrot.initial
    translate(memory: Said, message: unknown): Translated<Said> {
      return this.parrot().translate(memory, message)
    }
    end(memory: Said) {
      return this.parrot().end(memory)
    }
    parrot(): Source<Said> {
      return parrot
    }
  }
  expect(checkSource(new Parrot(), messages).events).toHaveLength(3)
})

it('what a source cannot know may be told of its program', () => {
  const quiet = broken({
    translate: (memory, message) =>
      Object(message).kind === 'novelty'
        ? { memory, events: [], issues: [] }
        : parrot.translate(memory, message),
  })
  checkSource(quiet, messages)
  expect(() => checkSource(quiet, messages, { strangers: [{ kind: 'novelty' }] })).toThrow(
    expect.objectContaining({ code: 'swallowed', actual: { kind: 'novelty' } }),
  )
})

it('an error says where the end was asked for', () => {
  const end = (): never => {
    throw new Error('never')
  }
  expect(() => checkSource(broken({ end }), messages)).toThrow('it throws (the end after input -1)')
})

it('messages are plain data, wherever they stand', () => {
  expect(() => checkSource(parrot, [...messages, Symbol('odd')])).toThrow(
    new TypeError('pass inputs that are plain data, which input 3 is not'),
  )
})

it('text is no list of messages', () => {
  expect(() => checkSource(parrot, '{"say":"one"}')).toThrow(TypeError)
})

function broken(part: Partial<Source<Said>>): Source<Said> {
  return { ...parrot, ...part }
}

function translateAll(memory: Said, { say }: { readonly say: string }): Translated<Said> {
  return parrot.translate(memory, { say: say.trim() })
}
