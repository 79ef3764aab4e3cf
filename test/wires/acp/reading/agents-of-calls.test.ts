import { describe, expect, it } from 'vitest'
import { sessionStatus } from '../../../../src/entries/index.ts'
import { acpSource } from '../../../../src/wires/acp/source.ts'
import {
  call,
  callUpdate,
  fold,
  named,
  prompt,
  request,
  response,
  shown,
  stop,
  text,
  update,
} from '../messages.ts'

const inTurn = (...messages: readonly unknown[]) => fold([prompt(1, 'Go.'), ...messages, stop(1)])
const inTurnOf = (program: string, ...messages: readonly unknown[]) =>
  fold([...named(program), prompt(1, 'Go.'), ...messages, stop(1)])

describe('a child session that the content of a call names', () => {
  const names = (...ids: readonly string[]) => ids.map((sessionId) => ({ type: 'session', sessionId }))
  const child = (sessionId: string, state: string, parent?: string) =>
    update('subagent_update', { sessionId, title: 'Part', state: { state } }, parent)
  const agents = (messages: readonly unknown[]) => inTurn(...messages).state.subagents
  const started = call('c', { title: 'Part', status: 'in_progress' })
  const link = callUpdate('c', { content: names('k') })
  const done = [child('k', 'idle'), callUpdate('c', { status: 'completed' })]
  const own = { toolUseId: 'c', agentId: 'k', parentConversationId: 'main', status: 'success', output: 'Ok.' }

  it.each([
    ['before its announcement', [started, link, child('k', 'running'), text('m', 'Ok.', 'k'), ...done]],
    ['after its announcement', [started, child('k', 'running'), link, text('m', 'Ok.', 'k'), ...done]],
    [
      'after its first text',
      [started, child('k', 'running'), text('m', 'O', 'k'), link, text('m', 'k.', 'k'), ...done],
    ],
    [
      'after its end',
      [started, child('k', 'running'), text('m', 'Ok.', 'k'), child('k', 'idle'), link, ...done],
    ],
    ['in the call itself', [call('c', { content: names('k') }), text('m', 'Ok.', 'k'), ...done]],
    [
      'without an announcement',
      [started, link, text('m', 'Ok.', 'k'), callUpdate('c', { status: 'completed' })],
    ],
    [
      'that ends after its call',
      [started, child('k', 'running'), link, done[1], text('m', 'Ok.', 'k'), done[0]],
    ],
  ])('is the agent of the call: %s', (_, messages) => {
    const { state, issues } = inTurn(...messages)
    expect(state.subagents).toMatchObject([own])
    expect(shown(state, 'c')).toEqual([['assistant_text', 'complete', 'Ok.']])
    expect(shown(state).slice(1)).toEqual([['subagent', 'success', 'subagent:c']])
    expect(issues).toEqual([])
  })

  it('has its last text as its report, if the call ends with an image alone', () => {
    const image = [{ type: 'content', content: { type: 'image', data: 'AA==', mimeType: 'image/png' } }]
    const ended = callUpdate('c', { status: 'completed', content: [...names('k'), ...image] })
    expect(agents([started, link, text('m', 'Ok.', 'k'), ended])).toMatchObject([own])
  })

  it('may have children of its own', () => {
    const nested = [
      call('d', { status: 'in_progress' }, 'k'),
      child('k2', 'running', 'k'),
      callUpdate('d', { content: names('k2') }, 'k'),
      text('n', 'Deep.', 'k2'),
      child('k2', 'idle', 'k'),
      callUpdate('d', { status: 'completed' }, 'k'),
    ]
    const before = agents([started, child('k', 'running'), link, ...nested, ...done])
    const after = agents([started, child('k', 'running'), ...nested, link, ...done])
    for (const found of [before, after])
      expect(found).toMatchObject([
        { toolUseId: 'c', parentConversationId: 'main' },
        { toolUseId: 'd', parentConversationId: 'c', output: 'Deep.' },
      ])
  })

  it('is an agent beside the first one of the call', () => {
    const found = agents([
      started,
      callUpdate('c', { content: names('k', 'k2') }),
      text('m', 'Two.', 'k2'),
      child('k2', 'idle'),
      ...done,
    ])
    expect(found).toMatchObject([
      { toolUseId: 'c', agentId: 'k' },
      { toolUseId: 'k2', parentConversationId: 'main', output: 'Two.' },
    ])
  })

  it('of main itself, or of another call, changes nothing', () => {
    expect(agents([callUpdate('c', { content: names('s', '') })])).toEqual([])
    expect(agents([started, link, call('d', { content: names('k') }), ...done])).toMatchObject([
      { toolUseId: 'c', agentId: 'k' },
      { toolUseId: 'd' },
    ])
  })
})

