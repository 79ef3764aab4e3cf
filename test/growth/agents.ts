import type { Architecture } from '../../src/programs/program.ts'
import { loadedSourceOf } from '../../src/wires/sources.ts'
import { type GrowingForm, nameOf, type Recording, recorded } from './forms.ts'
import { idsIn, renewing } from './renew.ts'

/** The order in which the messages of many agents come. */
export type AgentOrder = 'one by one' | 'at once' | 'never ending'

/** A recorded agent, which comes again and again. */
interface AgentOptions {
  readonly architecture: Architecture
  readonly recording: Recording
  /** A part of the first message about the agent. The messages before it come once. */
  readonly from: string
  /** A part of the last message about the agent. The messages behind it come once. */
  readonly to: string
  /** A part of the first message that ends the agent. */
  readonly end: string
  /** Texts that differ from agent to agent, beside the ids: its prompt, and ids that stand in texts. */
  readonly texts?: readonly string[]
  readonly counters?: readonly string[]
  /** The fields that chain the messages of main. */
  readonly chain?: { readonly parent: string; readonly own: string }
  /** The list that grows in main's file, if a file is one message. Each agent has a file of its own. */
  readonly list?: string
  /** All orders, unless the work of an agent is a part of main's own message. */
  readonly orders?: readonly AgentOrder[]
}

/** A form of a session that grows by its agents. */
export interface AgentForm extends Omit<GrowingForm, 'messagesOf'> {
  readonly orders: readonly AgentOrder[]
  readonly messagesOf: (agents: number, order: AgentOrder) => readonly unknown[]
}

function agentForm(options: AgentOptions): AgentForm {
  const { architecture, recording, from, to, end, texts = [], counters, chain, list } = options
  const messages = recorded(architecture, recording)
  const lines = messages.map((message) => JSON.stringify(message))
  const first = placeOf(lines, from, options)
  const last = lines.findLastIndex((line) => line.includes(to))
  const stop = first + placeOf(lines.slice(first), end, options)
  const kept = new Set([...idsIn(messages.slice(0, first))].filter((id) => !texts.includes(id)))
  const renew = renewing({ messages: lines.slice(first, last + 1), kept, texts, counters })
  const agentsOf = (count: number): readonly (readonly string[])[] =>
    chained(
      Array.from({ length: count }, (_, at) => renew(at)),
      chain,
    )
  return {
    name: nameOf(architecture, recording),
    source: loadedSourceOf(architecture),
    orders:
      options.orders ?? (list === undefined ? ['one by one', 'at once', 'never ending'] : ['one by one']),
    messagesOf(count, order) {
      const agents = agentsOf(count)
      const head = lines.slice(0, first)
      const tail = lines.slice(last + 1)
      if (list !== undefined) return inFiles(head, agents, list)
      const ordered =
        order === 'at once'
          ? (agents[0] ?? []).flatMap((_, at) => agents.flatMap((agent) => agent[at] ?? []))
          : agents.flatMap((agent) => (order === 'one by one' ? agent : agent.slice(0, stop - first)))
      return [...head, ...ordered, ...tail].map((line): unknown => JSON.parse(line))
    },
  }
}

function placeOf(lines: readonly string[], part: string, { architecture, recording }: AgentOptions): number {
  const place = lines.findIndex((line) => line.includes(part))
  if (place < 0) throw new RangeError(`${nameOf(architecture, recording)}: no message has ${part}`)
  return place
}

/** Main's first message of each agent follows the last one of the agent before. */
function chained(
  agents: readonly (readonly string[])[],
  chain: AgentOptions['chain'],
): readonly (readonly string[])[] {
  if (!chain) return agents
  const field = (line: string, name: string) => new RegExp(`"${name}":"([^"]+)"`).exec(line)?.[1]
  const parent = agents[0]?.map((line) => field(line, chain.parent)).find((id) => id !== undefined)
  return agents.map((agent, at) => {
    const before = agents[at - 1]?.map((line) => field(line, chain.own)).findLast((id) => id !== undefined)
    if (before === undefined) return agent
    return agent.map((line) => line.replace(`"${chain.parent}":"${parent}"`, `"${chain.parent}":"${before}"`))
  })
}

/** Main's file with the lists of all agents' calls, and the files of the agents. */
function inFiles(
  head: readonly string[],
  agents: readonly (readonly string[])[],
  list: string,
): readonly unknown[] {
  const parsed = agents.map((agent) => agent.map((line) => Object(JSON.parse(line))))
  const main = { ...parsed[0]?.[0], [list]: parsed.flatMap(([first]) => first?.[list] ?? []) }
  return [...head.map((line): unknown => JSON.parse(line)), main, ...parsed.flatMap(([, ...files]) => files)]
}

const update = (fields: object, sessionId = 'session-1') => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId, update: fields },
})

