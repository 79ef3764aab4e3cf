import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventIssue } from '../../../src/core/events/guard.ts'
import { isConversationEvent, parseSessionEvent } from '../../../src/entries/index.ts'
import { runs } from '../../depth.ts'
import { blocks, events, type Fields, type Samples } from './samples.ts'

/** Fields that accept any JSON value. */
const anyJson = ['input', 'output', 'data']

const wrongFor = (value: unknown) => (typeof value === 'number' ? 'seven' : 7)

const inEvent = (event: Fields) => event
const inBlock = (block: Fields): Fields => ({ type: 'block:upsert', block })

function issuesOf(value: unknown): readonly EventIssue[] {
  const parsed = parseSessionEvent(value)
  expect(isConversationEvent(value)).toBe(parsed.ok)
  return parsed.ok ? [] : parsed.issues
}

interface Case extends Samples {
  readonly type: string
  readonly wrap: (fields: Fields) => Fields
  readonly path: readonly string[]
}

const cases: readonly Case[] = [
  ...Object.entries(events).map(([type, shape]) => ({ ...shape, type, wrap: inEvent, path: [] })),
  ...Object.entries(blocks).map(([type, shape]) => ({ ...shape, type, wrap: inBlock, path: ['block'] })),
]

describe.each(cases)('$type', ({ type, required, optional, wrap, path }) => {
  const full: Fields = { type, ...required, ...optional }

  it('is accepted with all its fields, and the event is the value itself', () => {
    const value = wrap(full)
    expect(issuesOf(value)).toEqual([])
    expect(parseSessionEvent(value)).toEqual({ ok: true, event: value })
    expect(Object.values(parseSessionEvent(value))).toContain(value)
  })

  it('is accepted with its required fields alone', () => {
    expect(issuesOf(wrap({ type, ...required }))).toEqual([])
  })

  it('is accepted with unknown fields, and keeps them', () => {
    const value = wrap({ ...full, extra: { deep: [1] } })
    expect(parseSessionEvent(value)).toEqual({ ok: true, event: value })
  })

  it.each(Object.keys(required))('is refused without its %s', (name) => {
    const { [name]: _, ...rest } = full
    expect(issuesOf(wrap(rest))).toMatchObject([{ code: 'invalid-value', path: [...path, name] }])
  })

  it.each(Object.entries(full).filter(([name]) => name !== 'type' && !isAnyJson(type, name)))(
    'is refused with a %s of the wrong type',
    (name, value) => {
      const issues = issuesOf(wrap({ ...full, [name]: wrongFor(value) }))
      expect(issues).toMatchObject([{ code: 'invalid-value', path: [...path, name] }])
      expect(issues[0]?.expected).toEqual(expect.any(String))
    },
  )

  it.each(Object.keys(optional).filter((name) => name !== 'data'))(
    'is refused with null as its %s',
    (name) => {
      expect(issuesOf(wrap({ ...full, [name]: null }))).toMatchObject([{ path: [...path, name] }])
    },
  )

  it('is refused with every wrong field at once', () => {
    const names = Object.keys(full).filter((name) => name !== 'type' && !isAnyJson(type, name))
    const wrong = names.map((name) => [name, wrongFor(full[name])] as const)
    const paths = issuesOf(wrap({ ...full, ...Object.fromEntries(wrong) })).map((issue) => issue.path.at(-1))
    expect(paths.sort()).toEqual(names.sort())
  })
})

/** The input and output of a tool are any JSON. Those of a subagent are texts. */
function isAnyJson(type: string, name: string): boolean {
  return anyJson.includes(name) && type !== 'subagent' && type !== 'subagent:completed'
}

describe('a closed set', () => {
  it.each(['pending', 'complete', 'error'])('of block statuses has %s', (status) => {
    expect(issuesOf(inBlock(textBlock({ status })))).toEqual([])
  })

  it.each(['running', 'success', '', 'toString'])('of block statuses does not have %j', (status) => {
    expect(issuesOf(inBlock(textBlock({ status })))).toMatchObject([{ path: ['block', 'status'] }])
  })

  it.each(['pending', 'running', 'success', 'error'])('of subagent block statuses has %s', (status) => {
    expect(issuesOf(inBlock({ type: 'subagent', ...blocks.subagent.required, status }))).toEqual([])
  })

  it('of subagent block statuses does not have complete', () => {
    const block = { type: 'subagent', ...blocks.subagent.required, status: 'complete' }
    expect(issuesOf(inBlock(block))).toMatchObject([{ path: ['block', 'status'] }])
  })

  it.each(['completed', 'error'])('of completion statuses has %s', (status) => {
    expect(issuesOf({ type: 'subagent:completed', toolUseId: 'T', status })).toEqual([])
  })

  it.each(['command', 'notification', 'summary', 'meta'])('of origins has %s', (origin) => {
    expect(issuesOf(inBlock(message('x', { origin })))).toEqual([])
  })

  it('of origins does not have the person', () => {
    expect(issuesOf(inBlock(message('x', { origin: 'person' })))).toMatchObject([
      { path: ['block', 'origin'] },
    ])
  })
})

