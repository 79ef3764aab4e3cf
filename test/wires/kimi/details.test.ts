import { expect, it } from 'vitest'
import type { ConversationBlock, SessionConversationState } from '../../../src/entries/index.ts'
import { isKimiMessage } from '../../../src/wires/kimi/format.ts'
import { kimiSource } from '../../../src/wires/kimi/source.ts'

let time = 1_000
const line = (type: string, fields: object = {}, agentId = 'main') => ({
  type,
  agentId,
  time: ++time,
  ...fields,
})
const event = (type: string, fields: object, agentId = 'main') =>
  line('context.append_loop_event', { event: { type, ...fields } }, agentId)
const prompt = (turnId: number, text: string, agentId = 'main') =>
  line(
    'turn.prompt',
    { promptId: `${agentId}${turnId}`, turnId, origin: { kind: 'user' }, input: [{ type: 'text', text }] },
    agentId,
  )
const call = (toolCallId: string, stepUuid: string, name: string, args: object) =>
  event('tool.call', { toolCallId, stepUuid, name, args })
const result = (toolCallId: string, output: string, isError?: boolean) =>
  event('tool.result', { toolCallId, result: { output, isError } })

function read(messages: readonly unknown[]): SessionConversationState {
  const reading = kimiSource.read(kimiSource.open(), messages)
  const { session, issues } = kimiSource.end(reading.session)
  const all = [...reading.issues, ...issues].filter(({ code }) => code !== 'unfinished-subagent')
  expect(all).toEqual([])
  return session.state
}

const idsOf = (blocks: readonly ConversationBlock[]) => blocks.map(({ id }) => id)

// Up to 0.35, a file has no line for the end of a turn (as recordings of 0.10 to 0.28).
it('ends a turn with the answer of the model, if no line ends it', () => {
  const step = (uuid: string, finishReason: string) => [
    event('step.begin', { uuid }),
    event('content.part', { stepUuid: uuid, part: { type: 'text', text: uuid } }),
    event('step.end', { uuid, finishReason }),
  ]
  const statusOf = (...lines: readonly object[]) => read([prompt(0, 'Go.'), ...lines]).turn.status
  expect(statusOf(...step('a', 'end_turn'))).toBe('finished')
  expect(statusOf(...step('a', 'tool_use'))).toBe('interrupted')
  // A hook may let the model go on.
  expect(statusOf(...step('a', 'end_turn'), event('step.begin', { uuid: 'b' }))).toBe('interrupted')
  const ended = line('turn.ended', { turnId: 0, reason: 'failed', error: { message: 'No.' } })
  expect(statusOf(...step('a', 'end_turn'), ended)).toBe('failed')
  const { turn } = kimiSource.read(kimiSource.open(), [
    prompt(0, 'Go.'),
    ...step('a', 'end_turn'),
    prompt(1, 'On.'),
  ]).session.state
  expect(turn.status).toBe('running')
})

it('keeps a call whose id the model uses again', () => {
  const { blocks } = read([
    prompt(0, 'Go.'),
    call('c', 's1', 'Bash', { command: 'one' }),
    result('c', '1'),
    call('c', 's2', 'Bash', { command: 'two' }),
    result('c', '2'),
  ])
  expect(idsOf(blocks)).toEqual(['main0', 'c', 'c:result', 'c@s2', 'c@s2:result'])
})

it('gives two agents with one prompt, and no line for their start, to their calls in order', () => {
  const input = { prompt: 'Look.', description: 'look' }
  const start = (agentId: string) => [
    prompt(0, 'Look.', agentId),
    event('step.begin', { uuid: `s-${agentId}` }, agentId),
  ]
  const { subagents } = read([
    prompt(0, 'Go.'),
    call('a', 's', 'Agent', input),
    call('b', 's', 'Agent', input),
    ...start('agent-0'),
    ...start('agent-1'),
    result(
      'a',
      'agent_id: agent-0\nactual_subagent_type: coder\nstatus: completed\n\n[summary]\nOne.\n\nresume_hint: x',
    ),
    result(
      'b',
      'agent_id: agent-1\nactual_subagent_type: coder\nstatus: failed\n\nsubagent error: No.',
      true,
    ),
  ])
  expect(
    subagents.map(({ toolUseId, agentId, name, status, output }) => [
      toolUseId,
      agentId,
      name,
      status,
      output,
    ]),
  ).toEqual([
    ['a', 'agent-0', 'coder', 'success', 'One.'],
    ['b', 'agent-1', 'coder', 'error', 'No.'],
  ])
})

