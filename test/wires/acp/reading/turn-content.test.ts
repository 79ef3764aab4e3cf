import { describe, expect, it } from 'vitest'
import { todos } from '../../../../src/entries/index.ts'
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
  userText,
} from '../messages.ts'

const inTurn = (...messages: readonly unknown[]) => fold([prompt(1, 'Go.'), ...messages, stop(1)])
const inTurnOf = (program: string, ...messages: readonly unknown[]) =>
  fold([...named(program), prompt(1, 'Go.'), ...messages, stop(1)])
const thought = (messageId: string | undefined, words: string) =>
  update('agent_thought_chunk', { messageId, content: { type: 'text', text: words } })

describe('texts', () => {
  it('have the id of their message and their number, calls included', () => {
    const { state } = inTurn(
      thought('m', '\n\n'),
      thought('m', 'Hm.'),
      text('m', 'A.'),
      call('c'),
      text('m', 'B.'),
    )
    expect(state.blocks.slice(1).map(({ id }) => id)).toEqual(['m:0', 'm:1', 'c', 'm:3'])
  })

  it('may be links, and other content is reported', () => {
    const content = { type: 'resource_link', uri: 'file:///a.md', name: 'a.md' }
    const { state, issues } = inTurn(
      update('agent_message_chunk', { messageId: 'm', content }),
      update('agent_message_chunk', { messageId: 'm', content: { type: 'hologram' } }),
      update('user_message_chunk', { content: {} }),
    )
    expect(shown(state)[1]).toEqual(['assistant_text', 'complete', 'a.md'])
    expect(issues).toEqual([
      'unknown-block agent_message_chunk/hologram',
      'unknown-block user_message_chunk/untyped',
    ])
  })

  it('that come again with an earlier time of the log add nothing', () => {
    const line = (at: number, msg: object) => ({ dir: 'in', at, msg })
    const lines = [
      line(5, text('m', 'A')),
      line(6, text('m', 'B')),
      line(5, text('m', 'A')),
      line(6, text('m', 'C')),
    ]
    expect(shown(fold(lines).state)).toEqual([['assistant_text', 'complete', 'ABC']])
  })
})

