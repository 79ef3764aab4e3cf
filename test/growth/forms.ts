import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CombinedTranscript, Source } from '../../src/entries/source-kit.ts'
import type { Architecture } from '../../src/programs/program.ts'
import { entriesIn } from '../../src/reading/input/transcripts.ts'
import { formatOf } from '../../src/wires/all.ts'
import { claudeTranscript } from '../../src/wires/claude/files/session-files.ts'
import { clineTranscript } from '../../src/wires/cline/format.ts'
import { codexTranscript } from '../../src/wires/codex/session-files.ts'
import { copilotTranscript } from '../../src/wires/copilot/format.ts'
import { geminiTranscript } from '../../src/wires/gemini/format.ts'
import { kimiTranscript } from '../../src/wires/kimi/format.ts'
import { opencodeTranscript } from '../../src/wires/opencode/files/session-files.ts'
import { piTranscript } from '../../src/wires/pi/format.ts'
import { qwenTranscript } from '../../src/wires/qwen/format.ts'
import { loadedSourceOf } from '../../src/wires/sources.ts'
import { renewing, sessionIdIn, type Turn } from './renew.ts'

const FIXTURES = 'fixtures'

/** A form of a session that grows: a recorded turn comes again and again. */
export interface GrowingForm {
  readonly name: string
  readonly source: Source
  /** Returns the messages of a session that has about so many bytes of JSON. */
  readonly messagesOf: (bytes: number) => readonly unknown[]
}

interface FormOptions extends Pick<Turn, 'chain' | 'counters'> {
  readonly architecture: Architecture
  readonly name: string
  readonly raw: string | CombinedTranscript
  /** A part of the first message of the turn. The messages before it come once. */
  readonly from: string
  /** The list that grows in a file that is one message. */
  readonly list?: string
  readonly kept?: readonly string[]
}

function form({ architecture, name, raw, from, list, kept = [], ...turn }: FormOptions): GrowingForm {
  const source = loadedSourceOf(architecture)
  const all = [...entriesIn(raw, formatOf(architecture).transcripts)].flatMap((entry) =>
    'message' in entry ? [entry.message] : [],
  )
  const texts = all.map((message) => JSON.stringify(message))
  const own = new Set([...sessionIdIn(all), ...kept])
  const start = texts.findIndex((text) => text.includes(from))
  if (start < 0) throw new RangeError(`${architecture}, ${name}: no message has ${from}`)
  const renewed = renewing({ messages: texts.slice(start), kept: own, ...turn })
  const head = all.slice(0, start)
  return {
    name: `${architecture}, ${name}`,
    source,
    messagesOf(bytes) {
      const turns = turnsOf(renewed, bytes)
      return [...head, ...(list === undefined ? turns.flat() : joined(turns, list))]
    },
  }
}

function turnsOf(renewed: (at: number) => readonly string[], bytes: number): readonly (readonly unknown[])[] {
  const turns: unknown[][] = []
  for (let length = 0; length < bytes; ) {
    const texts = renewed(turns.length)
    for (const text of texts) length += text.length
    turns.push(texts.map((text) => JSON.parse(text)))
  }
  return turns
}

/** Returns the messages of one turn, where each has the lists of all turns. */
function joined(turns: readonly (readonly unknown[])[], list: string): readonly unknown[] {
  const [first = []] = turns
  return first.map((message, at) => ({
    ...Object(message),
    [list]: turns.flatMap((turn) => Object(turn[at])[list] ?? []),
  }))
}

const text = (...path: readonly string[]) => readFileSync(join(FIXTURES, ...path), 'utf8')

/** Returns the files below a folder, by path. */
function files(...path: readonly string[]): Readonly<Record<string, string>> {
  const folder = join(FIXTURES, ...path)
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).sort()
  return Object.fromEntries(paths.map((each) => [each, readFileSync(each, 'utf8')]))
}

/** Lines of a server that speaks AG-UI. No program writes them to a file. */
function agUiLines(): string {
  const run = { threadId: 'thread-1', runId: 'run-00001' }
  const user = { id: 'user-00001', role: 'user', content: 'What is the weather?' }
  const [messageId, toolCallId] = ['message-00001', 'call-00001']
  const events = [
    { type: 'RUN_STARTED', ...run, input: { ...run, messages: [user] } },
    { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
    ...['I ', 'look ', 'it ', 'up.'].map((delta) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta })),
    { type: 'TEXT_MESSAGE_END', messageId },
    { type: 'TOOL_CALL_START', toolCallId, toolCallName: 'weather', parentMessageId: messageId },
    { type: 'TOOL_CALL_ARGS', toolCallId, delta: '{"place":"Bern"}' },
    { type: 'TOOL_CALL_END', toolCallId },
    { type: 'TOOL_CALL_RESULT', messageId: 'result-00001', toolCallId, content: 'Sunny.', role: 'tool' },
    { type: 'RUN_FINISHED', ...run },
  ]
  return events.map((event) => JSON.stringify({ timestamp: 1_767_225_600_000, ...event })).join('\n')
}