/** ACP with a session for each agent. */
const ACP_SESSIONS: readonly object[] = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'session/prompt',
    params: { sessionId: 'session-1', prompt: [{ type: 'text', text: 'Go.' }] },
  },
  update({ sessionUpdate: 'tool_call', toolCallId: 'call-00001', title: 'Part', status: 'in_progress' }),
  update({
    sessionUpdate: 'tool_call_update',
    toolCallId: 'call-00001',
    content: [{ type: 'session', sessionId: 'child-00001' }],
  }),
  update({ sessionUpdate: 'subagent_update', sessionId: 'child-00001', state: { state: 'running' } }),
  update(
    {
      sessionUpdate: 'agent_message_chunk',
      messageId: 'message-00001',
      content: { type: 'text', text: 'Done.' },
    },
    'child-00001',
  ),
  update({ sessionUpdate: 'subagent_update', sessionId: 'child-00001', state: { state: 'idle' } }),
  update({ sessionUpdate: 'tool_call_update', toolCallId: 'call-00001', status: 'completed' }),
]

const AG_UI_RUN = { threadId: 'thread-1', runId: 'run-00001' }
const AG_UI_AGENT = { subagentRunId: 'agent-00001' }
const AG_UI: readonly object[] = [
  { type: 'RUN_STARTED', ...AG_UI_RUN },
  { type: 'TOOL_CALL_START', toolCallId: 'call-00001', toolCallName: 'agent' },
  { type: 'TOOL_CALL_ARGS', toolCallId: 'call-00001', delta: '{"prompt":"Look."}' },
  { type: 'TOOL_CALL_END', toolCallId: 'call-00001' },
  { type: 'SUBAGENT_STARTED', ...AG_UI_AGENT, parentToolCallId: 'call-00001', name: 'helper' },
  { type: 'TEXT_MESSAGE_START', ...AG_UI_AGENT, messageId: 'message-00001', role: 'assistant' },
  { type: 'TEXT_MESSAGE_CONTENT', ...AG_UI_AGENT, messageId: 'message-00001', delta: 'Seen.' },
  { type: 'TEXT_MESSAGE_END', ...AG_UI_AGENT, messageId: 'message-00001' },
  { type: 'SUBAGENT_FINISHED', ...AG_UI_AGENT, result: { files: 2 } },
  {
    type: 'TOOL_CALL_RESULT',
    messageId: 'result-00001',
    toolCallId: 'call-00001',
    content: 'Seen.',
    role: 'tool',
  },
  { type: 'RUN_FINISHED', ...AG_UI_RUN },
]

const UUID_CHAIN = { parent: 'parentUuid', own: 'uuid' }
const CALL = 'call_b5bc160b3d116efe9e1b'
const CLAUDE_CALL = 'toolu_01fc4psJjWnrXp8cRbGpQkeu'
const CLAUDE_PROMPT = 'Inspect the file src/add.js and say what it exports.'