describe('other updates', () => {
  it('of plans give todos', () => {
    const entries = [
      { content: 'A', status: 'completed', priority: 'high' },
      { content: 'B', status: 'odd' },
      { status: 'pending' },
    ]
    const list = [
      { text: 'A', status: 'completed' },
      { text: 'B', status: 'pending' },
    ]
    expect(todos(inTurn(update('plan', { entries })).state)).toEqual(list)
    expect(
      todos(inTurn(update('plan_update', { plan: { type: 'items', planId: 'p', entries } })).state),
    ).toEqual(list)
    const content = '- [x] A\n- [ ] B\n1. C\n- [~] D'
    expect(todos(inTurn(update('plan_update', { plan: { type: 'markdown', content } })).state)).toEqual([
      ...list,
      { text: 'C', status: 'pending' },
      { text: 'D', status: 'in_progress' },
    ])
    expect(todos(inTurn(update('plan', { entries }), update('plan_removed', { planId: 'p' })).state)).toEqual(
      [],
    )
    expect(inTurn(update('plan_update', { plan: { type: 'file', uri: 'file:///p' } })).issues).toEqual([])
    expect(inTurn(update('plan_update', { plan: {} })).issues).toEqual(['unknown-block plan_update'])
  })

  it('of compactions give a note and a summary', () => {
    const chunk = (words: string) =>
      update('compaction_summary_chunk', { compactionId: 'k', content: { type: 'text', text: words } })
    const { state } = inTurn(
      chunk('All '),
      chunk('of it.'),
      update('compaction_update', { compactionId: 'k', status: 'completed' }),
      update('compaction_update', { compactionId: 'k', status: 'completed' }),
      chunk('again'),
    )
    expect(state.blocks.slice(1)).toMatchObject([
      { type: 'system', subtype: 'compaction', status: 'complete' },
      { type: 'user_message', id: 'k:summary', origin: 'summary', content: 'All of it.' },
    ])
    const failed = inTurn(
      update('compaction_update', { compactionId: 'k', status: 'in_progress' }),
      update('compaction_update', { compactionId: 'k', status: 'failed', error: 'Too long.' }),
      update('compaction_update', { status: 'failed' }),
      update('compaction_summary_chunk', { compactionId: 'k' }),
    )
    expect(failed.state.blocks.slice(1)).toMatchObject([{ type: 'system', message: 'Too long.' }])
  })

  it('of usage give the context, its limit and the cost', () => {
    const { session } = inTurn(
      update('usage_update', { used: 5, size: 100, cost: { amount: 0.5, currency: 'USD' } }),
      update('usage_update', { used: 7, size: 100, cost: { amount: 9, currency: 'EUR' } }),
    ).state
    expect(session).toMatchObject({ contextTokens: 7, contextWindow: 100, costUsd: 0.5 })
  })

  it('of notices and warnings give notes', () => {
    const { state } = inTurnOf(
      '@agentclientprotocol/codex-acp',
      update('notice', { severity: 'info', title: 'Hello', description: 'there' }),
      update('notice', { title: 'Plain' }),
      update('notice', {}),
      text(undefined, 'Warning: old model.\n\n'),
    )
    expect(state.blocks.slice(1).map((block) => 'message' in block && block.message)).toEqual([
      'Hello\nthere',
      'Plain',
      '',
      'old model.',
    ])
  })

  it('of an unknown kind, or without a session or a call, are reported', () => {
    const bare = { jsonrpc: '2.0', method: 'session/update', params: { update: { sessionUpdate: 'plan' } } }
    expect(inTurn(update('telepathy'), update('tool_call'), bare).issues).toEqual([
      'unknown-block telepathy',
      'unknown-block tool_call',
      'unknown-block session/update',
    ])
  })

  // Its first title is the first prompt, whose own line may be broken.
  it('have the title of the session, and of no other one', () => {
    const titled = (title: unknown, sessionId?: string) =>
      inTurn(update('session_info_update', { title }, sessionId)).state.session.title
    expect(titled('Walk the dog')).toBe('Walk the dog')
    for (const title of ['', 7, undefined]) expect(titled(title)).toBeUndefined()
    expect(titled('x', 'other')).toBeUndefined()
  })

  it('of another session are counted, and its facts are not', () => {
    const { issues } = inTurn(
      text('m', 'x', 'other'),
      update('session_info_update', { title: 'x' }, 'other'),
      { jsonrpc: '2.0', id: 7, method: 'session/prompt', params: { sessionId: 'other', prompt: [] } },
      { jsonrpc: '2.0', id: 8, method: 'session/request_permission', params: { sessionId: 'other' } },
    )
    expect(issues).toEqual([
      'other-session agent_message_chunk',
      'other-session session/prompt',
      'other-session session/request_permission',
    ])
  })

  it('that the protocol knows, and the conversation does not show, add nothing', () => {
    const { state, issues } = inTurn(
      update('available_commands_update', { availableCommands: [] }),
      update('current_mode_update', { currentModeId: 'plan' }),
      request(3, 'fs/read_text_file', { path: '/a' }),
      response(3, { content: 'x' }),
      request(4, 'terminal/create', { command: 'ls' }),
      { jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's' } },
      { jsonrpc: '2.0', method: '_vendor/thing', params: {} },
      { jsonrpc: '2.0', id: 'text', result: null },
      { jsonrpc: '2.0', id: 1, method: 'session/load', params: {} },
      { jsonrpc: '2.0', id: 1, method: 'session/prompt', params: {} },
    )
    expect(state.blocks).toHaveLength(1)
    expect(issues).toEqual([])
    expect(
      inTurn({ jsonrpc: '2.0', method: 'odd/method', params: {} }, { dir: 'in', msg: { method: 'x' } })
        .issues,
    ).toEqual(['unknown-message odd/method', 'unknown-message x'])
  })
})

