import { describe, expect, it } from 'vitest'
import type { SessionConversationState, SessionEvent, Source, Translated } from '../../src/index.ts'
import { translateInTurn } from '../../src/session/translate-in-turn.ts'
import { checkSource, LawError } from '../../src/testing/index.ts'
import {
  closing,
  messages,
  type ParrotMemory,
  parrot,
  parrotWith,
  sharing,
  textOf,
  unknown,
} from './parrot.ts'

describe('checkSource', () => {
  it('returns the state, the events and the ending of a correct source', () => {
    const { state, events, ending } = checkSource(parrot, messages)
    expect(state.blocks).toMatchObject([{ content: 'one' }, { content: 'two' }, { content: 'three' }])
    expect(events).toHaveLength(4)
    expect(ending).toBe('finished')
  })

  it('accepts a source without messages', () => {
    expect(checkSource(parrot, []).events).toEqual([])
  })

  const shared = { count: 0 }
  const faults: Readonly<
    Record<string, { readonly source: Source<ParrotMemory>; readonly code: LawError['code'] }>
  > = {
    'takes every message as its own': {
      code: 'throws',
      source: parrotWith({ translate: (memory, message) => translateAll(memory, Object(message)) }),
    },
    'ignores unknown messages': {
      code: 'swallowed',
      source: parrotWith({
        translate: (memory, message) => ({ ...parrot.translate(memory, message), issues: [] }),
      }),
    },
    'counts unknown messages in its memory': {
      code: 'disturbed',
      source: parrotWith({
        translate: (memory, message) =>
          textOf(message) === undefined
            ? unknown({ count: memory.count + 1 })
            : parrot.translate(memory, message),
      }),
    },
    'gives events for unknown messages': {
      code: 'disturbed',
      source: parrotWith({
        translate: (memory, message) => ({
          ...parrot.translate(memory, message),
          events: [{ type: 'session:idle' }],
        }),
      }),
    },
    'keeps its memory in a variable': {
      code: 'not-repeatable',
      source: parrotWith({
        translate: (_, message) => {
          shared.count += 1
          return parrot.translate({ count: shared.count }, message)
        },
      }),
    },
    'mutates its memory': {
      code: 'changes-argument',
      source: parrotWith({
        initial: { count: 0 },
        translate: (memory, message) => {
          const translated = parrot.translate({ ...memory }, message)
          return { ...translated, memory: Object.assign(memory, translated.memory) }
        },
      }),
    },
    'leaves main running at its end': {
      code: 'ending-differs',
      source: parrotWith({
        translate: (memory, message) => {
          const translated = parrot.translate(memory, message)
          const running = { type: 'session:running' } as const
          return textOf(message) === undefined
            ? translated
            : { ...translated, events: [...translated.events, running] }
        },
      }),
    },
    'has an interrupted ending, but no interrupted turn': {
      code: 'ending-differs',
      source: parrotWith({ end: () => ({ events: [], issues: [], ending: 'interrupted' }) }),
    },
    'has an interrupted turn, but no interrupted ending': {
      code: 'ending-differs',
      source: parrotWith({
        end: () => ({
          events: [{ type: 'session:idle', outcome: 'interrupted' }],
          issues: [],
          ending: 'open',
        }),
      }),
    },
    'never ends its agent': {
      code: 'unreported-agent',
      source: emitting({ type: 'subagent:spawned', toolUseId: 't1', prompt: 'Fly.' }),
    },
    'shows the call of an agent as a tool call': {
      code: 'doubled-call',
      source: emitting(
        {
          type: 'block:upsert',
          block: {
            type: 'tool_use',
            id: 't1',
            status: 'complete',
            toolName: 'Fly',
            toolUseId: 't1',
            input: {},
          },
        },
        { type: 'subagent:spawned', toolUseId: 't1', prompt: 'Fly.' },
        { type: 'subagent:completed', toolUseId: 't1', status: 'completed' },
      ),
    },
    'shows the result of an agent as a tool result': {
      code: 'doubled-call',
      source: emitting(
        {
          type: 'block:upsert',
          block: {
            type: 'tool_result',
            id: 't1:result',
            status: 'complete',
            toolUseId: 't1',
            output: '',
            isError: false,
          },
        },
        { type: 'subagent:spawned', toolUseId: 't1', prompt: 'Fly.' },
        { type: 'subagent:completed', toolUseId: 't1', status: 'completed' },
      ),
    },
    'does not name its program': {
      code: 'unnamed-program',
      source: parrotWith({
        translate: (memory, message) => {
          const { events, ...translated } = parrot.translate(memory, message)
          return { ...translated, events: events.filter(({ type }) => type !== 'session:updated') }
        },
      }),
    },
    'shares a set between its memories': {
      code: 'not-repeatable',
      source: sharing(new Set()),
    },
    'returns neither events nor issues': {
      code: 'throws',
      source: parrotWith({ translate: () => JSON.parse('{"memory":{"count":0}}') }),
    },
    'throws for a missing field': {
      code: 'throws',
      source: parrotWith({
        translate: (memory, message) => {
          const { say = 'x', like } = Object(message)
          return parrot.translate(memory, like === undefined ? message : { say: say + like.trim() })
        },
      }),
    },
    'stops reading after `end`': {
      code: 'changes-argument',
      source: closing(new Set()),
    },
    'returns an unknown ending': {
      code: 'throws',
      source: parrotWith({ end: () => JSON.parse('{"events":[],"issues":[],"ending":"done"}') }),
    },
    'returns invalid events': {
      code: 'invalid-event',
      source: parrotWith({
        translate: (memory, message) => ({
          ...parrot.translate(memory, message),
          events: [JSON.parse('{"type":"block:upsert","block":{"id":1}}')],
        }),
      }),
    },
    'returns another ending each time': {
      code: 'not-repeatable',
      source: parrotWith({
        end: () => {
          shared.count += 1
          return { events: [], issues: [], ending: shared.count % 2 ? 'open' : 'finished' }
        },
      }),
    },
    'forgets a message of a batch': {
      code: 'batch-differs',
      source: parrotWith({
        translateAll: (memory, all) => translateInTurn(parrot.translate, memory, [...all].slice(0, 2)),
      }),
    },
    'throws for a batch': {
      code: 'throws',
      source: parrotWith({
        translateAll: () => {
          throw new Error('one by one, please')
        },
      }),
    },
    'returns the events of a batch without its memory': {
      code: 'batch-differs',
      source: parrotWith({
        translateAll: (memory, all) => ({ ...parrot.translateAll(memory, all), memory }),
      }),
    },
    'saves another memory': {
      code: 'save-differs',
      source: parrotWith({ save: ({ count }) => count + 1 }),
    },
    'saves a number that JSON does not hold': {
      code: 'not-json',
      source: parrotWith({ save: ({ count }) => (count === 2 ? Number.NaN : count) }),
    },
    'saves undefined': {
      code: 'not-json',
      source: parrotWith({ save: ({ count }) => JSON.parse(`[${count}]`)[1] }),
    },
    'throws for its own saved memory': {
      code: 'throws',
      source: parrotWith({ save: ({ count }) => `${count}` }),
    },
    'refuses a wrong saved value with another error': {
      code: 'throws',
      source: parrotWith({
        load: (saved) => {
          if (typeof saved !== 'number') throw new TypeError('no number')
          return { count: saved }
        },
      }),
    },
    'loads a wrong saved value': {
      code: 'invalid-event',
      source: parrotWith({
        translate: (memory, message) => {
          const translated = parrot.translate(memory, message)
          return JSON.parse(JSON.stringify(translated).replaceAll('"id":"7"', '"id":7'))
        },
      }),
    },
    'throws for an early `end`': {
      code: 'throws',
      source: parrotWith({
        end: (memory) => {
          if (memory.count < 2) throw new Error('not yet')
          return parrot.end(memory)
        },
      }),
    },
  }

  it.each(Object.entries(faults))('reports a source that %s', (_, { source, code }) => {
    expect(() => checkSource(source, messages)).toThrow(expect.objectContaining({ name: 'LawError', code }))
  })
})

