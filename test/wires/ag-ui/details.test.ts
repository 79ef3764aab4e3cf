import { describe, expect, it } from 'vitest'
import { applyPatch } from '../../../src/wires/ag-ui/shared/owned-document.ts'
import { fold } from './fold.ts'

const run = { type: 'RUN_STARTED', threadId: 't', runId: 'r' }

describe('a patch', () => {
  it.each<[string, unknown, object, unknown]>([
    ['replaces the document', 1, { op: 'replace', path: '', value: 2 }, 2],
    ['adds the document', 1, { op: 'add', path: '', value: 2 }, 2],
    ['adds in a list', [1, 3], { op: 'add', path: '/1', value: 2 }, [1, 2, 3]],
    ['adds a field', {}, { op: 'add', path: '/__proto__', value: 2 }, JSON.parse('{"__proto__":2}')],
    ['replaces in a list', [[1]], { op: 'replace', path: '/0/0', value: 2 }, [[2]]],
    ['removes from a list', [1, 2], { op: 'remove', path: '/0' }, [2]],
    [
      'removes behind the tenth item',
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      { op: 'remove', path: '/10' },
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    ],
    ['moves', { a: 1 }, { op: 'move', from: '/a', path: '/b' }, { b: 1 }],
  ])('%s', (_, before, operation, after) => {
    expect(applyPatch(before, [operation])).toEqual({ document: after })
  })

  it.each<[unknown, object]>([
    [[1], { op: 'add', path: '/5', value: 2 }],
    [[1], { op: 'add', path: '/01', value: 2 }],
    [1, { op: 'add', path: '/a', value: 2 }],
    [{}, { op: 'replace', path: '/a', value: 2 }],
    [{}, { op: 'replace', path: '/a/b', value: 2 }],
    [{}, { op: 'remove', path: '' }],
    [{ a: 1 }, { op: 'test', path: '/a', value: 2 }],
    [{}, { op: 'copy', from: '/a', path: '/b' }],
    [{ a: 1 }, { op: 'merge', from: '/a', path: '/b' }],
    [{ a: 1 }, { op: 'move', from: '', path: '/b' }],
    [{ a: 1 }, { op: 'move', from: 'a', path: '/b' }],
    [{}, { op: 'add', path: 'a', value: 2 }],
    [{}, { op: 'add', path: 7, value: 2 }],
  ])('does not change %j with %j', (before, operation) => {
    expect(applyPatch(before, [operation])).toBeUndefined()
  })
})

it('reads the blocks of agents that the sink writes as activities', () => {
  const activity = (content: object) => ({
    type: 'ACTIVITY_SNAPSHOT',
    messageId: 'subagent:A',
    activityType: 'subagent',
    content,
  })
  const block = { toolUseId: 'A', status: 'running', input: 'Go.' }
  expect(fold([run, activity(block)]).subagents).toMatchObject([{ toolUseId: 'A', status: 'running' }])
  expect(fold([run, activity({ ...block, status: 'pending' })]).subagents).toMatchObject([
    { status: 'pending' },
  ])
  expect(fold([run, activity(block), activity({ ...block, status: 'error' })]).subagents).toMatchObject([
    { status: 'error' },
  ])
  expect(fold([run, activity({ status: 'running' })]).subagents).toEqual([])
})

it('reads activities with and without words of their own', () => {
  const activity = (messageId: string, content: object) => ({
    type: 'ACTIVITY_SNAPSHOT',
    messageId,
    activityType: 'NOTE',
    content,
  })
  const patch = (messageId: string, operation: object) => ({
    type: 'ACTIVITY_DELTA',
    messageId,
    activityType: 'NOTE',
    patch: [operation],
  })
  const request = {
    ...activity('q', { status: 'pending', kind: 'question', title: 'a' }),
    activityType: 'request',
  }
  const { blocks } = fold([
    run,
    activity('a', { message: 'Hi.' }),
    activity('b', { any: 1 }),
    request,
    { ...patch('q', { op: 'replace', path: '/title', value: 'b' }), activityType: 'request' },
    patch('unknown', { op: 'add', path: '/a', value: 1 }),
    patch('a', { op: 'remove', path: '/none' }),
  ])
  expect(blocks).toMatchObject([
    { type: 'system', subtype: 'NOTE', message: 'Hi.' },
    { message: 'NOTE', data: { any: 1 } },
    { type: 'request', title: 'b' },
  ])
})

it('reads messages of all roles, and leaves out those that it cannot read', () => {
  const file = { type: 'document', source: { type: 'file', value: 'f1' }, metadata: { filename: 'a' } }
  const messages = [
    { role: 'user', content: 'no id' },
    { id: 'r', role: 'reasoning', content: 'Hm.' },
    { id: 'x', role: 'oracle', content: 'x' },
    { id: 'p', role: 'activity', activityType: 'NOTE', content: {} },
    { id: 'q', role: 'activity', activityType: 'NOTE' },
    { id: 't', role: 'tool', content: 'no call' },
    { id: 'u', role: 'user', content: [file, { type: 'image' }, 7] },
    { id: 'a', role: 'assistant', toolCalls: [{ id: 'c' }, { id: 'd', function: { name: 'ls' } }] },
    {
      id: 'o',
      role: 'tool',
      toolCallId: 'd',
      content: [
        { type: 'text', text: 'x' },
        { type: 'text', text: 'y' },
      ],
    },
    { id: 'e', role: 'assistant', content: '' },
    { id: 'n', role: 'user' },
  ]
  const { blocks } = fold([run, { ...run, input: { messages } }])
  expect(blocks.map(({ type }) => type).join(' ')).toBe(
    'thinking system user_message tool_use tool_result assistant_text user_message',
  )
  expect(blocks[4]).toMatchObject({ output: 'x\ny' })
  expect(blocks[2]).toMatchObject({ content: [{ type: 'file', source: { url: 'f1' }, name: 'a' }] })
})

it('keeps two messages with one id apart, and a text that goes on after its end', () => {
  const text = (type: string, fields: object = {}) => ({
    type: `TEXT_MESSAGE_${type}`,
    messageId: 'm',
    ...fields,
  })
  const thinking = { type: 'REASONING_MESSAGE_CONTENT', messageId: 'm', delta: 'Hm.' }
  const start = { type: 'TOOL_CALL_START', toolCallId: 'm', toolCallName: 'ls' }
  const { blocks } = fold([
    run,
    text('START'),
    text('CONTENT', { delta: 'Hello' }),
    text('END'),
    text('CONTENT', { delta: 'lost: it comes again' }),
    text('START'),
    text('CONTENT', { delta: 'Hel' }),
    text('CONTENT', { delta: 'p!' }),
    text('END'),
    thinking,
    start,
    { ...start, toolCallName: 'dir' },
  ])
  expect(blocks).toMatchObject([
    { id: 'm', content: 'HelloHelp!' },
    { id: 'm:thinking', content: 'Hm.' },
    { id: 'm:call', toolUseId: 'm', toolName: 'dir' },
  ])
})

// Each copy of the whole document doubled it: 1 kB of operations had a state that no JSON text can hold.
it('refuses a patch whose copies grow without measure', () => {
  const doubled = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ op: 'copy', from: '', path: `/c${at}` }))
  expect(applyPatch({ a: 1 }, doubled(8))).toBeDefined()
  expect(applyPatch({ a: 1 }, doubled(26))).toBeUndefined()
  expect(applyPatch({ a: 'x'.repeat(200_000) }, [{ op: 'copy', from: '/a', path: '/b' }])).toBeUndefined()
})
