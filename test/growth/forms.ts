import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Source } from '../../src/entries/source-kit.ts'
import type { Architecture } from '../../src/programs/program.ts'
import { combineFiles } from '../../src/reading/input/transcript-files.ts'
import { entriesIn } from '../../src/reading/input/transcripts.ts'
import { formatOf } from '../../src/wires/all.ts'
import { loadedSourceOf } from '../../src/wires/sources.ts'
import { renewing, sessionIdIn, type Turn } from './renew.ts'

/** A form of a session that grows: a recorded turn comes again and again. */
export interface GrowingForm {
  readonly name: string
  readonly source: Source
  /** Returns the messages of a session that has about so many bytes of JSON. */
  readonly messagesOf: (bytes: number) => readonly unknown[]
}

interface FormOptions extends Pick<Turn, 'chain' | 'counters'> {
  readonly architecture: Architecture
  readonly recording: Recording
  /** A part of the first message of the turn. The messages before it come once. */
  readonly from: string
  /** The list that grows in a file that is one message. */
  readonly list?: string
  readonly kept?: readonly string[]
}

function form({ architecture, recording, from, list, kept = [], ...turn }: FormOptions): GrowingForm {
  const source = loadedSourceOf(architecture)
  const all = recorded(architecture, recording)
  const texts = all.map((message) => JSON.stringify(message))
  const own = new Set([...sessionIdIn(all), ...kept])
  const start = texts.findIndex((text) => text.includes(from))
  if (start < 0) throw new RangeError(`${nameOf(architecture, recording)}: no message has ${from}`)
  const renewed = renewing({ messages: texts.slice(start), kept: own, ...turn })
  const head = all.slice(0, start)
  return {
    name: nameOf(architecture, recording),
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

/** A file with messages, the folder of a session's files, or made messages. */
export type Recording = string | { readonly name: string; readonly messages: readonly object[] }

export function nameOf(architecture: Architecture, recording: Recording): string {
  return `${architecture}, ${typeof recording === 'string' ? recording : recording.name}`
}

export function recorded(architecture: Architecture, recording: Recording): readonly unknown[] {
  if (typeof recording !== 'string') return recording.messages
  const { files, transcripts } = formatOf(architecture)
  const place = join('fixtures', recording)
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

/** Lines of a server that speaks AG-UI. No program writes them to a file. */
function agUiLines(): readonly object[] {
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
  return events.map((event) => ({ timestamp: 1_767_225_600_000, ...event }))
}

/** Lines of an OpenCode bus: a person writes while the model works, and each block of the reply moves before the prompts that wait. */
function waitingLines(): readonly object[] {
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
  return events
}

/** Lines of Cline's stream: the model answers and answers, without a call or a prompt in between. */
function clineTexts(): readonly object[] {
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
  return events
}

const UUID_CHAIN = { parent: 'parentUuid', own: 'uuid' }

/** Both forms of each wire (what a program sends, and what it stores): the recording, then `from`. */
const FORMS: readonly (readonly [Architecture, Recording, from: string, Partial<FormOptions>?])[] = [
  ['claude-sdk', 'claude-code/06-nested-forward/stream.ndjson', '"message_start"'],
  ['claude-sdk', 'claude-code/06-nested-forward/transcript', '"type":"user"', { chain: UUID_CHAIN }],
  ['opencode', 'opencode/04-subagent/events.ndjson', '"message.updated"'],
  ['opencode', 'opencode/03-tools/events.ndjson', '"message.updated"'],
  ['opencode', { name: 'bus with prompts that wait', messages: waitingLines() }, '"message.updated"'],
  ['opencode', 'opencode/03-tools/export', '', { list: 'messages' }],
  ['codex', 'codex/09-subagent-v1/app-server.ndjson', '"turn/start"', { counters: ['id'] }],
  ['codex', 'codex/09-subagent-v1/sessions', '"task_started"', { counters: ['ordinal'] }],
  ['acp', 'acp/07-claude-subagent/live.ndjson', '"session/prompt"', { counters: ['id'] }],
  ['acp', 'acp/07-claude-subagent/load.ndjson', '"user_message_chunk"', { counters: ['id'] }],
  ['ag-ui', { name: 'stream', messages: agUiLines() }, '"RUN_STARTED"'],
  ['copilot', 'copilot/1.0.42-06-subagent/stream.ndjson', '"user.message"'],
  ['copilot', 'copilot/1.0.42-06-subagent/store', '"user.message"'],
  ['pi', 'pi/0.74-06-subagent/stream.ndjson', '"agent_start"'],
  ['pi', 'pi/0.74-06-subagent/store', '"model_change"', { chain: { parent: 'parentId', own: 'id' } }],
  ['gemini', 'gemini/06-subagent/stream.ndjson', '"user"'],
  ['gemini', 'gemini/06-subagent/store', 'What is in line two? Use'],
  ['qwen', 'qwen/06-subagent/stream.ndjson', '"message_start"'],
  ['qwen', 'qwen/06-subagent/store', '"type":"user"', { chain: UUID_CHAIN }],
  ['kimi', 'kimi/06-subagent-0.43.1/stream.ndjson', '"assistant"'],
  [
    'kimi',
    'kimi/06-subagent-0.43.1/store',
    '"turn.prompt"',
    { counters: ['turnId'], kept: ['main', 'local'] },
  ],
  ['cline', 'cline/06-subagent/stream.ndjson', '"agent_start"'],
  ['cline', { name: 'replies without calls', messages: clineTexts() }, '"iteration_start"'],
  ['cline', 'cline/06-subagent/store', '', { list: 'messages' }],
]

export const growingForms: readonly GrowingForm[] = FORMS.map(([architecture, recording, from, more]) =>
  form({ architecture, recording, from, ...more }),
)

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