describe('an agent of Claude Code in the background', () => {
  const CLAUDE = '@agentclientprotocol/claude-agent-acp'
  const meta = (facts: object) => ({ _meta: { claudeCode: { toolName: 'Agent', ...facts } } })
  const input = { description: 'Look', prompt: 'Look.', subagent_type: 'general-purpose' }
  const start = (id: string) => call(id, { kind: 'think', rawInput: input, ...meta({}) })
  const launch = (id: string) =>
    callUpdate(id, meta({ toolResponse: { isAsync: true, status: 'async_launched', agentId: `a${id}` } }))
  const answer = (id: string) =>
    callUpdate(id, {
      status: 'completed',
      rawOutput: [{ type: 'text', text: `Async agent launched successfully.\nagentId: a${id}` }],
    })
  const work = (id: string, of: string) =>
    call(id, {
      status: 'completed',
      rawOutput: 'x',
      _meta: { claudeCode: { toolName: 'Bash', parentToolUseId: of } },
    })
  const begin = (id: string, of: string) =>
    call(id, { _meta: { claudeCode: { toolName: 'Bash', parentToolUseId: of } } })
  const notified = update('usage_update', {
    used: 1,
    size: 2,
    _meta: { '_claude/origin': { kind: 'task-notification' } },
  })
  const launched = ['a', 'b'].flatMap((id) => [start(id), launch(id), answer(id)])

  it('is over also if its call has no result', () => {
    const { state, ending } = inTurnOf(CLAUDE, start('a'), launch('a'))
    expect(state.subagents).toMatchObject([{ status: 'success' }])
    expect([ending, sessionStatus(state)]).toEqual(['finished', 'finished'])
  })

  it('is over with its notification, one after the other', () => {
    const messages = [...named(CLAUDE), prompt(1, 'Go.'), ...launched]
    const statusesAfter = (...more: readonly unknown[]) =>
      fold([...messages, ...more], { isOpen: true }).state.subagents.map(({ status }) => status)
    expect(statusesAfter()).toEqual(['running', 'running'])
    expect(statusesAfter(notified)).toEqual(['success', 'running'])
    expect(statusesAfter(notified, notified)).toEqual(['success', 'success'])
  })

  it('is over with the answer after a reopening, too', () => {
    const { state } = acpSource.read(acpSource.open(), [
      ...named(CLAUDE),
      prompt(1, 'Go.'),
      ...launched,
    ]).session
    const { session } = acpSource.read(acpSource.open(state), [stop(1)])
    expect(session.state.subagents.map(({ status }) => status)).toEqual(['success', 'success'])
  })

  it('runs again if it works after the answer', () => {
    const messages = [...named(CLAUDE), prompt(1, 'Go.'), ...launched, stop(1)]
    const { state } = fold([...messages, begin('w', 'b')], { isOpen: true })
    expect(state.subagents.map(({ status }) => status)).toEqual(['success', 'running'])
    expect(sessionStatus(state)).toBe('background')
    expect(
      sessionStatus(fold([...messages, begin('w', 'b'), work('w', 'b'), notified], { isOpen: true }).state),
    ).toBe('finished')
  })
})