it('shows a prompt once that names itself only behind the start of its turn', () => {
  const turn = (id: string, text: string) => {
    const content = [{ type: 'text', text }]
    return [
      line('turn.prompt', { origin: { kind: 'user' }, input: content }),
      line('context.append_message', { message: { role: 'user', id, content, origin: { kind: 'user' } } }),
    ]
  }
  const lines = [...turn('m1', 'Go on.'), line('turn.ended', { turnId: 0, reason: 'completed' })]
  time += 5_000
  lines.push(...turn('m2', 'Go on.'))
  const { session } = kimiSource.read(kimiSource.open(), lines)
  expect(session.state.blocks.map((block) => 'content' in block && block.content)).toEqual([
    'Go on.',
    'Go on.',
  ])
  expect(session.state.turn.status).toBe('running')
  const again = kimiSource.read(session, lines.slice(1)).session.state
  expect(again.blocks).toEqual(session.state.blocks)
})

it('leaves a stored session open while it waits for a person', () => {
  const request = { toolName: 'Bash', action: 'Running: ls' }
  const { blocks, turn } = read([
    prompt(0, 'Go.'),
    line('interaction.request', { id: 'r', kind: 'approval', toolCallId: 'c', request }),
  ])
  expect(turn.status).toBe('running')
  expect(blocks.at(-1)).toMatchObject({ id: 'r', status: 'pending', title: 'Bash: Running: ls' })
})

it('counts the lines that an overwritten file loses, if the session has read the file', () => {
  const { blocks } = read([
    prompt(0, 'Go.'),
    call('r', 's', 'Read', { path: 'a.md' }),
    result('r', '1\tone\n2\ttwo'),
    call('w', 's', 'Write', { path: 'a.md', content: 'one\nthree\nfour\n' }),
    result('w', 'Wrote 15 bytes to a.md'),
  ])
  expect(blocks.at(-1)).toMatchObject({ changes: [{ path: 'a.md', kind: 'edit', added: 2, removed: 1 }] })
})

const sent = (type: string, at: number, fields: object, agentId = 'agent-0') => ({
  type,
  session_id: 'x',
  timestamp: new Date(at).toISOString(),
  payload: { type, time: at, agentId, ...fields },
})
const running = [
  prompt(0, 'Go.'),
  call('a', 's', 'Agent', { prompt: 'Look.' }),
  sent('subagent.spawned', 2_000, { subagentId: 'agent-0', parentToolCallId: 'a' }, 'main'),
  sent('turn.step.started', 2_001, { turnId: 0, stepId: 'step' }),
]
const delta = (text: string) => sent('assistant.delta', 2_002, { turnId: 0, delta: text })

it('shows pieces of a text once that come again', () => {
  const messages = [...running, delta('ha'), delta('ha'), delta('!')]
  const { subagents } = read([...messages, ...messages])
  expect(subagents[0]?.blocks.map((block) => 'content' in block && block.content)).toEqual(['haha!'])
})

const answer = (content: string, calls: readonly string[] = []) => ({
  role: 'assistant',
  content,
  tool_calls: calls.map((id) => ({ id, function: { name: 'Bash', arguments: '{}' } })),
})
const version = { role: 'meta', type: 'system.version', version: '2.1.0' }
const lines = [
  version,
  answer('I look at the files.', ['c']),
  { role: 'tool', tool_call_id: 'c', content: 'a.md' },
  answer('There is one file.'),
  answer('The task has ended.'),
]

it.each([0, 1, 2, 3, 4])('shows lines once that come again from line %i on', (from) => {
  const { blocks, turn } = read([...lines, ...lines.slice(from)])
  expect(idsOf(blocks)).toEqual(['line::0:0', 'c', 'c:result', 'line:c:0:0', 'line:c:1:0'])
  expect(turn.status).toBe('finished')
})

// `stream-json` has a result with an image as the JSON of its parts. The state had that JSON, with all bytes, as a text.
it.each([
  [
    'parts with an image',
    [
      { type: 'text', text: 'A picture' },
      { type: 'image_url', imageUrl: { url: 'data:image/png;base64,iVBOR' } },
    ],
    [
      { type: 'text', text: 'A picture' },
      { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'iVBOR' } },
    ],
  ],
  ['JSON that a command has printed', [{ type: 'text', text: 'a' }], '[{"type":"text","text":"a"}]'],
])('reads a result of a line: %s', (_, parts, output) => {
  const result = { role: 'tool', tool_call_id: 'c', content: JSON.stringify(parts) }
  const { blocks } = read([version, answer('I look.', ['c']), result])
  expect(blocks.at(-1)).toMatchObject({ type: 'tool_result', output })
})

it('keeps an answer of few words that the next process repeats', () => {
  const { blocks } = read([version, answer('OK.'), version, answer('OK.')])
  expect(idsOf(blocks)).toEqual(['line::0:0', 'line::1:0'])
})

