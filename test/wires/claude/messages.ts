import { createInitialConversationState, foldSessionEvents } from '../../../src/entries/index.ts'
import type { CombinedTranscript } from '../../../src/reading/input/combined.ts'
import { claudeSource } from '../../../src/wires/claude/source.ts'
import { messagesOf } from '../messages-in.ts'
import { isSourceIssue, type Replayed, replay } from '../recordings.ts'

/** A message of the program, in the shape that FORMATS.md describes. */
export type Message = Readonly<Record<string, unknown>>

const MODEL = 'claude-opus-5-5'

/** Reads messages as a stream. A message without a `uuid` gets one, because the program gives one to each line. */
export function readStream(...messages: readonly Message[]): Replayed {
  return replay(toText(withUuids(messages)))
}

/** Reads messages as a stream that goes on: the state before the end of the input. */
export function readOpenStream(...messages: readonly Message[]): Replayed {
  return readOpen(withUuids(messages))
}

/** Returns the state before the end of the input, with the ending and all issues. */
function readOpen(messages: readonly unknown[]): Replayed {
  const { session, events, issues } = claudeSource.read(claudeSource.open(), messages)
  const { ending, issues: last } = claudeSource.end(session)
  const { issues: reducerIssues } = foldSessionEvents(createInitialConversationState(), events)
  const all = [...issues, ...last].filter(isSourceIssue).map(({ index: _, ...issue }) => issue)
  return { state: session.state, events, issues: all, reducerIssues, ending }
}

/** A subagent's file and its meta file. */
export interface AgentFile {
  readonly meta?: Message
  readonly lines: readonly Message[]
}

/**
 * Reads a session's own file and those of its subagents, by agent id. Main writes a line every ten seconds; a subagent
 * begins after main's second one.
 */
export function readFiles(
  main: readonly Message[],
  subagents: Readonly<Record<string, AgentFile>> = {},
): Replayed {
  return replay(combine(main, subagents))
}

/** Reads files that still grow: the state before the end of the input. */
export function readOpenFiles(
  main: readonly Message[],
  subagents: Readonly<Record<string, AgentFile>> = {},
): Replayed {
  return readOpen(messagesOf('claude-sdk', combine(main, subagents)))
}

function combine(
  main: readonly Message[],
  subagents: Readonly<Record<string, AgentFile>>,
): CombinedTranscript {
  return {
    main: toText(main.map((line, at) => ({ uuid: `main-${at}`, timestamp: time(at * 10), ...onDisk(line) }))),
    subagents: Object.entries(subagents).map(([id, { meta, lines }]) => ({
      id,
      transcript: toText(lines.map((line, at) => ({ uuid: `${id}-${at}`, ...ofAgent(id, line, at) }))),
      ...(meta && { meta: JSON.stringify(meta) }),
    })),
  }
}

function ofAgent(agentId: string, line: Message, at: number): Message {
  return { timestamp: time(11 + at), ...onDisk(line), isSidechain: true, agentId }
}

export function withUuids(messages: readonly Message[]): readonly Message[] {
  return messages.map((message, at) => ({ uuid: `line-${at}`, ...message }))
}

export function toText(messages: readonly unknown[]): string {
  return messages.map((message) => `${JSON.stringify(message)}\n`).join('')
}

/** The same message as a line of a file, which has other names for the common fields. */
function onDisk({ session_id, parent_tool_use_id, ...message }: Message): Message {
  return { sessionId: 'session', cwd: '/srv/demo', version: '2.1.330', isSidechain: false, ...message }
}

/** Returns the time `second` seconds after the session's start. */
function time(second: number): string {
  return new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString()
}

const STREAM_FIELDS = { session_id: 'session', parent_tool_use_id: null }

/** A model message's line: one content block. Early snapshots in the stream have no stop reason. */
export function assistantMessage(
  messageId: string,
  part: unknown,
  fields: Message = {},
  message: Message = {},
): Message {
  const body = {
    id: messageId,
    role: 'assistant',
    model: MODEL,
    stop_reason: null,
    content: [part],
    // Each message of the API states its tier, which shows that the program is Claude Code.
    usage: { service_tier: 'standard' },
    ...message,
  }
  return { type: 'assistant', message: body, ...STREAM_FIELDS, ...fields }
}

export const text = (text: string): Message => ({ type: 'text', text })
export const thinking = (thinking: string): Message => ({ type: 'thinking', thinking, signature: 'c2ln' })
export const toolUse = (id: string, name = 'Bash', input: Message = { command: 'ls' }): Message => ({
  type: 'tool_use',
  id,
  name,
  input,
})
export const agentCall = (id: string, input: Message = {}): Message =>
  toolUse(id, 'Agent', {
    description: 'Look',
    prompt: `Do ${id}.`,
    subagent_type: 'general-purpose',
    ...input,
  })

export const modelSays = (id: string, words: string, fields?: Message): Message =>
  assistantMessage(id, text(words), fields)
/** The last text of a turn. */
export const modelAnswers = (id: string, words: string, fields?: Message): Message =>
  assistantMessage(id, text(words), fields, endTurn)
export const modelCalls = (id: string, ...call: Parameters<typeof toolUse>): Message =>
  assistantMessage(id, toolUse(...call))
export const modelLaunches = (id: string, ...call: Parameters<typeof agentCall>): Message =>
  assistantMessage(id, agentCall(...call))

/** A message of the person or the program to the model. */
export function userMessage(content: unknown, fields: Message = {}): Message {
  return { type: 'user', message: { role: 'user', content }, ...STREAM_FIELDS, ...fields }
}

export function toolResult(
  toolUseId: string,
  content: unknown,
  fields: Message = {},
  part: Message = {},
): Message {
  return userMessage([{ type: 'tool_result', tool_use_id: toolUseId, content, ...part }], fields)
}

