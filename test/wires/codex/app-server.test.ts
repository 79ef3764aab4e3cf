import { describe, expect, it } from 'vitest'
import { pendingRequests, sessionStatus } from '../../../src/entries/index.ts'
import { notesOf, ofType, textsOf } from '../recordings.ts'
import { ask, beginTurn, endTurn, item, note, readLines } from './made-lines.ts'

const session = (...messages: readonly unknown[]) => readLines(...beginTurn, ...messages, endTurn()).state

describe('items of the app-server', () => {
  it('shows images, files and mentions of a prompt', () => {
    const content = [
      { type: 'text', text: 'Look.' },
      { type: 'image', url: 'https://example.com/a.png' },
      { type: 'localImage', path: '/a.png' },
      { type: 'mention', name: 'readme', path: '/README.md' },
      { type: 'other' },
    ]
    expect(
      ofType(session(item({ type: 'userMessage', id: 'u', content })), 'user_message')[0]?.content,
    ).toEqual([
      { type: 'text', text: 'Look.' },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'image', source: { type: 'url', url: '/a.png' } },
      { type: 'text', text: '[readme](/README.md)' },
    ])
  })

  it('shows every kind of call', () => {
    const state = session(
      item({ type: 'imageView', id: 'a', path: 'file:///srv/a%20b.png' }),
      item({ type: 'imageView', id: 'b', path: 'file:///srv/%zz.png' }),
      item({ type: 'imageGeneration', id: 'c', status: 'completed', revisedPrompt: 'a cat', result: 'AA==' }),
      item({
        type: 'dynamicToolCall',
        id: 'd',
        tool: 'mine',
        arguments: { x: 1 },
        status: 'failed',
        contentItems: [],
      }),
      item({ type: 'webSearch', id: 'e', query: '', action: { type: 'search', query: 'cats' } }),
      item({
        type: 'commandExecution',
        id: 'f',
        command: 'git "a b" \\$x',
        status: 'completed',
        aggregatedOutput: null,
      }),
      item({ type: 'commandExecution', id: 'g', command: "echo 'open", status: 'completed' }),
      item({
        type: 'collabAgentToolCall',
        id: 'h',
        tool: 'sendInput',
        receiverThreadIds: ['x'],
        prompt: 'More.',
        agentsStates: { x: { status: 'completed' }, y: 7, z: 'running' },
        status: 'completed',
      }),
      item({
        type: 'mcpToolCall',
        id: 'i',
        server: 's',
        tool: 't',
        error: { message: 'no server' },
        status: 'failed',
      }),
    )
    expect(ofType(state, 'tool_use').map(({ toolName, input, status }) => [toolName, input, status])).toEqual(
      [
        ['image_view', { path: '/srv/a b.png' }, 'complete'],
        ['image_view', { path: '/srv/%zz.png' }, 'complete'],
        ['image_generation', { prompt: 'a cat' }, 'complete'],
        ['mine', { x: 1 }, 'error'],
        ['web_search', { query: 'cats' }, 'complete'],
        ['command_execution', { command: 'git "a b" \\$x' }, 'complete'],
        ['command_execution', { command: "echo 'open" }, 'complete'],
        ['send_input', { agentIds: ['x'], prompt: 'More.' }, 'complete'],
        ['mcp__s__t', {}, 'error'],
      ],
    )
  })

  it('shows notes and the text of a plan', () => {
    const state = session(
      item({ type: 'plan', id: 'p', text: 'A plan.' }),
      item({ type: 'enteredReviewMode', id: 'r', review: 'changes' }),
      item({ type: 'exitedReviewMode', id: 's', review: 'fine' }),
      item({ type: 'collabAgentToolCall', id: 'f', tool: 'spawnAgent', prompt: 'Go.', status: 'failed' }),
      item({ type: 'reasoning', id: 'q', summary: [], content: ['raw', 'thoughts'] }),
      note('thread/settings/updated', { threadSettings: { model: 'gpt-6' } }),
    )
    expect(textsOf(state)).toEqual(['A plan.'])
    expect(notesOf(state, 'review')).toHaveLength(2)
    expect(state.subagents).toMatchObject([{ status: 'error' }])
    expect(ofType(state, 'thinking')[0]?.content).toBe('raw\nthoughts')
    expect(state.session.model).toBe('gpt-6')
  })
})