it.each([
  ['a message of an API', { role: 'assistant', content: 'Hi.', tool_calls: [] }],
  ['the result of an API', { role: 'tool', tool_call_id: 'c', content: 'x' }],
  ['a line with a type of any program', { type: 'turn.ended', time: 1 }],
  ['a line without a time', { type: 'turn.prompt' }],
  ['metadata of another program', { type: 'metadata', version: '1' }],
  ['a rollout of Codex', { type: 'event_msg', payload: { type: 'task_started' } }],
])('does not take %s for a line of Kimi Code', (_, message) => {
  expect(isKimiMessage(message)).toBe(false)
})

it.each([
  [{ errorMessage: 'Overloaded' }, 'Overloaded'],
  [{ error_message: 'Overloaded' }, 'Overloaded'],
  [{ content: 'Overloaded' }, 'Overloaded'],
  [{}, 'The program tries again'],
])('shows that lines report a retry: %j', (fields, message) => {
  const { blocks } = read([version, { role: 'meta', type: 'turn.step.retrying', ...fields }, answer('Done.')])
  expect(blocks).toMatchObject([{ type: 'system', subtype: 'retry', message }, { content: 'Done.' }])
})

it('shows a retry once that comes again, and another one of the same words', () => {
  const retry = (delay_ms: number) => ({
    role: 'meta',
    type: 'turn.step.retrying',
    failed_attempt: 1,
    delay_ms,
  })
  const first = [version, retry(512.25), answer('There is one file.')]
  const { blocks } = read([...first, ...first, retry(603.5), answer('There are two files.')])
  expect(blocks.map(({ type }) => type)).toEqual(['system', 'assistant_text', 'system', 'assistant_text'])
})

it('reports a line of an unknown kind, and goes on', () => {
  const unknown = { role: 'meta', type: 'news' }
  const { session, issues } = kimiSource.read(kimiSource.open(), [version, unknown, answer('Done.')])
  expect(issues).toMatchObject([{ code: 'unknown-message', messageType: 'news' }])
  expect(idsOf(session.state.blocks)).toEqual(['line::0:0'])
})

it('ends the agents of a killed process when the next one begins a turn, also from the state alone', () => {
  const killed = [
    prompt(0, 'Go.'),
    call('a', 's1', 'Agent', { prompt: 'Look.', description: 'look' }),
    line('subagent.spawned', { subagentId: 'agent-0', parentToolCallId: 'a', parentAgentId: 'main' }),
  ]
  const next = prompt(1, 'Again.')
  for (const cut of [1, 2, 3]) {
    const { state } = kimiSource.read(kimiSource.open(), killed.slice(0, cut)).session
    const rest = [...killed.slice(cut), next]
    const joined = kimiSource.read(kimiSource.open(state), rest).session.state
    expect(joined.subagents.map(({ status }) => status)).toEqual(['error'])
  }
})

it('gives a text one id, although the program writes a call again before its result', () => {
  const calls = (...ids: readonly string[]) => ({
    role: 'assistant',
    tool_calls: ids.map((id) => ({ type: 'function', id, function: { name: 'Bash', arguments: '{}' } })),
  })
  const output = (id: string) => ({ role: 'tool', tool_call_id: id, content: id })
  const lines = [calls('a', 'b', 'c'), output('c'), calls('b'), output('a'), output('b')]
  const answer = { role: 'assistant', content: 'That is all of it.' }
  for (const cut of lines.keys()) {
    const { state } = kimiSource.read(kimiSource.open(), lines.slice(0, cut + 1)).session
    const joined = kimiSource.read(kimiSource.open(state), [...lines.slice(cut + 1), answer]).session.state
    expect(joined.blocks.at(-1)?.id).toBe('line:c:0:0')
  }
})

it('has all lines of the report of an agent', () => {
  const report = 'There are two.\n\n- one\r\n- two\n\nThat is all.'
  const start = { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'Agent', arguments: '{}' } }] }
  const outputOf = (end: string) =>
    `agent_id: agent-0\nactual_subagent_type: coder\nstatus: completed\n\n[summary]\n${report}${end}`
  for (const end of ['', '\n\nresume_hint: Continue with Agent(resume="agent-0", prompt="...").']) {
    const { subagents } = read([start, { role: 'tool', tool_call_id: 'a', content: outputOf(end) }])
    expect(subagents).toMatchObject([{ status: 'success', output: report }])
  }
})

// The end of the input shows such an agent, and no message after it named the program.
it('names the program of an agent whose file is the only one', () => {
  const alone = [prompt(0, 'Look.', 'a'), event('step.begin', { uuid: 's' }, 'a')]
  const { state } = kimiSource.end(kimiSource.read(kimiSource.open(), alone).session).session
  expect(state).toMatchObject({ session: { program: 'kimi' }, subagents: [{ agentId: 'a' }] })
})