describe('the error names the inserted message', () => {
  it('that made the source throw', () => {
    const translate = (memory: ParrotMemory, message: unknown) => translateAll(memory, Object(message))
    expect(() => checkSource(parrotWith({ translate }), [])).toThrow(
      /^translate throws TypeError ".*trim.*" for the inserted message null \(before input 0\)$/,
    )
    const throwText = (): never => {
      throw 'no'
    }
    expect(() => checkSource(parrotWith({ translate: throwText }), [])).toThrow(
      'translate throws no for the inserted message null (before input 0)',
    )
  })

  it('that the source does not report, cut after 200 letters', () => {
    const translate = (memory: ParrotMemory, message: unknown) => {
      const translated = parrot.translate(memory, message)
      return Array.isArray(Object(message).long) ? { ...translated, issues: [] } : translated
    }
    const unknownMessages = [{ long: Array.from({ length: 200 }, () => 1) }]
    expect(() => checkSource(parrotWith({ translate }), messages, { unknownMessages })).toThrow(
      `\`unknown-message\` for the inserted message {"long":[${'1,'.repeat(95)}1… (before input 0)`,
    )
  })

  it('that gives an invalid event', () => {
    const translate = (memory: ParrotMemory, message: unknown) => ({
      ...parrot.translate(memory, message),
      ...(Object(message).say === 7 && { events: [JSON.parse('{"type":"block:upsert","block":7}')] }),
    })
    expect(() => checkSource(parrotWith({ translate }), messages)).toThrow(
      'the source returns a value that is not an event for the inserted message {"say":7} (before input 0)',
    )
  })
})

