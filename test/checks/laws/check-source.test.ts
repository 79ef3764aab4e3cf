import { describe, expect, it } from 'vitest'
import { type Session, type SessionConversationState, saveSession } from '../../../src/entries/index.ts'
import {
  type Reading,
  type Source,
  type SourceEnd,
  subagentBlockId,
} from '../../../src/entries/source-kit.ts'
import { checkSource, type LawCode, LawError } from '../../../src/entries/testing.ts'
import {
  closing,
  definedParrot,
  emitting,
  errorOf,
  messages,
  type ParrotContext,
  parrot,
  parrotNotes,
  parrotReading,
  parrotWith,
  readingOf,
  repeat,
  sharing,
  textOf,
} from './parrot.ts'

const spawned = { type: 'subagent:spawned', toolUseId: 't1', prompt: 'Fly.' } as const
const completed = { type: 'subagent:completed', toolUseId: 't1', status: 'completed' } as const

/** An end of the input that changes nothing. */
const silentEnd = (session: Session): SourceEnd => ({ session, events: [], issues: [], ending: 'open' })

describe('checkSource', () => {
  it('returns the state, the events and the ending of a correct source', () => {
    const { state, session, events, issues, ending } = checkSource(parrot, messages)
    expect(state.blocks).toMatchObject([{ content: 'one' }, { content: 'two' }, { content: 'three' }])
    expect(session.state).toBe(state)
    expect(events).toHaveLength(4)
    expect({ issues, ending }).toEqual({ issues: [], ending: 'open' })
  })

  it('accepts a source without messages', () => {
    expect(checkSource(parrot, []).events).toEqual([])
  })

  it('accepts a source with notes', () => {
    const { state } = checkSource(parrot, [{ learn: 'Hello' }, { say: 'you' }, { learn: 'Bye' }])
    expect(state.blocks).toMatchObject([{ content: 'Hello you' }])
  })

  it.each(['running', 'pending'] as const)('accepts that the end cuts an agent that is %s', (status) => {
    const announced = { type: 'subagent', id: 'subagent:t1', status, toolUseId: 't1', input: '' } as const
    const source = emitting({ type: 'block:upsert', block: announced })
    const { state, issues, ending } = checkSource(source, messages)
    expect(issues).toEqual([{ code: 'unfinished-subagent', count: 1, toolUseId: 't1' }])
    const openBlocks = status === 'pending' ? [subagentBlockId('t1')] : []
    expect(state.subagents).toMatchObject([{ status: 'error', openBlocks }])
    expect(ending).toBe(status === 'pending' ? 'interrupted' : 'open')
  })

  const shared = { count: 0 }
  // A law without a broken source does not compile.
  const faults: Readonly<Record<Exclude<LawCode, LawOfOthers>, Readonly<Record<string, Source>>>> = {
    throws: {
      'takes every message as its own': definedParrot({ translate: takeAll }),
      'returns neither events nor issues': parrotWith({ read: () => JSON.parse('{"session":{}}') }),
      'returns no session': parrotWith({ read: () => JSON.parse('{"events":[],"issues":[]}') }),
      'throws for a missing field': definedParrot({
        translate(message, context) {
          const { say = 'x', like } = Object(message)
          repeat(like === undefined ? message : { say: say + like.trim() }, context)
        },
      }),
      'returns an unknown ending': parrotWith({
        end: (session) => ({ ...silentEnd(session), ending: JSON.parse('"done"') }),
      }),
      'returns no session of its end': parrotWith({
        end: () => JSON.parse('{"events":[],"issues":[],"ending":"open"}'),
      }),
      'throws for a batch': parrotWith({
        read(session, all) {
          const [message, ...others] = all
          if (others.length > 0) throw new Error('one by one, please')
          return parrot.read(session, message === undefined ? [] : [message])
        },
      }),
      'writes a note of another shape': definedParrot({
        translate(message, context) {
          repeat(message, context)
          if (textOf(message) === 'two') Object.assign(context.notes.edit(), { learned: 7 })
          else if (textOf(message) !== undefined) context.notes.remember({ learned: undefined })
        },
      }),
      'keeps a note of another shape to the end': definedParrot({
        translate(message, context) {
          repeat(message, context)
          if (textOf(message) !== undefined) Object.assign(context.notes.edit(), { learned: 7 })
        },
      }),
      'refuses its own saved session': parrotWith({ notes: [] }),
      'throws for an early `end`': parrotWith({
        end(session) {
          if (session.state.blocks.length < 2) throw new Error('not yet')
          return parrot.end(session)
        },
      }),
    },
    swallowed: {
      'ignores unknown messages': parrotReading((session, message) => ({
        ...parrot.read(session, [message]),
        issues: [],
      })),
    },
    disturbed: {
      'counts unknown messages in its notes': definedParrot({
        translate(message, context) {
          repeat(message, context)
          if (textOf(message) === undefined) context.notes.remember({ learned: 'Pardon?' })
        },
      }),
      'gives events for unknown messages': definedParrot({
        translate(message, context) {
          repeat(message, context)
          context.emit({ type: 'session:idle' })
        },
      }),
    },
    'not-repeatable': {
      'keeps its session in a variable': definedParrot({
        translate(message, context) {
          shared.count += 1
          context.notes.remember({ learned: `${shared.count}` })
          repeat(message, context)
        },
      }),
      'shares a set between its sessions': sharing(new Set()),
      'returns another ending each time': parrotWith({
        end(session) {
          shared.count += 1
          return { ...silentEnd(session), ending: shared.count % 2 ? 'open' : 'finished' }
        },
      }),
    },
    'changes-argument': {
      'mutates its session': parrotWith({
        open: () => ({ ...parrot.open() }),
        read(session, all) {
          const reading = parrot.read({ ...session }, all)
          return { ...reading, session: Object.assign(session, reading.session) }
        },
      }),
      'stops reading after `end`': closing(new Set()),
    },
    'state-differs': {
      'changes its state without an event': parrotReading((session, message) => {
        const reading = parrot.read(session, [message])
        const state = { ...reading.session.state, turn: { status: 'finished' } } as const
        return textOf(message) === undefined
          ? reading
          : { ...reading, session: { ...reading.session, state } }
      }),
      'gives an event that its state lacks': parrotReading((session, message) => {
        const reading = parrot.read(session, [message])
        const events = [...reading.events, { type: 'session:running' } as const]
        return textOf(message) === undefined ? reading : { ...reading, events }
      }),
      'gives an event of its end that the state lacks': parrotWith({
        end: (session) => ({
          ...silentEnd(session),
          events: [{ type: 'session:idle', outcome: 'finished' }],
        }),
      }),
    },
    'ending-differs': {
      'leaves main running at its end': { ...emitting({ type: 'session:running' }), end: silentEnd },
      'has an interrupted ending, but no interrupted turn': parrotWith({
        end: (session) => ({ ...silentEnd(session), ending: 'interrupted' }),
      }),
      'has an interrupted turn, but no interrupted ending': parrotWith({
        end: (session) => ({
          ...readingOf(session, [{ type: 'session:idle', outcome: 'interrupted' }]),
          ending: 'open',
        }),
      }),
    },
    'runs-on': {
      'leaves an agent running at its end': { ...emitting(spawned), end: silentEnd },
      'reports an agent, and leaves it running': {
        ...emitting(spawned),
        end: (session) => ({
          ...silentEnd(session),
          issues: [{ code: 'unfinished-subagent', count: 1, toolUseId: 't1' }],
        }),
      },
    },
    'unreported-agent': {
      'cuts its agent without an issue': withoutIssues(emitting(spawned)),
    },
    'doubled-call': {
      'shows the call of an agent as a tool call': emitting(
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
        spawned,
        completed,
      ),
      'shows the result of an agent as a tool result': emitting(
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
        spawned,
        completed,
      ),
    },
    'unnamed-program': {
      'does not name its program': parrotReading((session, message) => {
        const { events, issues } = parrot.read(session, [message])
        return {
          ...readingOf(
            session,
            events.filter(({ type }) => type !== 'session:updated'),
          ),
          issues,
        }
      }),
    },
    'invalid-event': {
      'returns another time than ISO 8601': emitting({
        type: 'session:running',
        timestamp: '30.11.2026 20:00',
      }),
      'returns a block without a real time': emitting({
        type: 'block:upsert',
        block: { id: 'u1', type: 'user_message', status: 'complete', content: 'Hi', timestamp: '1764532800' },
      }),
      'returns tokens below 0': emitting({
        type: 'usage:reported',
        messageId: 'm1',
        usage: { inputTokens: -5 },
        final: true,
      }),
      'returns half a token': emitting({
        type: 'usage:reported',
        messageId: 'm1',
        usage: { outputTokens: 0.5 },
        final: true,
      }),
      'returns invalid events': parrotReading((session, message) => ({
        ...parrot.read(session, [message]),
        events: textOf(message) === undefined ? [] : [JSON.parse('{"type":"block:upsert","block":{"id":1}}')],
      })),
    },
    'batch-differs': {
      'forgets a message of a batch': parrotWith({
        read: (session, all) => parrot.read(session, [...all].slice(0, 2)),
      }),
      'returns the events of a batch without its session': parrotWith({
        read(session, all) {
          const list = [...all]
          const reading = parrot.read(session, list)
          return list.length > 1 ? { ...reading, session } : reading
        },
      }),
      'numbers the issues of a batch from 1': parrotWith({
        read(session, all) {
          const list = [...all]
          const reading = definedParrot({ translate: doubt }).read(session, list)
          const issues = reading.issues.map(({ index = 0, ...issue }) => ({ ...issue, index: index + 1 }))
          return list.length > 1 ? { ...reading, issues } : reading
        },
      }),
    },
    'save-differs': {
      'keeps a fact that its notes do not declare': definedParrot({
        translate(message, context) {
          const isSecond = Object.hasOwn(context.notes.values, 'secret')
          if (isSecond) context.notes.remember({ learned: 'Again,' })
          repeat(message, context)
          if (textOf(message) !== undefined) Object.assign(context.notes.edit(), { secret: true })
        },
      }),
    },
    'not-json': {
      'has a version that JSON does not hold': definedParrot({
        notes: { ...parrotNotes, version: Number.NaN },
      }),
    },
  }

  const cases = Object.entries(faults).flatMap(([code, sources]) =>
    Object.entries(sources).map(([name, source]) => [name, code, source] as const),
  )

  it.each(cases)('reports a source that %s: %s', (_, code, source) => {
    expect(() => checkSource(source, messages)).toThrow(expect.objectContaining({ name: 'LawError', code }))
  })
})