describe('a call of an MCP tool in Codex', () => {
  const read = (rawInput: object, end: object) => {
    const { server, tool } = { server: '', tool: '', ...rawInput }
    const { state } = inTurnOf(
      '@agentclientprotocol/codex-acp',
      call('c', {
        kind: 'execute',
        title: `mcp.${server}.${tool}`,
        rawInput,
        _meta: { is_mcp_tool_call: true },
      }),
      callUpdate('c', { status: 'completed', ...end }),
    )
    return state.blocks.slice(1)
  }
  const result = (...content: readonly unknown[]) => ({
    rawOutput: { result: { content, structuredContent: null }, error: null },
  })
  const part = (words: string) => ({ type: 'text', text: words })

  it.each([
    ['without arguments', { server: 's', tool: 't' }, result(part('Ok.')), 'mcp__s__t', {}, 'Ok.'],
    [
      'with dots in its name',
      { server: 'a.b', tool: 'c.d', arguments: { n: 1 } },
      result(part('Ok.')),
      'mcp__a.b__c.d',
      { n: 1 },
      'Ok.',
    ],
    [
      'with several parts',
      { server: 's', tool: 't', arguments: {} },
      result(part('A'), part('B')),
      'mcp__s__t',
      {},
      'A\nB',
    ],
    [
      'with an image',
      { server: 's', tool: 't' },
      result({ type: 'image' }),
      'mcp__s__t',
      {},
      [{ type: 'image' }],
    ],
    [
      'with an error',
      { server: 's', tool: 't' },
      { status: 'failed', rawOutput: { result: null, error: { message: 'No.' } } },
      'mcp__s__t',
      {},
      'No.',
    ],
    [
      'with nothing',
      { server: 's', tool: 't' },
      { rawOutput: { result: null, error: null } },
      'mcp__s__t',
      {},
      '',
    ],
  ])('%s has its own name, input and output', (_, rawInput, end, toolName, input, output) => {
    expect(read(rawInput, end)).toMatchObject([{ toolName, input }, { output }])
  })
})

describe('a call whose permission', () => {
  const ask = (id: number, toolCallId: string) =>
    request(id, 'session/request_permission', {
      toolCall: { toolCallId },
      options: [
        { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
        { optionId: 'cancel', name: 'No', kind: 'reject_once' },
      ],
    })
  const choose = (id: number, optionId: string) =>
    response(id, { outcome: { outcome: 'selected', optionId } })
  const cancelled = (id: number) => response(id, { outcome: { outcome: 'cancelled' } })
  const statuses = (...messages: readonly unknown[]) =>
    fold([prompt(1, 'Go.'), ...messages]).state.blocks.flatMap((block) =>
      block.type === 'tool_use' ? block.status : [],
    )
  const asked = [
    call('a'),
    ask(5, 'a'),
    choose(5, 'yes'),
    callUpdate('a', { status: 'completed' }),
    call('b'),
    ask(6, 'b'),
  ]

  it('is asked for has the input of the request, also before its own updates', () => {
    const toolCall = { toolCallId: 'b', kind: 'execute', rawInput: { command: 'ls' }, status: 'pending' }
    const asks = request(6, 'session/request_permission', { toolCall, options: [] })
    const inputs = (...messages: readonly unknown[]) =>
      fold([prompt(1, 'Go.'), ...messages]).state.blocks.flatMap((block) =>
        block.type === 'tool_use' ? [block.input] : [],
      )
    const [known, full] = [call('b'), call('b', { rawInput: { command: 'ls -l' } })]
    expect(inputs(known, asks)).toEqual([{ command: 'ls' }])
    expect(inputs(call('b', { rawInput: {} }), asks)).toEqual([{ command: 'ls' }])
    expect(inputs(asks)).toEqual([{ command: 'ls' }])
    expect(inputs(asks, known)).toEqual([{ command: 'ls' }])
    expect(inputs(full, asks)).toEqual([{ command: 'ls -l' }])
  })

  it('was denied or cancelled has failed, with or without a further update', () => {
    expect(statuses(...asked, choose(6, 'cancel'), stop(1, 'cancelled'))).toEqual(['complete', 'error'])
    expect(statuses(...asked, cancelled(6), stop(1, 'cancelled'))).toEqual(['complete', 'error'])
    expect(statuses(...asked, choose(6, 'cancel'), stop(1))).toEqual(['complete', 'error'])
    expect(statuses(...asked, stop(1, 'cancelled'))).toEqual(['complete', 'error'])
    expect(statuses(...asked, choose(6, 'cancel'), callUpdate('b', { status: 'failed' }), stop(1))).toEqual([
      'complete',
      'error',
    ])
    expect(statuses(...asked, choose(6, 'yes'), stop(1))).toEqual(['complete', 'complete'])
  })
})
