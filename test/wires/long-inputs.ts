import { claudeSource } from '../../src/entries/claude.ts'
import { codexSource } from '../../src/entries/codex.ts'
import { copilotSource } from '../../src/entries/copilot.ts'
import { geminiSource } from '../../src/entries/gemini.ts'
import { kimiSource } from '../../src/entries/kimi.ts'
import { opencodeSource } from '../../src/entries/opencode.ts'
import type { Source } from '../../src/reading/source.ts'

/** A session that is as long as one wants. */
export interface LongInput {
  readonly source: Source
  /** The messages come one by one. In the others, one batch has them all: each batch copies the lists of the state that it changes. */
  readonly isLive?: true
  /** The source goes on from the state of the first messages alone. */
  readonly isReopened?: true
  /** The messages that come first, in one batch. */
  readonly before?: (count: number) => readonly unknown[]
  readonly messages: (count: number) => readonly unknown[]
}

export const times = <Item>(count: number, make: (at: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, at) => make(at))
export const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString()

const opencodePart = (id: number, fields: object) => {
  const common = { id: `prt_${`${id}`.padStart(9, '0')}`, sessionID: 'ses_1', messageID: 'msg_1' }
  return { type: 'message.part.updated', properties: { part: { ...common, ...fields } } }
}
const OPENCODE_REPLY = [
  { type: 'session.created', properties: { info: { id: 'ses_1' } } },
  {
    type: 'message.updated',
    properties: { info: { id: 'msg_1', sessionID: 'ses_1', role: 'assistant', time: {} } },
  },
]

const kimiStep = (time: number, event: object) => ({ type: 'context.append_loop_event', time, event })
const kimiCall = (n: number) =>
  kimiStep(n, { type: 'tool.call', toolCallId: `c${n}`, name: 'Bash', stepUuid: 's' })
const kimiResult = (n: number) =>
  kimiStep(n, { type: 'tool.result', toolCallId: `c${n}`, result: { output: 'Done.' } })
const prompted = (time: number, type: 'turn.prompt' | 'context.append_message', words: string) => {
  const message = { role: 'user', content: [{ type: 'text', text: words }], origin: { kind: 'user' } }
  return type === 'turn.prompt'
    ? { type, time, turnId: time, input: message.content, origin: message.origin }
    : { type, time, message }
}

const copilotEvent = (n: number, type: string, data: object) => ({
  type,
  id: `e${n}`,
  timestamp: at(n),
  data,
})

const codexFile = (count: number) => [
  {
    timestamp: at(0),
    type: 'session_meta',
    payload: { id: 't', timestamp: at(0), cwd: '/', cli_version: '1' },
  },
  ...times(count, (n) => {
    const content = [{ type: 'output_text', text: `No ${n}.` }]
    return {
      timestamp: at(n + 1),
      type: 'response_item',
      payload: { type: 'message', role: 'assistant', content },
    }
  }),
]

/** Sessions with many things of one kind: each of them was searched among all others. */
export const MANY_OF_ONE_KIND: Readonly<Record<string, LongInput>> = {
  'steps of one message of OpenCode': {
    source: opencodeSource,
    before: () => OPENCODE_REPLY,
    messages: (count) =>
      times(count, (n) => [
        opencodePart(2 * n, { type: 'step-start' }),
        opencodePart(2 * n + 1, { type: 'step-finish', reason: 'tool-calls', cost: 1 }),
      ]).flat(),
  },
  'retries of one message of OpenCode': {
    source: opencodeSource,
    before: () => OPENCODE_REPLY,
    messages: (count) => times(count, (n) => opencodePart(n, { type: 'retry', attempt: n })),
  },
  'calls of one step of Kimi Code': {
    source: kimiSource,
    before: () => [prompted(0, 'turn.prompt', 'Go'), kimiStep(0, { type: 'step.begin', uuid: 's' })],
    messages: (count) => [...times(count, kimiCall), ...times(count, kimiResult)],
  },
  'prompts of Kimi Code that its context repeats': {
    source: kimiSource,
    messages: (count) =>
      times(count, (n) => [
        prompted(5_000 * n, 'turn.prompt', `Go on, ${n}.`),
        prompted(5_000 * n + 1, 'context.append_message', `Go on, ${n}.`),
      ]).flat(),
  },
  'replies of Copilot that never end': {
    source: copilotSource,
    messages: (count) =>
      times(count, (n) =>
        copilotEvent(n, 'assistant.message_delta', { messageId: `m${n}`, deltaContent: 'Hi' }),
      ),
  },
  'deltas of Copilot behind many notes': {
    source: copilotSource,
    before: (count) => times(count, (n) => copilotEvent(n, 'session.warning', { message: `No ${n}.` })),
    messages: (count) =>
      times(count, (n) =>
        copilotEvent(count + n, 'assistant.message_delta', { messageId: 'm', deltaContent: 'Hi' }),
      ),
  },
  'a file of Codex that is read again behind its state': {
    source: codexSource,
    isReopened: true,
    before: codexFile,
    messages: codexFile,
  },
  'retries of OpenCode while its server is busy': {
    source: opencodeSource,
    before: (count) => [
      ...OPENCODE_REPLY,
      ...times(count, (n) => opencodePart(n, { type: 'text', text: `No ${n}.`, time: { start: 1, end: 2 } })),
    ],
    messages: (count) =>
      times(count, () => {
        const status = { type: 'retry', attempt: 1, next: 1, message: 'Busy' }
        return { type: 'session.status', properties: { sessionID: 'ses_1', status } }
      }),
  },
  'notes of Gemini CLI in one millisecond': {
    source: geminiSource,
    before: () => [{ type: 'init', session_id: 's', model: 'm', timestamp: at(0) }],
    messages: (count) =>
      times(count, (n) => ({ type: 'error', severity: 'warning', message: `No ${n}.`, timestamp: at(1) })),
  },
  'prompts of Claude Code that each rewind to the beginning': {
    source: claudeSource,
    messages: (count) =>
      times(count, (n) => ({
        type: 'user',
        uuid: `u${n}`,
        parentUuid: null,
        sessionId: 's',
        message: { role: 'user', content: `Go on, ${n}.` },
      })),
  },
}