/** The laws of `checkJoin`, of `checkSink` and of a fold alone. */
type LawOfOthers =
  | 'new-reference'
  | 'not-idempotent'
  | 'lost'
  | 'overwritten'
  | 'doubled'
  | 'incomplete'
  | 'reordered'
  | 'repeats'
  | 'reader-throws'
  | 'reader-differs'

// It stopped at the first fault, so each run showed one.
describe('the faults of a source', () => {
  const said = [...messages, { say: 'no' }, { say: 'four' }, { say: 'no' }]
  const failing = definedParrot({
    translate(message, context) {
      if (textOf(message) === 'no') throw new Error('no')
      if (Object(message).novelty !== true) repeat(message, context)
    },
  })
  const faulty: Source = {
    ...failing,
    end: (session) => ({ ...failing.end(session), ending: 'interrupted' }),
  }
  const unknownMessages = [{ novelty: true }]

  it('are reported together, each with its place, its first input and its number', () => {
    const error = errorOf(() => checkSource(faulty, said, { unknownMessages }))
    expect(error).toMatchObject({
      code: 'throws',
      index: 3,
      faults: [
        { code: 'throws', part: '`read`: Error "no"', index: 3, count: 2 },
        { code: 'swallowed', part: '`read` of an inserted message', index: 0 },
        { code: 'ending-differs', part: '`end`', index: -1, count: 4, expected: 'interrupted' },
      ],
    })
    expect(String(error)).toMatch(
      /^LawError: the function throws Error "no" \(input 3\)\n- throws: `read`: Error "no", first at input 3, 2 times\n- swallowed: /,
    )
  })

  // A random id was also a change of an argument by `end`, and a clock an effect of an unknown message.
  it.each([
    ['an own counter', (reads: number) => reads],
    ['a clock that goes on after the first runs', (reads: number) => Math.max(0, reads - 11)],
  ])('blame nothing else if a source is not repeatable, as with %s', (_, textAt) => {
    let reads = 0
    const source = definedParrot({
      translate(message, context) {
        if (textOf(message) === undefined) return repeat(message, context)
        reads += 1
        repeat({ say: `${textAt(reads)}` }, context)
      },
    })
    const error = errorOf(() => checkSource(source, messages))
    const codes = error instanceof LawError ? error.faults.map(({ code }) => code) : []
    expect([...new Set(codes)]).toEqual(['not-repeatable'])
  })

  it('are at most 20 in the list', () => {
    let calls = 0
    const source = parrotReading((session, message) => {
      calls += 1
      if (textOf(message) === 'no') throw new Error(`call ${calls}`)
      return parrot.read(session, [message])
    })
    const error = errorOf(() =>
      checkSource(
        source,
        Array.from({ length: 25 }, () => ({ say: 'no' })),
      ),
    )
    expect(error instanceof LawError && error.faults).toHaveLength(20)
    expect(String(error)).toMatch(/\n- and 5 more$/)
  })
})

