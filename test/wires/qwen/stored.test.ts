import { describe, expect, it } from 'vitest'
import { type SessionConversationState, sessionStatus } from '../../../src/entries/index.ts'
import { qwenSource } from '../../../src/entries/qwen.ts'
import { answers, read, record, says, words } from './lines.ts'

const response = (id: string | undefined, output: string, further: readonly object[] = []) => ({
  type: 'tool_result',
  message: { parts: [{ functionResponse: { id, response: { output } } }, ...further] },
})
const call = (id: string, name: string, args: object) => ({ functionCall: { id, name, args } })
const agentCall = call('a', 'agent', { prompt: 'p', subagent_type: 't', description: 'd' })
const notice = (text: string) => ({
  type: 'user',
  subtype: 'notification',
  provenance: 'system',
  message: { parts: [{ text }] },
  systemPayload: { displayText: 'Background agent "t: d" completed.' },
})
const IMAGE = { mimeType: 'image/png', data: 'AAAA' }

describe('a chat', () => {
  it('has a prompt that looks like a command: no file has one', () => {
    const { state } = read(
      record('1', null, { type: 'user', message: { parts: [{ text: '/review' }] } }),
    ).session
    expect(state.blocks[0]).toMatchObject({ content: '/review', type: 'user_message' })
    expect(state.blocks[0]).not.toHaveProperty('origin')
  })

  // The program hides the tools of servers behind one tool. Its connection of ACP names the tool itself.
  it('has the call of a hidden tool by its own name', () => {
    const args = { name: 'mcp__demo__show', arguments: { word: 'a' } }
    const shown = (input: object) =>
      read(record('1', null, answers([call('c', 'tool_call', input)], 3))).session.state.blocks[0]
    expect(shown(args)).toMatchObject({ toolName: 'mcp__demo__show', input: { word: 'a' } })
    expect(shown({ name: 'x' })).toMatchObject({ toolName: 'tool_call', input: { name: 'x' } })
  })

  it('has calls and results of one time, from a state that has some of them', () => {
    const timestamp = '2026-11-27T10:00:00.000Z'
    const lines = [
      record('1', null, { type: 'user', message: { parts: [{ text: 'Go.' }] } }),
      record('2', '1', answers([call('c', 'read_file', {})], 3)),
      record('3', '2', answers([call('d', 'read_file', {})], 4)),
      record('4', '3', response('c', 'one')),
      record('5', '4', response('d', 'two')),
    ].map((line) => ({ ...line, timestamp }))
    const ids = ({ blocks }: SessionConversationState) => blocks.map(({ id }) => id)
    const whole = ids(qwenSource.read(qwenSource.open(), lines).session.state)
    expect(whole).toEqual(['unnamed:0', 'c', 'd', 'c:result', 'd:result'])
    for (const cut of lines.keys()) {
      const { state } = qwenSource.read(qwenSource.open(), lines.slice(0, cut)).session
      expect(ids(qwenSource.read(qwenSource.open(state), lines.slice(cut)).session.state)).toEqual(whole)
      expect(ids(qwenSource.read(qwenSource.open(state), lines).session.state)).toEqual(whole)
    }
  })

  it('has the result of an agent at the time of another result, from a state that has that one', () => {
    const timestamp = '2026-11-27T10:00:00.000Z'
    const lines = [
      record('1', null, { type: 'user', message: { parts: [{ text: 'Go.' }] } }),
      record('2', '1', answers([call('c', 'read_file', {}), agentCall], 3)),
      record('3', '2', response('c', 'one')),
      record('4', '3', response('a', 'The report.')),
    ].map((line) => ({ ...line, timestamp }))
    for (const cut of lines.keys()) {
      const { state } = qwenSource.read(qwenSource.open(), lines.slice(0, cut)).session
      const { subagents } = qwenSource.read(qwenSource.open(state), lines.slice(cut)).session.state
      expect(subagents).toMatchObject([{ status: 'success', output: 'The report.' }])
    }
  })

  it('leaves out calls and results without an id', () => {
    const { state, notes } = read(
      record('1', null, answers([{ functionCall: { name: 'read_file', args: {} } }], 3)),
      record('2', '1', response(undefined, 'text')),
    ).session
    expect(state.blocks).toEqual([])
    expect(notes).toBeDefined()
  })

  it('joins the pieces of a text and keeps thoughts apart', () => {
    const parts = [{ text: 'Hm.', thought: true }, { text: 'One ' }, { text: 'text.' }]
    const { state } = read(record('1', null, answers(parts, 3))).session
    expect(state.blocks.map(({ type }) => type)).toEqual(['thinking', 'assistant_text'])
    expect(state.blocks.map(words)).toEqual(['Hm.', 'One text.'])
  })

  it('has the images of a prompt', () => {
    const line = JSON.stringify({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
    })
    const broken = '{"type":"image"'
    const contentOf = (parts: readonly object[]) =>
      read(record('1', null, { type: 'user', message: { parts } })).session.state.blocks.map(words)
    const image = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } }
    expect(contentOf([{ text: `Look.\n${line}` }])).toEqual([[{ type: 'text', text: 'Look.' }, image]])
    expect(contentOf([{ text: line }])).toEqual([[image]])
    expect(contentOf([{ text: `Look.\n${broken}` }])).toEqual([`Look.\n${broken}`])
    expect(contentOf([{ inlineData: IMAGE }, { text: 'Look.' }])).toEqual([
      [image, { type: 'text', text: 'Look.' }],
    ])
    expect(contentOf([{ functionCall: { name: 'x' } }])).toEqual([])
  })

  it('ends an agent with the notification of its end', () => {
    const launched = 'Background agent launched successfully.\ntask_id: t-a'
    const text =
      '<task-notification><task-id>t-a</task-id><status>completed</status><result>It&apos;s &lt;b&gt; &amp;amp;.</result></task-notification>'
    const lines = [
      record('1', null, answers([agentCall], 3)),
      record('2', '1', response('a', launched)),
      record('3', '2', notice(text)),
    ]
    expect(read(...lines.slice(0, 2)).session.state.subagents).toMatchObject([
      { status: 'running', agentId: 't-a' },
    ])
    const { state } = read(...lines).session
    expect(state.subagents).toMatchObject([{ status: 'success', output: "It's <b> &amp;." }])
    const other = text.replace('t-a', 't-b')
    expect(read(record('3', null, notice(other))).session.state.subagents).toEqual([])
    const byCall = text.replace('<task-id>t-a</task-id>', '<tool-use-id>a</tool-use-id>')
    expect(
      read(...lines.slice(0, 2), record('3', '2', notice(byCall))).session.state.subagents,
    ).toMatchObject([{ status: 'success' }])
    expect(
      read(record('3', null, notice(text.replace('<task-id>t-a</task-id>', '')))).session.state.subagents,
    ).toEqual([])
  })

  it('shows what the person answered to a question, and what not', () => {
    const questions = [{ header: 'Fruit', multiSelect: true, options: [{ label: 'apple' }] }]
    const asked = call('q', 'ask_user_question', { questions })
    const refused = {
      type: 'tool_result',
      message: {
        parts: [{ functionResponse: { id: 'q', response: { error: '[Operation Cancelled] no' } } }],
      },
      toolCallResult: { callId: 'q', status: 'cancelled' },
    }
    const { state } = read(record('1', null, answers([asked], 3)), record('2', '1', refused)).session
    expect(state.blocks[1]).toMatchObject({ type: 'request', kind: 'question', denied: true })
    const silent = read(
      record('1', null, answers([asked], 3)),
      record('2', '1', response('q', 'None.')),
    ).session
    expect(silent.state.blocks[1]).toMatchObject({ type: 'request', status: 'complete' })
    expect(silent.state.blocks[1]).not.toHaveProperty('answer')
  })

  it('fails with the request of the model, and with that of an agent', () => {
    const failed = (facts: object) => ({
      type: 'system',
      subtype: 'ui_telemetry',
      systemPayload: { uiEvent: { 'event.name': 'qwen-code.api_error', prompt_id: 's###1', ...facts } },
    })
    const main = read(record('1', null, says('user', 'A')), record('2', '1', failed({}))).session.state
    expect(main.turn.status).toBe('failed')
    // Version 0.15 makes such an id for a prompt of `-p`. That of an agent begins with the session.
    const status = (prompt_id: string) =>
      read(record('1', null, says('user', 'A')), record('2', '1', failed({ prompt_id }))).session.state.turn
        .status
    expect(['844dbdd479429', 's#general-purpose-0ydd19#1', 'title'].map(status)).toEqual([
      'failed',
      'running',
      'running',
    ])
    // Version 0.12 has another name for the words.
    const early = read(record('1', null, says('user', 'A')), record('2', '1', failed({ error: '400 no' })))
    expect(early.session.state.turn.error).toBe('400 no')
    const none = read(record('1', null, failed({ subagent_id: 't-x', error_message: '400' }))).session.state
    expect(none.blocks).toEqual([])
  })

  it('shows a record of an unknown type as an issue', () => {
    const { issues } = read(record('1', null, { type: 'other', message: { parts: [] } }))
    expect(issues).toMatchObject([{ code: 'unknown-message' }])
  })

  it('shows a prompt that continues an agent', () => {
    const child = { agentId: 't-a', agentName: 't', isSidechain: true }
    const { state } = read(
      record('1', null, answers([agentCall], 3)),
      record('2', null, { ...child, ...says('user', 'p') }),
      record('3', '1', response('a', 'The report.')),
      record('4', '2', { ...child, ...says('user', 'More') }),
    ).session
    expect(state.subagents).toMatchObject([{ status: 'running' }])
    expect(state.subagents[0]?.blocks.map(words)).toEqual(['p', 'More'])
    const alone = read(record('2', null, { ...child, ...says('user', 'p') })).session
    expect(alone.state.subagents).toMatchObject([{ agentId: 't-a', toolUseId: 'a', name: 't' }])
  })

  it('has no time of a piece whose number is none', () => {
    const piece = { agentId: 't-a', runId: 'r', round: 1, text: 'Half', timestamp: Number.MAX_VALUE }
    const { state } = read(piece).session
    expect(state.subagents[0]?.blocks).toMatchObject([{ content: 'Half' }])
  })

  it('knows the records of a state that comes again by their times', () => {
    const at = (second: number) => ({ timestamp: `2026-11-27T06:00:0${second}.000Z` })
    const two = [call('c', 'read_file', {}), call('d', 'read_file', {})]
    const lines = [
      record('1', null, { ...says('user', 'A'), ...at(1) }),
      record('2', '1', { ...answers(two, 3), ...at(2) }),
      record('3', '2', { ...response('c', 'c'), ...at(3) }),
      record('4', '3', { ...response('d', 'd'), ...at(3) }),
      record('5', '4', { ...answers([{ text: 'Done.' }], 4), ...at(4) }),
    ]
    const whole = read(...lines).session.state
    const cut = qwenSource.open(read(...lines.slice(0, 3)).session.state)
    expect(qwenSource.read(cut, lines).session.state.blocks).toEqual(whole.blocks)
    expect(sessionStatus(qwenSource.end(qwenSource.open(whole)).session.state)).toBe('finished')
  })
})