/** Lines of an OpenCode bus: a person writes while the model works, and each block of the reply moves before the prompts that wait. */
function waitingLines(): string {
  const sessionID = 'ses_1ffd64081001'
  const id = (kind: string, number: number) => `${kind}_00000000000${number}`
  const event = (type: string, properties: object) => ({ type, properties: { sessionID, ...properties } })
  const message = (number: number, fields: object) =>
    event('message.updated', {
      info: { id: id('msg', number), sessionID, time: { created: 1_795_293_593_846 }, ...fields },
    })
  const part = (number: number, of: number, fields: object) =>
    event('message.part.updated', {
      part: { id: id('prt', number), messageID: id('msg', of), sessionID, ...fields },
    })
  const text = (number: number, of: number) =>
    part(number, of, { type: 'text', text: 'Go on.', time: { start: 1, end: 2 } })
  const call = (number: number, of: number, status: string) =>
    part(number, of, {
      type: 'tool',
      tool: 'bash',
      callID: `call_${number}_of_turn`,
      state: { status, input: { command: 'ls' }, ...(status === 'completed' && { output: 'Done.' }) },
    })
  const reply = (number: number, time: object = {}) =>
    message(number, { role: 'assistant', parentID: id('msg', 1), time })
  const done = { created: 1_795_293_593_900, completed: 1_795_293_594_000 }
  const events = [
    event('session.created', { info: { id: sessionID } }),
    message(1, { role: 'user' }),
    text(1, 1),
    event('session.status', { status: { type: 'busy' } }),
    reply(2),
    message(3, { role: 'user' }),
    text(2, 3),
    ...[3, 4, 5].flatMap((each) => [call(each, 2, 'running'), call(each, 2, 'completed')]),
    text(6, 2),
    reply(2, done),
    event('session.status', { status: { type: 'idle' } }),
  ]
  return events.map((each) => JSON.stringify(each)).join('\n')
}

/** Lines of Cline's stream: the model answers and answers, without a call or a prompt in between. */
function clineTexts(): string {
  const event = (type: string, fields: object) => ({
    ts: '2026-11-25T21:58:23.707Z',
    type: 'agent_event',
    event: { type, ...fields },
  })
  // The number of the turn stands in the text, because a text that is repeated is the same one.
  const content = { contentType: 'text', text: 'Reply of reply-00001.' }
  const events = [
    {
      ts: '2026-11-25T21:58:23.707Z',
      type: 'hook_event',
      hookEventName: 'agent_start',
      agentId: 'agent_1',
      parentAgentId: null,
    },
    event('iteration_start', { iteration: 1, requestId: 'reply-00001' }),
    event('content_start', { ...content, accumulated: content.text }),
    event('content_end', content),
  ]
  return events.map((each) => JSON.stringify(each)).join('\n')
}

const UUID_CHAIN = { parent: 'parentUuid', own: 'uuid' }
const KIMI = ['kimi', '06-subagent-0.43.1'] as const