it('the check calls `end` after the last message of a long input too', () => {
  const long = Array.from({ length: 100 }, (_, at) => ({ say: `${at}` }))
  const end = ({ count }: ParrotMemory) => {
    if (count === long.length) throw new Error('too many')
    return parrot.end({ count })
  }
  expect(() => checkSource(parrotWith({ end }), long)).toThrow(LawError)
  expect(checkSource(parrotWith({ end }), long.slice(1)).events).toHaveLength(100)
})

it('a source may be an instance of a class', () => {
  class Parrot implements Source<ParrotMemory> {
    readonly initial = parrot.initial
    translate(memory: ParrotMemory, message: unknown): Translated<ParrotMemory> {
      return this.parrot().translate(memory, message)
    }
    translateAll(memory: ParrotMemory, all: Iterable<unknown>): Translated<ParrotMemory> {
      return this.parrot().translateAll(memory, all)
    }
    end(memory: ParrotMemory) {
      return this.parrot().end(memory)
    }
    resume(state: SessionConversationState) {
      return this.parrot().resume(state)
    }
    save(memory: ParrotMemory) {
      return this.parrot().save(memory)
    }
    load(saved: unknown) {
      return this.parrot().load(saved)
    }
    parrot(): Source<ParrotMemory> {
      return parrot
    }
  }
  expect(checkSource(new Parrot(), messages).events).toHaveLength(4)
})

it('the option `unknownMessages` adds messages that the source must report', () => {
  const quiet = parrotWith({
    translate: (memory, message) =>
      Object(message).kind === 'novelty'
        ? { memory, events: [], issues: [] }
        : parrot.translate(memory, message),
  })
  checkSource(quiet, messages)
  expect(() => checkSource(quiet, messages, { unknownMessages: [{ kind: 'novelty' }] })).toThrow(
    expect.objectContaining({ code: 'swallowed', actual: { kind: 'novelty' } }),
  )
})

it('the error names the place where `end` was called, and what it threw', () => {
  const end = (): never => {
    throw new Error('never')
  }
  expect(() => checkSource(parrotWith({ end }), messages)).toThrow(
    'the function throws Error "never" (`end` after input -1)',
  )
})

it('a message that cannot be cloned throws a TypeError, at any place', () => {
  expect(() => checkSource(parrot, [...messages, Symbol('odd')])).toThrow(
    new TypeError('pass plain data as inputs: input 3 cannot be cloned'),
  )
})

it('text instead of messages throws a TypeError', () => {
  expect(() => checkSource(parrot, '{"say":"one"}')).toThrow(TypeError)
})

/** Returns a parrot that adds the events to those of each of its messages. */
function emitting(...added: readonly SessionEvent[]): Source<ParrotMemory> {
  return parrotWith({
    translate: (memory, message) => {
      const { events, ...translated } = parrot.translate(memory, message)
      return { ...translated, events: textOf(message) === undefined ? [] : [...events, ...added] }
    },
  })
}

it('an agent that still runs may be reported', () => {
  const issue = { code: 'unfinished-subagent', count: 1, toolUseId: 't1' } as const
  const source = emitting({ type: 'subagent:spawned', toolUseId: 't1', prompt: 'Fly.' })
  const end = () => ({ ...parrot.end({ count: 0 }), issues: [issue] })
  expect(checkSource({ ...source, end }, messages).issues).toEqual([issue])
})

it('the error for an agent without an issue names the field that the issue lacks', () => {
  const source = emitting({ type: 'subagent:spawned', toolUseId: 't1', prompt: 'Fly.' })
  const end = () => ({
    ...parrot.end({ count: 0 }),
    issues: [{ code: 'unfinished-subagent', count: 1 }] as const,
  })
  expect(() => checkSource({ ...source, end }, messages)).toThrow(
    /`unfinished-subagent` issue has its `toolUseId`/,
  )
})

it('an agent that waits for work may run on in a finished session', () => {
  const source = emitting({ type: 'subagent:spawned', toolUseId: 't1', prompt: 'Fly.' })
  const waitsForWork = () => true
  expect(checkSource(source, messages, { waitsForWork }).issues).toEqual([])
  const end = () => ({ ...parrot.end({ count: 0 }), ending: 'open' as const })
  expect(() => checkSource({ ...source, end }, messages, { waitsForWork })).toThrow(
    expect.objectContaining({ code: 'unreported-agent' }),
  )
})

function translateAll(memory: ParrotMemory, { say }: { readonly say: string }): Translated<ParrotMemory> {
  return parrot.translate(memory, { say: say.trim() })
}