describe('calls', () => {
  const toolOf = (fields: object, program = 'OpenCode') => {
    const block = inTurnOf(program, call('c', fields)).state.blocks[1]
    return block?.type === 'tool_use' ? block.toolName : block?.type
  }

  it.each<[string, object]>([
    ['Bash', { name: 'Bash' }],
    ['Grep', { _meta: { some: { toolName: 'Grep' } } }],
    ['bash', { title: 'bash', rawInput: { cwd: '/' } }],
    ['bash', { title: 'ls -1', kind: 'execute', rawInput: { command: 'ls -1' } }],
    ['invalid', { title: 'x', rawInput: { tool: 'x', error: 'no such tool' } }],
    ['fetch', { kind: 'fetch' }],
    ['other', { kind: undefined }],
    ['subagent', { kind: 'think', rawInput: { prompt: 'Go.', subagent_type: 'general' } }],
  ])('have the name %s', (name, fields) => {
    expect(toolOf(fields)).toBe(name)
  })

  const resultOf = (fields: object) => {
    const { state } = inTurn(call('c'), callUpdate('c', { status: 'completed', ...fields }))
    const block = state.blocks.find(({ type }) => type === 'tool_result')
    return block?.type === 'tool_result' ? block : undefined
  }
  const content = (...parts: readonly object[]) => ({
    content: parts.map((part) => ({ type: 'content', content: part })),
  })

  it.each<[unknown, object]>([
    ['raw', { rawOutput: 'raw', ...content({ type: 'text', text: 'shown' }) }],
    ['out', { rawOutput: { output: 'out' } }],
    ['why', { rawOutput: { error: 'why' } }],
    [{ exit: 1 }, { rawOutput: { exit: 1 } }],
    ['a\nb', content({ type: 'text', text: 'a' }, { type: 'text', text: 'b' })],
    ['', {}],
    [
      [{ type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'aGk=' } }],
      content({ type: 'image', data: 'aGk=', mimeType: 'image/png' }),
    ],
  ])('have the output %j', (output, fields) => {
    expect(resultOf(fields)?.output).toEqual(output)
  })

  it('have the changes of their diffs', () => {
    const diff = { type: 'diff', path: '/a', oldText: 'one\n', newText: 'two\n' }
    const locations = [{ path: '/a', line: 7 }]
    expect(resultOf({ content: [diff], locations })?.changes).toEqual([
      {
        path: '/a',
        kind: 'edit',
        added: 1,
        removed: 1,
        hunks: [{ oldStart: 7, oldLines: 1, newStart: 7, newLines: 1, lines: ['-one', '+two'] }],
      },
    ])
    const moved = { ...diff, _meta: { kind: 'update', move_path: '/b' } }
    const added = { type: 'diff', path: '/0', newText: 'x\n' }
    expect(resultOf({ content: [moved, added, { type: 'diff' }] })?.changes).toMatchObject([
      { path: '/0', kind: 'add' },
      { path: '/b', kind: 'move', from: '/a' },
    ])
  })

  it('that have ended take facts that they lack, and nothing twice', () => {
    const { state } = inTurn(
      call('c', { status: 'completed' }),
      callUpdate('c', { rawOutput: 'late' }),
      callUpdate('c', { status: 'in_progress', rawOutput: 'later' }),
    )
    expect(state.blocks[2]).toMatchObject({ output: 'late', status: 'complete' })
    const compaction = { _meta: { claudeCode: { toolName: 'compact' } } }
    const note = inTurn(
      call('k', { ...compaction, status: 'completed' }),
      callUpdate('k', { rawOutput: { tokens: 5 } }),
    )
    expect(note.state.blocks[1]).toMatchObject({ type: 'system', data: { tokens: 5 } })
  })
})