describe('a saved session with a wrong value', () => {
  const learning = [...messages, { learn: 'Hello' }]
  /** Returns a parrot that reads in another way what it has not learned. */
  const trusting = (readOne: () => Partial<Reading>) =>
    parrotReading((session, message) => {
      const isWrong = JSON.stringify(saveSession(session)).includes('"learned":"constructor"')
      return { ...parrot.read(session, [message]), ...(isWrong && readOne()) }
    })

  it('is refused, or can go on', () => {
    expect(checkSource(parrot, learning).state.blocks).toHaveLength(3)
  })

  it('makes the check fail if the source throws for it', () => {
    const source = trusting(() => {
      throw new Error('I never learned that')
    })
    expect(errorOf(() => checkSource(source, learning))).toMatchObject({
      code: 'throws',
      index: 3,
      message: expect.stringContaining('`loadSession` of a wrong value'),
      actual: { notes: { learned: 'constructor' } },
    })
  })

  it('makes the check fail if the source gives an invalid event for it', () => {
    const source = trusting(() => ({ events: [JSON.parse('{"type":"block:upsert","block":7}')] }))
    expect(errorOf(() => checkSource(source, learning))).toMatchObject({ code: 'invalid-event', index: 3 })
  })
})

describe('the error names the inserted message', () => {
  it('that made the source throw', () => {
    expect(() => checkSource(definedParrot({ translate: takeAll }), [])).toThrow(
      /^read throws TypeError ".*trim.*" for the inserted message null \(before input 0\)$/m,
    )
    const translate = (): never => {
      throw 'no'
    }
    expect(() => checkSource(definedParrot({ translate }), [])).toThrow(
      'read throws no for the inserted message null (before input 0)',
    )
  })

  it('that the source does not report, cut after 200 letters', () => {
    const quiet = definedParrot({
      translate(message, context) {
        if (!Array.isArray(Object(message).long)) repeat(message, context)
      },
    })
    const unknownMessages = [{ long: Array.from({ length: 200 }, () => 1) }]
    expect(() => checkSource(quiet, messages, { unknownMessages })).toThrow(
      `\`unknown-message\` for the inserted message {"long":[${'1,'.repeat(95)}1… (before input 0)`,
    )
  })

  it('that gives an invalid event', () => {
    const source = parrotReading((session, message) => ({
      ...parrot.read(session, [message]),
      ...(Object(message).say === 7 && { events: [JSON.parse('{"type":"block:upsert","block":7}')] }),
    }))
    expect(() => checkSource(source, messages)).toThrow(
      'the source returns a value that is not an event: block must be an object for the inserted message {"say":7} (before input 0)',
    )
  })
})