/** The agents of each wire and each form (what a program sends, and what it stores): the recording, then `from`, `to` and `end`. */
const AGENTS: readonly (readonly [
  Architecture,
  Recording,
  readonly [from: string, to: string, end: string],
  Partial<AgentOptions>?,
])[] = [
  [
    'claude-sdk',
    'claude-code/04-subagent-forward/stream.ndjson',
    ['"message_start"', CLAUDE_CALL, '"task_updated"'],
    { texts: [CLAUDE_PROMPT] },
  ],
  [
    'claude-sdk',
    'claude-code/04-subagent-forward/transcript',
    ['msg_01xp1aDGxKMmPSQMhNzbSazM', CLAUDE_CALL, '"msg_01RiR5MHjR4MjQ11yjxcY8xi"'],
    { texts: [CLAUDE_PROMPT], chain: UUID_CHAIN },
  ],
  [
    'claude-sdk',
    'claude-code-2.0.77/04b-subagent-default/transcript',
    ['"tool_use"', '"tool_result"', '"toolUseResult"'],
    { chain: UUID_CHAIN },
  ],
  ['opencode', 'opencode/04-subagent/events.ndjson', ['"tool":"task"', '"tool":"task"', '"session.idle"']],
  ['opencode', 'opencode/04-subagent/export', ['"info"', '"info"', '"info"'], { list: 'messages' }],
  ['codex', 'codex/09-subagent-v1/app-server.ndjson', ['"spawnAgent"', '"closeAgent"', '"turn/completed"']],
  [
    'codex',
    'codex/09b-subagent-v2/app-server.ndjson',
    ['"subAgentActivity"', '"tool":"wait"', '"turn/completed"'],
  ],
  [
    'codex',
    'codex/09b-subagent-v2/sessions',
    ['fc_6f6d284547f2502d', '"type":"agent_message"', '"task_complete"'],
    { counters: ['ordinal'] },
  ],
  [
    'acp',
    'acp/07-claude-subagent/live.ndjson',
    ['toolu_01LjvsoGQpHFqYoqvw6Jxvc9', 'toolu_01LjvsoGQpHFqYoqvw6Jxvc9', '"status":"completed","prompt"'],
  ],
  ['acp', { name: 'sessions', messages: ACP_SESSIONS }, ['"tool_call"', '"completed"', '"idle"']],
  ['acp', 'acp/36-codex-subagent/live.ndjson', ['"tool_call"', '"tool_call_update"', '"tool_call_update"']],
  [
    'ag-ui',
    { name: 'stream', messages: AG_UI },
    ['"TOOL_CALL_START"', '"TOOL_CALL_RESULT"', '"SUBAGENT_FINISHED"'],
  ],
  [
    'copilot',
    'copilot/1.0.42-06-subagent/stream.ndjson',
    ['"assistant.message_start"', CALL, '"subagent.completed"'],
  ],
  ['copilot', 'copilot/1.0.42-06-subagent/store', [CALL, CALL, '"subagent.completed"']],
  [
    'pi',
    'pi/0.74-06-subagent/stream.ndjson',
    ['"role":"assistant","content":[]', '"toolResults":[{', '"tool_execution_end"'],
  ],
  [
    'pi',
    'pi/0.74-06-subagent/store',
    ['call_133f73d1030f27ba833a0', 'call_133f73d1030f27ba833a0', '"toolResult"'],
    { chain: { parent: 'parentId', own: 'id' }, orders: ['one by one'] },
  ],
  ['gemini', 'gemini/06-subagent/stream.ndjson', ['"tool_use"', '"tool_result"', '"tool_result"']],
  [
    'gemini',
    'gemini/06-subagent/store',
    ['b780d158-4c59-4ac6-b1ad-0ee7abe825c7', 'invoke_agent__fc_b5bc160b3d116efe9e1b', '"summary"'],
  ],
  [
    'qwen',
    'qwen/06-subagent/stream.ndjson',
    ['"message_start"', CALL, 'e570a1dc-36eb-4d6e-aa66-0684cfabf74d'],
  ],
  [
    'qwen',
    'qwen/06-subagent/store',
    [CALL, CALL, '9348296a-ca22-4648-8b60-13263af990fb'],
    { chain: UUID_CHAIN },
  ],
  [
    'kimi',
    'kimi/06-subagent-0.43.1/stream.ndjson',
    ['call_1_1', 'call_1_1', '"tool"'],
    { texts: ['agent-0'] },
  ],
  [
    'kimi',
    'kimi/06-subagent-0.43.1/store',
    ['081c3676-1425-4774-a315-e3671504011a', '081c3676-1425-4774-a315-e3671504011a', '"agent.turn.ended"'],
    { texts: ['agent-0'] },
  ],
  // No line names its agent, so each piece of a text still asks all agents that wait for the model: the cost is
  // 1.5 times as high among 144 agents at once, and quadratic if agents never end.
  [
    'cline',
    'cline/06-subagent/stream.ndjson',
    ['call_1_1', 'call_1_1', '"agent_end"'],
    { orders: ['one by one'] },
  ],
  ['cline', 'cline/06-subagent/store', ['"messages"', '"messages"', '"messages"'], { list: 'messages' }],
  [
    'vibe',
    'vibe/01-agent/store',
    ['Jj1kk2ll3', '00000000-0000-4000-8000-000000000023', '00000000-0000-4000-8000-000000000023'],
    { texts: ['Find the broad ladder.'] },
  ],
  ['droid', 'droid/03-agent/stream.ndjson', ['"tool_call"', '"tool_result"', '"tool_result"']],
  [
    'droid',
    'droid/05-background/store',
    ['"tool_use"', 'task-completion:c4693c91', 'task-completion:c4693c91'],
    { chain: { parent: 'parentId', own: 'id' } },
  ],
  [
    'antigravity',
    'antigravity/01-agents/store',
    ['invoke_subagent', '"SYSTEM_MESSAGE"', '"SYSTEM_MESSAGE"'],
    {
      texts: [
        '00000000-0000-4000-8000-000000000921',
        '00000000-0000-4000-8000-000000000922',
        'Count the mills.',
        'Count the ladders.',
      ],
    },
  ],
  [
    'hermes',
    'hermes/01-tools/store/rows.jsonl',
    ['delegate_task', 'ASYNC DELEGATION', 'ASYNC DELEGATION'],
    { counters: ['id'] },
  ],
]

export const agentForms: readonly AgentForm[] = AGENTS.map(
  ([architecture, recording, [from, to, end], more]) =>
    agentForm({ architecture, recording, from, to, end, ...more }),
)