/** Both forms of each wire: what a program sends, and what it stores. */
export const growingForms: readonly (() => GrowingForm)[] = [
  () =>
    form({
      architecture: 'claude-sdk',
      name: 'stream',
      raw: text('claude-code', '06-nested-forward', 'stream.ndjson'),
      from: '"message_start"',
    }),
  () =>
    form({
      architecture: 'claude-sdk',
      name: 'files',
      raw: claudeTranscript(files('claude-code', '06-nested-forward', 'transcript')),
      from: '"type":"user"',
      chain: UUID_CHAIN,
    }),
  () =>
    form({
      architecture: 'opencode',
      name: 'bus',
      raw: text('opencode', '04-subagent', 'events.ndjson'),
      from: '"message.updated"',
    }),
  () =>
    form({
      architecture: 'opencode',
      name: 'bus with tools',
      raw: text('opencode', '03-tools', 'events.ndjson'),
      from: '"message.updated"',
    }),
  () =>
    form({
      architecture: 'opencode',
      name: 'bus with prompts that wait',
      raw: waitingLines(),
      from: '"message.updated"',
    }),
  () =>
    form({
      architecture: 'opencode',
      name: 'export',
      raw: opencodeTranscript(files('opencode', '03-tools', 'export')),
      from: '',
      list: 'messages',
    }),
  () =>
    form({
      architecture: 'codex',
      name: 'app-server',
      raw: text('codex', '09-subagent-v1', 'app-server.ndjson'),
      from: '"turn/start"',
      counters: ['id'],
    }),
  () =>
    form({
      architecture: 'codex',
      name: 'rollout',
      raw: codexTranscript(files('codex', '09-subagent-v1', 'sessions')),
      from: '"task_started"',
      counters: ['ordinal'],
    }),
  () =>
    form({
      architecture: 'acp',
      name: 'connection',
      raw: text('acp', '07-claude-subagent', 'live.ndjson'),
      from: '"session/prompt"',
      counters: ['id'],
    }),
  () =>
    form({
      architecture: 'acp',
      name: 'load',
      raw: text('acp', '07-claude-subagent', 'load.ndjson'),
      from: '"user_message_chunk"',
      counters: ['id'],
    }),
  () => form({ architecture: 'ag-ui', name: 'stream', raw: agUiLines(), from: '"RUN_STARTED"' }),
  () =>
    form({
      architecture: 'copilot',
      name: 'stream',
      raw: text('copilot', '1.0.42-06-subagent', 'stream.ndjson'),
      from: '"user.message"',
    }),
  () =>
    form({
      architecture: 'copilot',
      name: 'file',
      raw: copilotTranscript(files('copilot', '1.0.42-06-subagent', 'store')),
      from: '"user.message"',
    }),
  () =>
    form({
      architecture: 'pi',
      name: 'stream',
      raw: text('pi', '0.74-06-subagent', 'stream.ndjson'),
      from: '"agent_start"',
    }),
  () =>
    form({
      architecture: 'pi',
      name: 'file',
      raw: piTranscript(files('pi', '0.74-06-subagent', 'store')),
      from: '"model_change"',
      chain: { parent: 'parentId', own: 'id' },
    }),
  () =>
    form({
      architecture: 'gemini',
      name: 'stream',
      raw: text('gemini', '06-subagent', 'stream.ndjson'),
      from: '"user"',
    }),
  () =>
    form({
      architecture: 'gemini',
      name: 'files',
      raw: geminiTranscript(files('gemini', '06-subagent', 'store')),
      from: 'What is in line two? Use',
    }),
  () =>
    form({
      architecture: 'qwen',
      name: 'stream',
      raw: text('qwen', '06-subagent', 'stream.ndjson'),
      from: '"message_start"',
    }),
  () =>
    form({
      architecture: 'qwen',
      name: 'files',
      raw: qwenTranscript(files('qwen', '06-subagent', 'store')),
      from: '"type":"user"',
      chain: UUID_CHAIN,
    }),
  () =>
    form({
      architecture: 'kimi',
      name: 'stream',
      raw: text(...KIMI, 'stream.ndjson'),
      from: '"assistant"',
    }),
  () =>
    form({
      architecture: 'kimi',
      name: 'files',
      raw: kimiTranscript(files(...KIMI, 'store')),
      from: '"turn.prompt"',
      counters: ['turnId'],
      kept: ['main', 'local'],
    }),
  () =>
    form({
      architecture: 'cline',
      name: 'stream',
      raw: text('cline', '06-subagent', 'stream.ndjson'),
      from: '"agent_start"',
    }),
  () =>
    form({
      architecture: 'cline',
      name: 'replies without calls',
      raw: clineTexts(),
      from: '"iteration_start"',
    }),
  () =>
    form({
      architecture: 'cline',
      name: 'files',
      raw: clineTranscript(files('cline', '06-subagent', 'store')),
      from: '',
      list: 'messages',
    }),
]

/** Each batch copies the lists that it changes, so the number of batches is the same for all lengths. */
const BATCHES = 16

/** Reads messages to their end, in batches. Returns the number of blocks of the session. */
export function readGrown({ source }: Pick<GrowingForm, 'source'>, messages: readonly unknown[]): number {
  const size = Math.ceil(messages.length / BATCHES)
  let session = source.open()
  for (let at = 0; at < messages.length; at += size)
    session = source.read(session, messages.slice(at, at + size)).session
  const { state } = source.end(session).session
  return [state, ...state.subagents].reduce((count, { blocks }) => count + blocks.length, 0)
}