/** Marks a line of the stream as one of a subagent. */
export const fromSubagent = (toolUseId: string, agentId?: string): Message => ({
  parent_tool_use_id: toolUseId,
  ...(agentId !== undefined && { agent_id: agentId }),
})

export function system(subtype: string, fields: Message = {}): Message {
  return { type: 'system', subtype, session_id: 'session', ...fields }
}

export const init: Message = system('init', {
  cwd: '/srv/demo',
  model: MODEL,
  tools: ['Task', 'Bash'],
  claude_code_version: '2.1.330',
})

/** The program's event for an agent's start. */
export function taskStarted(agentId: string, toolUseId: string, fields: Message = {}): Message {
  return system('task_started', {
    task_id: agentId,
    run_id: `${agentId}-run`,
    tool_use_id: toolUseId,
    description: 'Look',
    subagent_type: 'general-purpose',
    is_backgrounded: false,
    spawn_depth: 1,
    task_type: 'local_agent',
    prompt: `Do ${toolUseId}.`,
    ...fields,
  })
}

export function taskUpdated(agentId: string, status: string, fields: Message = {}): Message {
  return system('task_updated', { task_id: agentId, run_id: `${agentId}-run`, patch: { status }, ...fields })
}

export function taskNotified(agentId: string, toolUseId: string, fields: Message = {}): Message {
  return system('task_notification', {
    task_id: agentId,
    run_id: `${agentId}-run`,
    tool_use_id: toolUseId,
    status: 'completed',
    summary: 'Report.',
    usage: { total_tokens: 10, tool_uses: 0, duration_ms: 900 },
    ...fields,
  })
}

/** The tool's record in the result of a foreground agent's call. Only main's results have it. */
export function completedRecord(agentId: string, report: string, fields: Message = {}): Message {
  return {
    status: 'completed',
    agentId,
    agentType: 'general-purpose',
    content: [{ type: 'text', text: report }],
    totalDurationMs: 1000,
    ...fields,
  }
}

/** The tool's record in the result of a background agent's call, and the text for the model. */
export const launchedRecord = (agentId: string): Message => ({
  isAsync: true,
  status: 'async_launched',
  agentId,
})
export const LAUNCH_TEXT =
  'Async agent launched successfully.\nagentId: a1 (internal ID - do not mention to user.)'

/** The report as the program frames it for the model. */
export function framedReport(agentId: string, report: string): readonly Message[] {
  const framed = `[Subagent hand-back] The report follows:\n${report.replace(/^/gm, '  ')}`
  return [
    text(`${framed}\nagentId: ${agentId} (use SendMessage)\n<usage>tool_uses: 1\nduration_ms: 301</usage>`),
  ]
}

/** A background agent's report as a line of main's file. */
export function taskNotificationMessage(agentId: string, toolUseId: string, fields: Message = {}): Message {
  const { status = 'completed', summary, result = 'Report.', ...others } = fields
  return userMessage(
    [
      `<task-notification>\n<task-id>${agentId}</task-id>\n<tool-use-id>${toolUseId}</tool-use-id>`,
      `<status>${status}</status>${summary === undefined ? '' : `\n<summary>${summary}</summary>`}`,
      `<result>${result}</result>`,
      '<usage><duration_ms>900</duration_ms></usage>\n</task-notification>',
    ].join('\n'),
    { origin: { kind: 'task-notification', runId: `${agentId}-run` }, ...others },
  )
}

/** One event of a message that streams. */
export function streamEvent(messageId: string, event: Message, fields: Message = {}): Message {
  return { type: 'stream_event', event, ...STREAM_FIELDS, api_message_id: messageId, ...fields }
}

export function messageStart(messageId: string, usage: Message = {}): Message {
  return streamEvent(messageId, {
    type: 'message_start',
    message: { id: messageId, role: 'assistant', model: MODEL, stop_reason: null, usage, content: [] },
  })
}

export const blockStart = (messageId: string, index: number, block: Message): Message =>
  streamEvent(messageId, { type: 'content_block_start', index, content_block: block })
export const blockDelta = (messageId: string, index: number, delta: Message): Message =>
  streamEvent(messageId, { type: 'content_block_delta', index, delta })
export const textDelta = (messageId: string, index: number, text: string): Message =>
  blockDelta(messageId, index, { type: 'text_delta', text })
export const blockStop = (messageId: string, index: number): Message =>
  streamEvent(messageId, { type: 'content_block_stop', index })
export const messageDelta = (messageId: string, stopReason: string | null, usage: Message = {}): Message =>
  streamEvent(messageId, { type: 'message_delta', delta: { stop_reason: stopReason }, usage })

/** The end of a message. With an index, it retracts the blocks from there on. */
export function messageStop(messageId: string, abandonedFrom?: number): Message {
  const abandoned_blocks = { api_message_id: messageId, from_block_index: abandonedFrom }
  return streamEvent(
    messageId,
    { type: 'message_stop' },
    abandonedFrom === undefined ? {} : { abandoned_blocks },
  )
}

export function turnResult(fields: Message = {}): Message {
  return {
    type: 'result',
    subtype: 'success',
    is_error: false,
    terminal_reason: 'completed',
    session_id: 'session',
    ...fields,
  }
}

/** The fields of a model message that is the final answer. */
export const endTurn: Message = { stop_reason: 'end_turn' }
export const finalAnswer: Message = assistantMessage('m1', text('Done.'), {}, endTurn)
export const interruptionMessage: Message = userMessage([text('[Request interrupted by user]')])
export const abortedResult: Message = turnResult({
  subtype: 'error_during_execution',
  is_error: true,
  terminal_reason: 'aborted_streaming',
})