describe('a user’s content', () => {
  const image = (source: unknown) => ({ type: 'image', source })

  it.each([
    [[]],
    [[{ type: 'text', text: '' }]],
    [[image({ type: 'base64', mediaType: 'image/png', data: '' })]],
    [[image({ type: 'url', url: '' }), image({ type: 'url', url: '', mediaType: 'image/png' })]],
  ])('may be %j', (content) => {
    expect(issuesOf(inBlock(message(content)))).toEqual([])
  })

  it.each<[unknown, string, readonly (string | number)[]]>([
    [null, 'invalid-value', []],
    [{ 0: 'x' }, 'invalid-value', []],
    [['x'], 'invalid-value', [0]],
    [[{ type: 'text', text: 'x' }, { type: 'text' }], 'invalid-value', [1, 'text']],
    [[{ type: 'video' }], 'unknown-type', [0, 'type']],
    [[image(null)], 'invalid-value', [0, 'source']],
    [[{ type: 'image' }], 'invalid-value', [0, 'source']],
    [[image({ type: 'file' })], 'unknown-type', [0, 'source', 'type']],
    [[image({ type: 'base64', data: '' })], 'invalid-value', [0, 'source', 'mediaType']],
    [[image({ type: 'base64', mediaType: '' })], 'invalid-value', [0, 'source', 'data']],
    [[image({ type: 'url' })], 'invalid-value', [0, 'source', 'url']],
    [[image({ type: 'url', url: '', mediaType: 1 })], 'invalid-value', [0, 'source', 'mediaType']],
  ])('may not be %j', (content, code, path) => {
    expect(issuesOf(inBlock(message(content)))).toMatchObject([{ code, path: ['block', 'content', ...path] }])
  })

  it('has an issue for each wrong part', () => {
    const issues = issuesOf(inBlock(message([1, { type: 'text', text: '' }, 2])))
    expect(issues.map(({ path }) => path)).toEqual([
      ['block', 'content', 0],
      ['block', 'content', 2],
    ])
  })
})

describe('counts and facts', () => {
  const counts = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens']

  it.each(counts)('%s is a finite number', (name) => {
    const report = (count: unknown) => ({ ...usageReport, usage: { [name]: count } })
    expect(issuesOf(report(0))).toEqual([])
    for (const count of ['1', null, Number.NaN, Number.POSITIVE_INFINITY, 1n])
      expect(issuesOf(report(count))).toMatchObject([{ path: ['usage', name] }])
  })

  it.each<[string, unknown, readonly (string | number)[]]>([
    ['id', 1, []],
    ['model', null, []],
    ['cwd', {}, []],
    ['program', false, []],
    ['version', 2, []],
    ['costUsd', '1', []],
    ['tools', 'Read', []],
    ['tools', ['Read', 1], [1]],
  ])('the fact %s must not be %j', (name, value, path) => {
    const event = { type: 'session:updated', facts: { [name]: value } }
    expect(issuesOf(event)).toMatchObject([{ path: ['facts', name, ...path] }])
  })
})

describe('no event', () => {
  it.each([undefined, null, true, 0, '', 'session:idle', [], [{ type: 'session:idle' }], () => undefined])(
    'is %j',
    (value) => {
      expect(issuesOf(value)).toMatchObject([{ code: 'invalid-value', path: [] }])
    },
  )

  it.each([undefined, null, 1, '', 'block:moved', 'constructor', '__proto__', ['session:idle']])(
    'is one of the type %j',
    (type) => {
      expect(issuesOf({ type })).toMatchObject([{ code: 'unknown-type', path: ['type'] }])
      expect(issuesOf(inBlock({ type }))).toMatchObject([{ code: 'unknown-type', path: ['block', 'type'] }])
    },
  )

  it('is any other JSON, and the check never throws', () => {
    const types = fc.constantFrom(...Object.keys(events))
    const nearly = fc
      .tuple(
        types,
        fc.dictionary(fc.constantFrom('block', 'blockId', 'usage', 'facts', 'final'), fc.jsonValue()),
      )
      .map(([type, fields]) => ({ ...fields, type }))
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.object(), nearly), (value) => {
        for (const { path, code } of issuesOf(value)) {
          expect(code).toMatch(/^(invalid-value|unknown-type)$/)
          expect(Array.isArray(path)).toBe(true)
        }
      }),
      { numRuns: runs(1000) },
    )
  })
})

// A snapshot with a bigint threw, and one with a function came back without it.
describe('a value that JSON cannot hold', () => {
  it.each<[string, unknown]>([
    ['a bigint', 1n],
    ['a function', () => 1],
    ['a symbol', Symbol('tea')],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
  ])('is refused with its place: %s', (_, value) => {
    const call = { type: 'tool_use', ...blocks.tool_use.required }
    const at = (path: readonly (string | number)[]) => [
      { code: 'invalid-value', path: ['block', ...path], expected: 'a JSON value' },
    ]
    expect(issuesOf(inBlock({ ...call, input: value }))).toEqual(at(['input']))
    expect(issuesOf(inBlock({ ...call, input: { list: [1, { value }] } }))).toEqual(
      at(['input', 'list', 1, 'value']),
    )
    expect(issuesOf(inBlock({ ...call, extra: value }))).toEqual(at(['extra']))
    expect(isConversationEvent({ type: 'block:delta', blockId: 'a', delta: 'x', extra: value })).toBe(false)
  })

  it('is not an undefined field, which JSON leaves out', () => {
    const call = { type: 'tool_use', ...blocks.tool_use.required }
    expect(issuesOf(inBlock({ ...call, input: { value: undefined } }))).toEqual([])
  })
})

it('the check changes and freezes nothing', () => {
  const value = inBlock(message([{ type: 'text', text: 'x' }]))
  const before = structuredClone(value)
  issuesOf(value)
  expect(value).toEqual(before)
  expect(Object.isFrozen(value)).toBe(false)
})

const usageReport = { type: 'usage:reported', messageId: 'm', final: true }

function textBlock(fields: Fields): Fields {
  return { type: 'assistant_text', ...blocks.assistant_text.required, ...fields }
}

function message(content: unknown, fields: Fields = {}): Fields {
  return { type: 'user_message', id: 'a', status: 'complete', content, ...fields }
}