describe('agents', () => {
  it('whose work names their call turn the call into an agent', () => {
    const { state } = inTurn(
      call('p', { title: 'Delegate', rawInput: { task: 'x' } }),
      call('c', { _meta: { vendor: { parentToolCallId: 'p' } } }),
      callUpdate('p', { status: 'completed', ...{ rawOutput: 'Done.' } }),
    )
    expect(shown(state).slice(1)).toEqual([['subagent', 'success', 'subagent:p']])
    expect(state.subagents).toMatchObject([{ toolUseId: 'p', status: 'success', output: 'Done.' }])
    expect(shown(state, 'p')).toMatchObject([['tool_use', 'complete', 'c']])
  })

  it('of an unknown call are shown', () => {
    const { state } = fold([prompt(1, 'Go.'), call('c', { _meta: { parentToolUseId: 'p' } })], {
      isOpen: true,
    })
    expect(state.subagents).toMatchObject([{ toolUseId: 'p', status: 'running' }])
  })

  const task = { title: 'task', kind: 'think', rawInput: { prompt: 'Go.', subagent_type: 'general' } }

  it('that fail have the words of the failure', () => {
    const { state } = inTurnOf(
      'OpenCode',
      call('a', task),
      callUpdate('a', { status: 'failed', rawOutput: { error: 'Lost.', metadata: { sessionId: 'ses' } } }),
      call('b', task),
      callUpdate('b', { status: 'failed', rawOutput: [{ type: 'text', text: 'Gone.' }] }),
      call('c', task),
      callUpdate('c', { status: 'failed' }),
    )
    expect(state.subagents.map(({ status, output, agentId }) => [status, output, agentId])).toEqual([
      ['error', 'Lost.', 'ses'],
      ['error', 'Gone.', undefined],
      ['error', undefined, undefined],
    ])
  })

  it('in the background go on until their notification', () => {
    const launched = callUpdate('a', {
      status: 'completed',
      rawOutput: 'Async agent launched successfully.\nagentId: ses',
    })
    const messages = [call('a', task), launched]
    const inTurn = (...each: readonly unknown[]) => inTurnOf('@agentclientprotocol/claude-agent-acp', ...each)
    expect(
      fold([...named('@agentclientprotocol/claude-agent-acp'), prompt(1, 'Go.'), ...messages]),
    ).toMatchObject({
      ending: 'interrupted',
      issues: ['unfinished-subagent'],
    })
    const notification = (status: string) =>
      userText(
        'n',
        `<task-notification><task-id>ses</task-id><status>${status}</status><result>Ok.</result></task-notification>`,
      )
    const [done, failed] = ['completed', 'failed'].map((status) => inTurn(...messages, notification(status)))
    expect(done?.state.subagents).toMatchObject([{ status: 'success', output: 'Ok.' }])
    expect(failed?.state.subagents).toMatchObject([{ status: 'error' }])
    expect(inTurn(userText('n', '<task-notification></task-notification>')).state.subagents).toEqual([])
  })

  const child = (fields: object) => update('subagent_update', { sessionId: 'k', ...fields })
  const toChild = (messageId: string, words: string, sessionId = 'k') =>
    update(
      'session_message',
      { messageId, senderSessionId: 's', recipientSessionId: 'k', content: [{ type: 'text', text: words }] },
      sessionId,
    )

  it('with child sessions run again for a further message', () => {
    const messages = [
      child({ title: 'Look', description: 'general', state: { state: 'running' } }),
      toChild('t1', 'First.'),
      text('m1', 'One.', 'k'),
      child({ state: { state: 'idle', stopReason: 'end_turn' } }),
      child({ state: { state: 'running' } }),
    ]
    expect(inTurn(...messages).state.subagents).toMatchObject([
      { status: 'success', output: 'One.', name: 'general', description: 'Look', prompt: 'First.' },
    ])
    const further = inTurn(
      ...messages,
      toChild('t2', 'Second.'),
      toChild('t2', 'Second.'),
      text('m2', 'Two.', 'k'),
      child({ state: { state: 'idle', stopReason: 'refusal' } }),
    )
    expect(further.state.subagents).toMatchObject([{ status: 'error', output: 'Two.' }])
    expect(shown(further.state, 'k')).toHaveLength(4)
    expect(inTurn(...messages, child({ state: { state: 'idle' } })).issues).toEqual([])
  })

  it('with child sessions fail with the words of their state, or report to their parent', () => {
    const reply = (messageId: string) =>
      update('session_message', {
        messageId,
        senderSessionId: 'k',
        recipientSessionId: 's',
        content: [{ type: 'text', text: 'Report.' }],
      })
    const failed = inTurn(child({}), child({ state: { state: 'idle', error: { message: 'Broke.' } } }))
    expect(failed.state.subagents).toMatchObject([{ status: 'error', output: 'Broke.' }])
    const early = inTurn(child({}), reply('r'), child({ state: { state: 'idle' } }))
    const late = inTurn(child({}), child({ state: { state: 'idle' } }), reply('r'), reply('r2'))
    for (const { state } of [early, late])
      expect(state.subagents).toMatchObject([{ status: 'success', output: 'Report.' }])
    expect(
      inTurn(update('subagent_update', {}), update('session_message', { messageId: 'x' })).state.subagents,
    ).toEqual([])
  })

  it('may have agents of their own, and get messages without a name', () => {
    const inner = update('subagent_update', { sessionId: 'k2', description: 'Look deeper.' }, 'k')
    const { state } = inTurn(
      child({}),
      inner,
      update(
        'session_message',
        { messageId: 'q', senderSessionId: 'k', recipientSessionId: 'k2', content: [] },
        'k2',
      ),
      update('user_message_chunk', { content: { type: 'text', text: 'More.' } }, 'k2'),
      text('m', 'Ok.', 'k2'),
      child({ state: { state: 'idle' } }),
      update('subagent_update', { sessionId: 'k2', state: { state: 'idle' } }, 'k'),
    )
    expect(state.subagents.map(({ parentConversationId }) => parentConversationId)).toEqual(['main', 'k'])
    expect(shown(state, 'k2')).toEqual([
      ['user_message', 'complete', 'More.'],
      ['assistant_text', 'complete', 'Ok.'],
    ])
  })
})

