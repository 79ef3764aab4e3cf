import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Architecture } from '../../src/programs/program.ts'
import { combineFiles } from '../../src/reading/input/transcript-files.ts'
import { entriesIn } from '../../src/reading/input/transcripts.ts'
import { formatOf } from '../../src/wires/all.ts'
import { loadedSourceOf } from '../../src/wires/sources.ts'
import type { GrowingForm } from './forms.ts'
import { idsIn, renewing } from './renew.ts'

const FIXTURES = 'fixtures'

/** The order in which the messages of many agents come. */
export type AgentOrder = 'one by one' | 'at once' | 'never ending'

/** A recorded agent, which comes again and again. */
interface AgentOptions {
  readonly architecture: Architecture
  readonly name: string
  /** A recording: a file with messages, or the folder of a session's files. Made messages have no file. */
  readonly recording: string | readonly object[]
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
  const { architecture, name, recording, from, to, end, texts = [], counters, chain, list } = options
  const messages = typeof recording === 'string' ? recorded(architecture, recording) : recording
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
    name: `${architecture}, ${name}`,
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

function placeOf(lines: readonly string[], part: string, { architecture, name }: AgentOptions): number {
  const place = lines.findIndex((line) => line.includes(part))
  if (place < 0) throw new RangeError(`${architecture}, ${name}: no message has ${part}`)
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

function recorded(architecture: Architecture, path: string): readonly unknown[] {
  const { files, transcripts } = formatOf(architecture)
  const place = join(FIXTURES, path)
  const raw = statSync(place).isFile()
    ? readFileSync(place, 'utf8')
    : combineFiles(filesIn(place), (paths, reader) => files.transcripts(paths.filter(files.isPart), reader))
  return [...entriesIn(raw, transcripts)].flatMap((entry) => ('message' in entry ? [entry.message] : []))
}

function filesIn(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(paths.sort().map((each) => [each, readFileSync(each, 'utf8')]))
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

/** The agents of each wire and each form: what a program sends, and what it stores. */
export const agentForms: readonly (() => AgentForm)[] = [
  () =>
    agentForm({
      architecture: 'claude-sdk',
      name: 'stream',
      recording: 'claude-code/04-subagent-forward/stream.ndjson',
      from: '"message_start"',
      to: CLAUDE_CALL,
      end: '"task_updated"',
      texts: [CLAUDE_PROMPT],
    }),
  () =>
    agentForm({
      architecture: 'claude-sdk',
      name: 'files',
      recording: 'claude-code/04-subagent-forward/transcript',
      from: 'msg_01xp1aDGxKMmPSQMhNzbSazM',
      to: CLAUDE_CALL,
      end: '"msg_01RiR5MHjR4MjQ11yjxcY8xi"',
      texts: [CLAUDE_PROMPT],
      chain: UUID_CHAIN,
    }),
  () =>
    agentForm({
      architecture: 'claude-sdk',
      name: 'files of 2.0.77',
      recording: 'claude-code-2.0.77/04b-subagent-default/transcript',
      from: '"tool_use"',
      to: '"tool_result"',
      end: '"toolUseResult"',
      chain: UUID_CHAIN,
    }),
  () =>
    agentForm({
      architecture: 'opencode',
      name: 'bus',
      recording: 'opencode/04-subagent/events.ndjson',
      from: '"tool":"task"',
      to: '"tool":"task"',
      end: '"session.idle"',
    }),
  () =>
    agentForm({
      architecture: 'opencode',
      name: 'export',
      recording: 'opencode/04-subagent/export',
      from: '"info"',
      to: '"info"',
      end: '"info"',
      list: 'messages',
    }),
  () =>
    agentForm({
      architecture: 'codex',
      name: 'app-server, the older agents',
      recording: 'codex/09-subagent-v1/app-server.ndjson',
      from: '"spawnAgent"',
      to: '"closeAgent"',
      end: '"turn/completed"',
    }),
  () =>
    agentForm({
      architecture: 'codex',
      name: 'app-server',
      recording: 'codex/09b-subagent-v2/app-server.ndjson',
      from: '"subAgentActivity"',
      to: '"tool":"wait"',
      end: '"turn/completed"',
    }),
  () =>
    agentForm({
      architecture: 'codex',
      name: 'rollout',
      recording: 'codex/09b-subagent-v2/sessions',
      from: 'fc_6f6d284547f2502d',
      to: '"type":"agent_message"',
      end: '"task_complete"',
      counters: ['ordinal'],
    }),
  () =>
    agentForm({
      architecture: 'acp',
      name: 'calls',
      recording: 'acp/07-claude-subagent/live.ndjson',
      from: 'toolu_01LjvsoGQpHFqYoqvw6Jxvc9',
      to: 'toolu_01LjvsoGQpHFqYoqvw6Jxvc9',
      end: '"status":"completed","prompt"',
    }),
  () =>
    agentForm({
      architecture: 'acp',
      name: 'sessions',
      recording: ACP_SESSIONS,
      from: '"tool_call"',
      to: '"completed"',
      end: '"idle"',
    }),
  () =>
    agentForm({
      architecture: 'acp',
      name: 'activities of Codex',
      recording: 'acp/36-codex-subagent/live.ndjson',
      from: '"tool_call"',
      to: '"tool_call_update"',
      end: '"tool_call_update"',
    }),
  () =>
    agentForm({
      architecture: 'ag-ui',
      name: 'stream',
      recording: AG_UI,
      from: '"TOOL_CALL_START"',
      to: '"TOOL_CALL_RESULT"',
      end: '"SUBAGENT_FINISHED"',
    }),
  () =>
    agentForm({
      architecture: 'copilot',
      name: 'stream',
      recording: 'copilot/1.0.42-06-subagent/stream.ndjson',
      from: '"assistant.message_start"',
      to: CALL,
      end: '"subagent.completed"',
    }),
  () =>
    agentForm({
      architecture: 'copilot',
      name: 'file',
      recording: 'copilot/1.0.42-06-subagent/store',
      from: CALL,
      to: CALL,
      end: '"subagent.completed"',
    }),
  () =>
    agentForm({
      architecture: 'pi',
      name: 'stream',
      recording: 'pi/0.74-06-subagent/stream.ndjson',
      from: '"role":"assistant","content":[]',
      to: '"toolResults":[{',
      end: '"tool_execution_end"',
    }),
  () =>
    agentForm({
      architecture: 'pi',
      name: 'file',
      recording: 'pi/0.74-06-subagent/store',
      from: 'call_133f73d1030f27ba833a0',
      to: 'call_133f73d1030f27ba833a0',
      end: '"toolResult"',
      chain: { parent: 'parentId', own: 'id' },
      orders: ['one by one'],
    }),
  () =>
    agentForm({
      architecture: 'gemini',
      name: 'stream',
      recording: 'gemini/06-subagent/stream.ndjson',
      from: '"tool_use"',
      to: '"tool_result"',
      end: '"tool_result"',
    }),
  () =>
    agentForm({
      architecture: 'gemini',
      name: 'files',
      recording: 'gemini/06-subagent/store',
      from: 'b780d158-4c59-4ac6-b1ad-0ee7abe825c7',
      to: 'invoke_agent__fc_b5bc160b3d116efe9e1b',
      end: '"summary"',
    }),
  () =>
    agentForm({
      architecture: 'qwen',
      name: 'stream',
      recording: 'qwen/06-subagent/stream.ndjson',
      from: '"message_start"',
      to: CALL,
      end: 'e570a1dc-36eb-4d6e-aa66-0684cfabf74d',
    }),
  () =>
    agentForm({
      architecture: 'qwen',
      name: 'files',
      recording: 'qwen/06-subagent/store',
      from: CALL,
      to: CALL,
      end: '9348296a-ca22-4648-8b60-13263af990fb',
      chain: UUID_CHAIN,
    }),
  () =>
    agentForm({
      architecture: 'kimi',
      name: 'stream',
      recording: 'kimi/06-subagent-0.43.1/stream.ndjson',
      from: 'call_1_1',
      to: 'call_1_1',
      end: '"tool"',
      texts: ['agent-0'],
    }),
  () =>
    agentForm({
      architecture: 'kimi',
      name: 'files',
      recording: 'kimi/06-subagent-0.43.1/store',
      from: '081c3676-1425-4774-a315-e3671504011a',
      to: '081c3676-1425-4774-a315-e3671504011a',
      end: '"agent.turn.ended"',
      texts: ['agent-0'],
    }),
  () =>
    agentForm({
      architecture: 'cline',
      name: 'stream',
      recording: 'cline/06-subagent/stream.ndjson',
      from: 'call_1_1',
      to: 'call_1_1',
      end: '"agent_end"',
      // No line names its agent, so each piece of a text still asks all agents that wait for the model: the cost is
      // 1.5 times as high among 144 agents at once, and quadratic if agents never end.
      orders: ['one by one'],
    }),
  () =>
    agentForm({
      architecture: 'cline',
      name: 'files',
      recording: 'cline/06-subagent/store',
      from: '"messages"',
      to: '"messages"',
      end: '"messages"',
      list: 'messages',
    }),
  () =>
    agentForm({
      architecture: 'vibe',
      name: 'files',
      recording: 'vibe/01-agent/store',
      from: 'Jj1kk2ll3',
      to: '00000000-0000-4000-8000-000000000023',
      end: '00000000-0000-4000-8000-000000000023',
      texts: ['Find the broad ladder.'],
    }),
  () =>
    agentForm({
      architecture: 'droid',
      name: 'stream',
      recording: 'droid/03-agent/stream.ndjson',
      from: '"tool_call"',
      to: '"tool_result"',
      end: '"tool_result"',
    }),
  () =>
    agentForm({
      architecture: 'droid',
      name: 'files',
      recording: 'droid/05-background/store',
      from: '"tool_use"',
      to: 'task-completion:c4693c91',
      end: 'task-completion:c4693c91',
      chain: { parent: 'parentId', own: 'id' },
    }),
  () =>
    agentForm({
      architecture: 'antigravity',
      name: 'files',
      recording: 'antigravity/01-agents/store',
      from: 'invoke_subagent',
      to: '"SYSTEM_MESSAGE"',
      end: '"SYSTEM_MESSAGE"',
      texts: [
        '00000000-0000-4000-8000-000000000921',
        '00000000-0000-4000-8000-000000000922',
        'Count the mills.',
        'Count the ladders.',
      ],
    }),
  () =>
    agentForm({
      architecture: 'hermes',
      name: 'rows',
      recording: 'hermes/01-tools/store/rows.jsonl',
      from: 'delegate_task',
      to: 'ASYNC DELEGATION',
      end: 'ASYNC DELEGATION',
      counters: ['id'],
    }),
]