describe('deltas', () => {
  it('build a text, also if its start was missed, and count once if they come again', () => {
    const delta = (text: string, at: number) =>
      note('item/agentMessage/delta', { itemId: 'm', delta: text }, at)
    const { state } = readLines(
      ...beginTurn,
      delta('a', 1),
      delta('b', 2),
      delta('a', 1),
      delta('b', 2),
      delta('c', 2),
    )
    expect(textsOf(state)).toEqual(['abc'])
  })

  it('separate the summaries of a thinking, and show the output of a command that runs', () => {
    const { state } = readLines(
      ...beginTurn,
      item({ type: 'reasoning', id: 'r', summary: [], content: [] }, 'item/started'),
      note('item/reasoning/summaryPartAdded', { itemId: 'r', summaryIndex: 0 }),
      note('item/reasoning/summaryTextDelta', { itemId: 'r', delta: 'One' }),
      note('item/reasoning/summaryPartAdded', { itemId: 'r', summaryIndex: 1 }),
      note('item/reasoning/textDelta', { itemId: 'r', delta: 'Two' }),
      item({ type: 'commandExecution', id: 'c', command: 'ls', status: 'inProgress' }, 'item/started'),
      note('item/commandExecution/outputDelta', { itemId: 'c', delta: 'a' }),
      note('item/commandExecution/outputDelta', { itemId: 'c', delta: 'b' }),
      note('item/commandExecution/outputDelta', { itemId: 'c' }),
    )
    expect(ofType(state, 'thinking')[0]?.content).toBe('One\nTwo')
    expect(ofType(state, 'tool_result')[0]?.output).toBe('ab')
  })

  it('of a reply that was cut are removed when the program requests it again', () => {
    const { state } = readLines(
      ...beginTurn,
      item({ type: 'agentMessage', id: 'a', text: '' }, 'item/started'),
      note('item/agentMessage/delta', { itemId: 'a', delta: 'Half' }),
      note('error', { willRetry: true, error: { message: 'Reconnecting... 1/3' } }),
      note('item/agentMessage/delta', { itemId: 'a', delta: ' more' }),
      item({ type: 'agentMessage', id: 'b', text: 'Whole.' }),
      note('error', { willRetry: false, error: { message: 'never shown' } }),
      endTurn(),
    )
    expect(textsOf(state)).toEqual(['Whole.'])
    expect(notesOf(state, 'retry')).toHaveLength(1)
  })
})

describe('requests', () => {
  it('are open until the person has answered', () => {
    const questions = [
      { id: 'q', question: 'Which?', options: [{ label: 'A', description: 'first' }, { label: 7 }] },
      { header: 'Why?' },
    ]
    const asked = [
      ...beginTurn,
      ask('item/tool/requestUserInput', { itemId: 'c', questions }, 'one'),
      ask('applyPatchApproval', { callId: 'd', reason: 'outside' }, 2),
      ask('item/permissions/requestApproval', {}, 3),
    ]
    const { state } = readLines(...asked)
    expect(state.blocks.map((block) => block.type === 'request' && [block.kind, block.title])).toEqual([
      ['question', 'Which?'],
      ['permission', 'file_change: outside'],
      ['permission', 'permissions'],
    ])
    const answered = readLines(
      ...asked,
      { id: 'one', result: { answers: { q: { answers: ['A'] } } } },
      { id: 2, result: { decision: { acceptWithAmendment: {} } } },
      { id: 3, result: {} },
      note('serverRequest/resolved', { requestId: 3 }),
      endTurn(),
    )
    expect(ofType(answered.state, 'request').map(({ answer }) => answer)).toEqual([
      [['A']],
      'acceptWithAmendment',
      undefined,
    ])
    expect(pendingRequests(answered.state)).toEqual([])
    expect(sessionStatus(answered.state)).toBe('finished')
  })

  it('shows by the refused call that the person has refused, if the answer is not in the log', () => {
    const { state } = readLines(
      ...beginTurn,
      item({ type: 'fileChange', id: 'c', changes: [], status: 'inProgress' }, 'item/started'),
      ask('item/fileChange/requestApproval', { itemId: 'c' }),
      note('serverRequest/resolved', { requestId: 0 }),
      item({ type: 'fileChange', id: 'c', changes: [], status: 'declined' }),
      endTurn(),
    )
    expect(ofType(state, 'request')).toMatchObject([{ status: 'complete', denied: true }])
  })

  it('have the answer of the log, if that contradicts the refused call before it', () => {
    const { state } = readLines(
      ...beginTurn,
      item({ type: 'fileChange', id: 'c', changes: [], status: 'inProgress' }, 'item/started'),
      ask('item/fileChange/requestApproval', { itemId: 'c' }),
      item({ type: 'fileChange', id: 'c', changes: [], status: 'declined' }),
      { id: 0, result: { decision: 'accept' } },
    )
    const [request] = ofType(state, 'request')
    expect(request).toMatchObject({ status: 'complete', answer: 'accept' })
    expect(request).not.toHaveProperty('denied')
  })
})