describe('requests', () => {
  const ask = request(5, 'session/request_permission', {
    toolCall: { toolCallId: 'c', title: 'ls' },
    options: [{ optionId: 'yes', name: 'Yes' }, { optionId: 'no', kind: 'reject_once' }, {}],
  })
  const choose = (optionId: string) => response(5, { outcome: { outcome: 'selected', optionId } })
  const requestIn = (...messages: readonly unknown[]) =>
    inTurn(call('c', { name: 'Bash' }), ...messages).state.blocks.find(({ type }) => type === 'request')

  it('for a permission have the person’s answer', () => {
    expect(requestIn(ask, choose('yes'), choose('no'))).toMatchObject({
      title: 'Bash: ls',
      status: 'complete',
      answer: 'yes',
      options: [
        { id: 'yes', label: 'Yes' },
        { id: 'no', label: 'reject_once' },
      ],
    })
    expect(requestIn(ask, ask, choose('no'))).toMatchObject({ answer: 'no', denied: true })
  })

  it('that are cancelled have no answer', () => {
    expect(requestIn(ask, response(5, { outcome: { outcome: 'cancelled' } }))).not.toHaveProperty('answer')
    expect(requestIn(ask)).toMatchObject({ status: 'complete' })
  })

  it('for a call that is over are not shown without an answer', () => {
    const over = callUpdate('c', { status: 'completed' })
    expect(requestIn(over, ask)).toBeUndefined()
    expect(requestIn(over, ask, choose('yes'))).toMatchObject({ answer: 'yes' })
  })

  it('for data have the answer in words', () => {
    const form = request(6, 'elicitation/create', {
      mode: 'form',
      message: 'Name?',
      requestedSchema: { type: 'object' },
    })
    const { state } = inTurn(form, response(6, { action: 'accept', content: { name: 'Ada', age: 5 } }))
    expect(state.blocks[1]).toMatchObject({
      title: 'Name?',
      answer: 'accept',
      comment: 'Ada',
      data: { id: 6, method: 'elicitation/create', params: { requestedSchema: { type: 'object' } } },
    })
    const page = inTurn(
      request(7, 'elicitation/create', { url: 'https://a.example' }),
      response(7, { action: 'decline' }),
    )
    expect(page.state.blocks[1]).toMatchObject({
      title: 'A question',
      denied: true,
      data: { params: { url: 'https://a.example' } },
    })
  })

  it('without an id or a call are no requests, or name the permission', () => {
    const unnamed = { jsonrpc: '2.0', method: 'session/request_permission', params: { sessionId: 's' } }
    expect(inTurn(unnamed).state.blocks).toHaveLength(1)
    const bare = inTurn(request(8, 'session/request_permission', {}))
    expect(bare.state.blocks[1]).toMatchObject({ title: 'permission', options: [] })
  })
})
