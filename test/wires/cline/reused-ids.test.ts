import { expect, it } from 'vitest'
import { clineSource } from '../../../src/entries/cline.ts'
import type { SessionConversationState } from '../../../src/entries/index.ts'

// Some servers of models count the calls of each reply anew. Cline 3.0.65 keeps their ids.
const START = Date.UTC(2026, 0, 1)
const timeAt = (second: number) => new Date(START + 1000 * second).toISOString()
const event = (second: number, fields: object) => ({
  ts: timeAt(second),
  type: 'agent_event',
  event: fields,
})
const hook = (second: number, hookEventName: string) => ({
  ts: timeAt(second),
  type: 'hook_event',
  hookEventName,
  agentId: 'a',
  taskId: 't',
  parentAgentId: null,
})
const tool = { contentType: 'tool', toolName: 'run_commands', toolCallId: 'call_0' }
const outputOf = (query: string, success: boolean) => [{ query, result: `${query}!`, success }]
const call = (second: number, command: string, success: boolean) => [
  hook(second, 'tool_call'),
  event(second, { type: 'content_start', ...tool, input: { commands: [command] } }),
  hook(second + 1, 'tool_result'),
  event(second + 1, { type: 'content_end', ...tool, output: outputOf(command, success) }),
  event(second + 1, { type: 'iteration_start', iteration: second }),
]
const stream = [
  hook(1, 'agent_start'),
  ...call(2, 'one', true),
  ...call(4, 'two', false),
  ...call(6, 'three', true),
  event(8, { type: 'content_start', contentType: 'text', text: 'Done.', accumulated: 'Done.' }),
  event(9, { type: 'content_end', contentType: 'text', text: 'Done.' }),
]

const commands = ['one', 'two', 'three']
const file = {
  version: 1,
  sessionId: 's',
  agent: 'lead',
  origin: {},
  messages: [
    { id: 'm0', ts: START + 1000, role: 'user', content: 'Go.' },
    ...commands.flatMap((command, at) => [
      {
        id: `c${at}`,
        ts: START + 1000 * (2 + 2 * at),
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'call_0', name: 'run_commands', input: { commands: [command] } }],
      },
      {
        id: `r${at}`,
        ts: START + 1000 * (3 + 2 * at),
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'call_0',
            name: 'run_commands',
            content: outputOf(command, command !== 'two'),
          },
        ],
      },
    ]),
    { id: 'm9', ts: START + 8000, role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
  ],
}

const shown = ({ blocks }: SessionConversationState) =>
  blocks.flatMap((block) => {
    if (block.type === 'tool_use') return [[block.id, block.status, block.input]]
    return block.type === 'tool_result' || block.type === 'assistant_text' ? [[block.id, block.status]] : []
  })
const WHOLE = commands.flatMap((command, at) => {
  const id = at === 0 ? 'call_0' : `call_0@${at + 1}`
  const status = command === 'two' ? 'error' : 'complete'
  return [
    [id, status, { commands: [command] }],
    [`${id}:result`, status],
  ]
})
const ALL = [...WHOLE, ['call_0@3:0:0', 'complete']]
const read = (messages: readonly unknown[], from = clineSource.open()) =>
  clineSource.read(from, messages).session

it('has each call with an id that the model uses again, live and stored', () => {
  expect(shown(read(stream).state)).toEqual(ALL)
  expect(shown(read([file]).state)).toEqual(ALL)
})

it('has them from any state, and if lines come again', () => {
  for (const cut of stream.keys()) {
    const session = read(stream.slice(0, cut))
    for (const from of [session, clineSource.open(session.state)])
      for (const at of [cut, Math.max(0, cut - 5)])
        expect([cut, at, shown(read(stream.slice(at), from).state)]).toEqual([cut, at, ALL])
  }
})

it('joins the stream to a file at any message', () => {
  for (const end of file.messages.keys()) {
    const stored = read([{ ...file, messages: file.messages.slice(0, end + 1) }])
    expect([end, shown(read(stream, stored).state)]).toEqual([end, ALL])
  }
})