describe('threads', () => {
  const agentText = (id: string, text: string) => ({
    method: 'item/completed',
    params: { threadId: 'x', turnId: 'y', item: { type: 'agentMessage', id, text } },
  })

  it('that run a second task are the same agent, resumed', () => {
    const turn = (id: string) => [
      { method: 'turn/started', params: { threadId: 'x', turn: { id, rootTurnId: 'turn' } } },
      agentText(`m${id}`, `Report ${id}.`),
      { method: 'turn/completed', params: { threadId: 'x', turn: { id, status: 'completed' } } },
    ]
    const spawn = item({
      type: 'subAgentActivity',
      id: 'call',
      kind: 'started',
      agentThreadId: 'x',
      agentPath: '/root/helper',
    })
    const again = item({ type: 'subAgentActivity', id: 'other', kind: 'started', agentThreadId: 'x' })
    const { state, events } = readLines(
      ...beginTurn,
      ...turn('1'),
      spawn,
      again,
      ...turn('2'),
      ...turn('1'),
      endTurn(),
    )
    expect(state.subagents).toMatchObject([
      { toolUseId: 'call', agentId: 'x', status: 'success', output: 'Report 2.', description: 'helper' },
    ])
    expect(events.filter(({ type }) => type === 'subagent:resumed')).toHaveLength(1)
  })

  it('without an end of their own end by the words of their parents', () => {
    const spawn = (id: string) =>
      item({ type: 'subAgentActivity', id: `call-${id}`, kind: 'started', agentThreadId: id })
    const state = session(
      spawn('a'),
      item({ type: 'subAgentActivity', id: 'end', kind: 'completed', agentThreadId: 'a' }),
      spawn('b'),
      item({
        type: 'collabAgentToolCall',
        id: 'w',
        tool: 'wait',
        status: 'failed',
        agentsStates: { b: { status: 'errored', message: 'broke' }, c: { status: 'running' } },
      }),
    )
    expect(state.subagents.map(({ status, output }) => [status, output])).toEqual([
      ['success', undefined],
      ['error', 'broke'],
    ])
  })
})

describe('a wait', () => {
  const wait = (fields: object) => ({ type: 'collabAgentToolCall', id: 'w', tool: 'wait', ...fields })
  const errored = { b: { status: 'errored', message: 'broke' } }

  it('keeps the agents of its call, though its end names the first ones alone', () => {
    const asked = wait({ status: 'inProgress', receiverThreadIds: ['a', 'b'] })
    const ended = wait({ status: 'failed', receiverThreadIds: ['b'], agentsStates: errored })
    const state = session(note('item/started', { turnId: 'turn', item: asked }), item(ended))
    expect(ofType(state, 'tool_use')).toMatchObject([{ input: { agentIds: ['a', 'b'] } }])
  })

  it('does not fail with its agents, but without any', () => {
    const isError = (fields: object) => ofType(session(item(wait(fields))), 'tool_result')[0]?.isError
    expect(isError({ status: 'failed', receiverThreadIds: ['b'], agentsStates: errored })).toBe(false)
    expect(isError({ status: 'failed', receiverThreadIds: [], agentsStates: {} })).toBe(true)
  })
})

it('a failed turn has its error and its code', () => {
  const error = { message: 'full', codexErrorInfo: { contextWindowExceeded: {} } }
  const { state } = readLines(
    ...beginTurn,
    note('turn/completed', { turn: { id: 'turn', status: 'failed', error } }),
  )
  expect(state.turn).toMatchObject({ status: 'failed', error: 'full' })
  expect(ofType(state, 'error')).toMatchObject([{ code: 'context_window_exceeded' }])
})