it('the check calls `end` after the last message of a long input too', () => {
  const long = Array.from({ length: 100 }, (_, at) => ({ say: `${at}` }))
  const end = (session: Session) => {
    if (session.state.blocks.length === long.length) throw new Error('too many')
    return parrot.end(session)
  }
  expect(() => checkSource(parrotWith({ end }), long)).toThrow(LawError)
  expect(checkSource(parrotWith({ end }), long.slice(1)).events).toHaveLength(100)
})

it('a source may be an instance of a class', () => {
  class Parrot implements Source {
    readonly notes = parrot.notes
    open(state?: SessionConversationState): Session {
      return this.parrot().open(state)
    }
    read(session: Session, all: Iterable<unknown>): Reading {
      return this.parrot().read(session, all)
    }
    end(session: Session): SourceEnd {
      return this.parrot().end(session)
    }
    parrot(): Source {
      return parrot
    }
  }
  expect(checkSource(new Parrot(), messages).events).toHaveLength(4)
})

it('the option `unknownMessages` adds messages that the source must report', () => {
  const quiet = definedParrot({
    translate(message, context) {
      if (Object(message).kind !== 'novelty') repeat(message, context)
    },
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

it('an option of another name throws a TypeError', () => {
  expect(() => checkSource(parrot, messages, JSON.parse('{"unknown":[{}]}'))).toThrow(
    new TypeError('the check has no option unknown: pass unknownMessages or samples'),
  )
})

it('text instead of messages throws a TypeError', () => {
  expect(() => checkSource(parrot, '{"say":"one"}')).toThrow(TypeError)
})

describe('the issue of an agent that the end has cut', () => {
  it('names the agent', () => {
    const error = errorOf(() => checkSource(withoutIssues(emitting(spawned)), messages))
    expect(error).toMatchObject({ code: 'unreported-agent', actual: 't1', index: 0 })
    expect(String(error)).toMatch(/`unfinished-subagent` issue has its `toolUseId`/)
  })

  it.each([{}, { toolUseId: 't2' }])('needs the id of the agent, and not %j', (facts) => {
    const source = emitting(spawned)
    const end = (session: Session): SourceEnd => ({
      ...source.end(session),
      issues: [{ code: 'unfinished-subagent', count: 1, ...facts }],
    })
    expect(() => checkSource({ ...source, end }, messages)).toThrow(
      expect.objectContaining({ code: 'unreported-agent' }),
    )
  })

  it('is needed for each agent', () => {
    const source = emitting(spawned, { ...spawned, toolUseId: 't2' })
    const end = (session: Session): SourceEnd => {
      const ended = source.end(session)
      return { ...ended, issues: ended.issues.slice(0, 1) }
    }
    expect(checkSource(source, messages).issues).toHaveLength(2)
    expect(() => checkSource({ ...source, end }, messages)).toThrow(
      expect.objectContaining({ code: 'unreported-agent', actual: 't2' }),
    )
  })

  it('is not needed if the agent has ended', () => {
    expect(checkSource(emitting(spawned, completed), messages).issues).toEqual([])
  })
})

function withoutIssues(source: Source): Source {
  return { ...source, end: (session) => ({ ...source.end(session), issues: [] }) }
}

function takeAll(message: unknown, context: ParrotContext): void {
  repeat({ say: Object(message).say.trim() }, context)
}

/** Says each text, and reports that it means nothing. */
function doubt(message: unknown, context: ParrotContext): void {
  repeat(message, context)
  if (textOf(message) !== undefined) context.reportUnknown('unknown-block', 'text')
}
