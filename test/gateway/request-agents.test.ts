import { describe, expect, it } from 'vitest'
import {
  createRequestAgents,
  type ModelMessage,
  requestEvent,
  type SavedRequestAgents,
} from '../../src/entries/lineage.ts'

const ask = (content: unknown = 'Fix the test.'): ModelMessage => ({ role: 'user', content })
const answer = (content: unknown = 'I read the test.'): ModelMessage => ({ role: 'assistant', content })
const system = 'You fix tests.'

describe('the agent of a request', () => {
  it('stays the same while the conversation goes on', () => {
    const agents = createRequestAgents()
    const messages = [ask()]
    for (let at = 0; at < 5; at += 1) {
      const open = agents.begin({ system, messages })
      expect(open.agentId).toBe('agent-1')
      agents.answered(open, answer(`Step ${at}.`))
      messages.push(answer(`Step ${at}.`), ask(`Go on after ${at}.`))
    }
  })

  it.each([
    ['another prompt', { system, messages: [ask('Review the test.')] }],
    ['another system prompt', { system: 'You review.', messages: [ask(), answer(), ask('Go on.')] }],
    ['another answer', { system, messages: [ask(), answer('I wrote a test.'), ask('Go on.')] }],
    ['a history that was cut', { system, messages: [answer(), ask('Go on.')] }],
    ['no message', { system, messages: [] }],
  ])('is a new one with %s', (_, request) => {
    const agents = createRequestAgents()
    agents.answered(agents.begin({ system, messages: [ask()] }), answer())
    expect(agents.begin(request).agentId).toBe('agent-2')
  })

  it('stays the same when a failed request comes again, also in the middle', () => {
    const agents = createRequestAgents()
    agents.failed(agents.begin({ system, messages: [ask()] }))
    const open = agents.begin({ system, messages: [ask()] })
    agents.answered(open, answer())
    const messages = [ask(), answer(), ask('Go on.')]
    agents.failed(agents.begin({ system, messages }))
    expect(agents.begin({ system, messages }).agentId).toBe('agent-1')
    expect(open.agentId).toBe('agent-1')
  })

  // Two processes that share a saved form gave the open request of one to the next equal request of anybody.
  it('is another one than that of an open request of another gateway', () => {
    const first = createRequestAgents({ owner: 'gateway-1', newId: () => 'a' })
    first.begin({ system, messages: [ask()] }, { at: 1000 })
    const saved: SavedRequestAgents = JSON.parse(JSON.stringify(first.save()))
    expect(saved.open).toEqual([{ key: expect.any(String), agentId: 'a', owner: 'gateway-1', at: 1000 }])
    const begun = [{}, { owner: 'gateway-2' }, { failedBefore: 1000 }].map((options) =>
      createRequestAgents({ saved, newId: () => 'b', ...options }).begin({ system, messages: [ask()] }),
    )
    expect(begun.map(({ agentId }) => agentId)).toEqual(['b', 'b', 'b'])
    const later = createRequestAgents({ saved, newId: () => 'b', failedBefore: 1001 })
    expect(later.begin({ system, messages: [ask()] }).agentId).toBe('a')
  })

  it('stays the same after a restart, when the conversation goes on and when an open request comes again', () => {
    const before = createRequestAgents({ owner: 'gateway-1' })
    before.answered(before.begin({ system, messages: [ask()] }), answer())
    const open = before.begin({ system, messages: [ask('Write the test.')] })
    const saved: SavedRequestAgents = JSON.parse(JSON.stringify(before.save()))
    before.answered(open, answer())

    const agents = createRequestAgents({ saved, owner: 'gateway-1' })
    const next = agents.begin({ system, messages: [ask(), answer(), ask('Go on.')] })
    const again = agents.begin({ system, messages: [ask('Write the test.')] })
    const other = agents.begin({ system, messages: [ask('Review the test.')] })
    expect([next, again, other].map(({ agentId }) => agentId)).toEqual(['agent-1', 'agent-2', 'agent-3'])
    agents.failed(next)
    agents.answered(again, answer())
    agents.failed(other)
    expect(createRequestAgents({ saved: agents.save() }).save()).toEqual(agents.save())
    expect(agents.save().waiting).toHaveLength(3)
  })

  it('is one of two twins, and never one of them twice', () => {
    const agents = createRequestAgents()
    const twins = [agents.begin({ system, messages: [ask()] }), agents.begin({ system, messages: [ask()] })]
    for (const open of twins) agents.answered(open, answer())
    const messages = [ask(), answer(), ask('Go on.')]
    const next = [1, 2, 3].map(() => agents.begin({ system, messages }).agentId)
    expect(next).toEqual(['agent-1', 'agent-2', 'agent-3'])
  })

  // Two users of one tenant with equal requests swapped their agents.
  it('is of its user, also after a restart', () => {
    const before = createRequestAgents()
    const messages = [ask(), answer(), ask('Go on.')]
    for (const user of ['ann', 'bo'])
      before.answered(before.begin({ system, messages: [ask()] }, { user }), answer())
    const agents = createRequestAgents({ saved: before.save() })
    const next = [{ user: 'bo' }, {}, { user: 'ann' }].map(
      (options) => agents.begin({ system, messages }, options).agentId,
    )
    expect(next).toEqual(['agent-2', 'agent-3', 'agent-1'])
  })

  // The body of another API threw a TypeError of the engine.
  it.each([
    ['not-a-list', ['messages'], { input: [] }],
    ['not-a-list', ['messages'], null],
    ['not-a-list', ['messages'], { messages: 'Hi' }],
    ['not-a-message', ['messages', 1], { messages: [ask(), null] }],
  ])('is refused with %s at %s', (code, path, request) => {
    const error = expect.objectContaining({ name: 'IdentityError', code, path: ['request', ...path] })
    const { begin } = createRequestAgents()
    expect(() => Reflect.apply(begin, undefined, [request])).toThrow(error)
    expect(() => Reflect.apply(requestEvent, undefined, ['a', request, { at: 0 }])).toThrow(error)
  })

  const call = { type: 'tool_use', id: 'c1', name: 'Read', input: { path: '/a', lines: [1, 2] } }
  const text = (words: string, more = {}) => ({ type: 'text', text: words, ...more })
  const chatCall = (json: string) => [
    { id: 'c1', type: 'function', function: { name: 'Read', arguments: json } },
  ]
  const result = (content: unknown, more = {}) =>
    ask([{ type: 'tool_result', tool_use_id: 'c1', content, ...more }])

  // Each request of a conversation in another spelling was a new agent.
  it.each<[string, ModelMessage[], ModelMessage[]]>([
    ['marks of a cache', [ask([text('A', { cache_control: {} })]), answer()], [ask([text('A')]), answer()]],
    ['a prompt in a list', [ask('A'), answer()], [ask([text('A')]), answer()]],
    ['an answer in a list', [ask(), answer('A')], [ask(), answer([text('A', { citations: null })])]],
    ['thinking', [ask(), answer([{ type: 'thinking', thinking: 'Hm.' }, text('A')])], [ask(), answer('A')]],
    [
      'secret thinking',
      [ask(), answer([{ type: 'redacted_thinking', data: 'x' }, call])],
      [ask(), answer([call])],
    ],
    ['other fields', [ask(), Object.assign(answer(), { id: 'x', model: 'm', usage: {} })], [ask(), answer()]],
    ['spaces and an empty text', [ask(), answer([text('A '), text('')])], [ask(), answer('A')]],
    ['no content', [ask(), answer(null)], [ask(), answer('')]],
    [
      'citations and a caller',
      [ask(), answer([text('A', { citations: [{ url: 'x' }] }), { ...call, caller: { type: 'direct' } }])],
      [ask(), answer([text('A'), call])],
    ],
    [
      'another order of fields',
      [ask(), answer([call])],
      [ask(), answer([{ ...call, input: { lines: [1, 2], path: '/a' } }])],
    ],
    [
      'a result in a list',
      [ask(), answer([call]), result('ok', { is_error: false }), answer()],
      [ask(), answer([call]), result([text('ok')]), answer()],
    ],
    [
      'a reminder that left',
      [ask([text('<system-reminder>It is Monday.</system-reminder>'), text('A')]), answer()],
      [ask('A'), answer()],
    ],
    [
      'a message that was only a reminder, and left',
      [ask('<system-reminder>It is Monday.</system-reminder>'), ask('A'), answer()],
      [ask('A'), answer()],
    ],
    [
      'a call without input',
      [ask(), answer([{ ...call, input: undefined }])],
      [ask(), answer([{ ...call, input: {} }])],
    ],
    [
      'a call without arguments',
      [ask(), { ...answer(), tool_calls: [{ id: 'c1', function: { name: 'Read' } }] }],
      [ask(), { ...answer(), tool_calls: chatCall('{}') }],
    ],
    [
      'calls of Chat Completions',
      [ask(), { ...answer(null), refusal: null, tool_calls: chatCall('{"path": "/a"}') } as ModelMessage],
      [ask(), { role: 'assistant', tool_calls: chatCall('{"path":"/a"}') }],
    ],
    [
      'no arguments',
      [ask(), { ...answer(), tool_calls: chatCall('') }],
      [ask(), { ...answer(), tool_calls: chatCall('{}') }],
    ],
    [
      'a refusal',
      [ask(), { ...answer(null), refusal: 'No.' } as ModelMessage],
      [ask(), answer([{ type: 'refusal', refusal: 'No.' }])],
    ],
  ])('does not depend on the spelling: %s', (_, one, other) => {
    for (const [asked, repeated] of [
      [one, other],
      [other, one],
    ] as const) {
      const agents = createRequestAgents()
      agents.answered(agents.begin({ system, messages: asked.slice(0, -1) }), asked.at(-1) ?? answer())
      const messages = [...repeated, ask('Go on.')]
      expect(agents.begin({ system: [text(system)], messages }).agentId).toBe('agent-1')
    }
  })

  it.each<[string, ModelMessage]>([
    ['a text', answer('B')],
    ['a text more', answer([text('A'), text('B')])],
    ['a call', answer([text('A'), call])],
    ['an input', answer([text('A'), { ...call, input: {} }])],
    ['arguments', { ...answer('A'), tool_calls: chatCall('{"path":"/b"}') }],
    [
      'arguments that are nested too deep',
      { ...answer('A'), tool_calls: chatCall('['.repeat(50_000) + ']'.repeat(50_000)) },
    ],
    ['a picture', answer([text('A'), { type: 'image', source: { data: 'x' } }])],
    ['a role', ask('A')],
    ['a name', { ...answer('A'), name: 'bo' } as ModelMessage],
    ['a refusal', { ...answer('A'), refusal: 'No.' } as ModelMessage],
  ])('depends on the words: %s', (_, other) => {
    const agents = createRequestAgents()
    for (const each of [answer('A'), other]) agents.answered(agents.begin({ messages: [ask()] }), each)
    expect(agents.save().waiting).toHaveLength(2)
  })

  it.each([
    ['a text that was cut within a letter', 'Done \ud83d'],
    ['an input of many levels', JSON.parse(`${'['.repeat(400)}1${']'.repeat(400)}`)],
  ])('is found in a request with %s', (_, content) => {
    const agents = createRequestAgents()
    agents.answered(agents.begin({ messages: [ask(content)] }), answer())
    expect(agents.begin({ messages: [ask(content), answer(), ask('Go on.')] }).agentId).toBe('agent-1')
  })

  it('has the id that the caller makes', () => {
    const ids = ['a', 'b']
    const agents = createRequestAgents({ newId: () => ids.shift() ?? '' })
    expect([1, 2].map(() => agents.begin({ messages: [ask()] }).agentId)).toEqual(['a', 'b'])
  })

  // A deep body of a client overflowed the stack of the gateway.
  it.each([
    ['messages', (deep: unknown) => ({ system, messages: [ask([{ type: 'x', deep }])] })],
    ['system', (deep: unknown) => ({ system: deep, messages: [ask()] })],
  ])('is refused with a code and a path if its %s are nested too deep', (name, requestWith) => {
    const agents = createRequestAgents()
    const begin = (levels: number) =>
      agents.begin(requestWith(JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)))
    const error = { name: 'IdentityError', code: 'too-deep', path: ['request', name] }
    for (const levels of [1100, 50_000]) expect(() => begin(levels)).toThrow(expect.objectContaining(error))
    expect(agents.save()).toEqual({ count: 0, waiting: [], open: [] })
    expect(begin(200).agentId).toBe('agent-1')
  })

  it('is not known by an answer that is nested too deep', () => {
    const agents = createRequestAgents()
    const open = agents.begin({ system, messages: [ask()] })
    const content: unknown = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
    expect(() => agents.answered(open, answer(content))).toThrow(
      expect.objectContaining({ code: 'too-deep', path: ['answer'] }),
    )
    agents.failed(open)
    expect(agents.begin({ system, messages: [ask()] }).agentId).toBe('agent-1')
  })

  it('is forgotten with its conversation', () => {
    const agents = createRequestAgents()
    agents.answered(agents.begin({ system, messages: [ask('A')] }), answer())
    agents.answered(agents.begin({ system, messages: [ask('B')] }), answer())
    agents.keepOnly(new Set(['agent-2']))
    const next = (text: string) => agents.begin({ system, messages: [ask(text), answer(), ask('Go on.')] })
    expect([next('A').agentId, next('B').agentId]).toEqual(['agent-3', 'agent-2'])
  })
})
