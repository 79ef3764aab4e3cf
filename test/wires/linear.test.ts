import { expect, it } from 'vitest'
import type { Source } from '../../src/session/source.ts'
import { clineSource } from '../../src/wires/cline/index.ts'
import { codexSource } from '../../src/wires/codex/index.ts'
import { copilotSource } from '../../src/wires/copilot/index.ts'
import { opencodeSource } from '../../src/wires/opencode/index.ts'
import { qwenSource } from '../../src/wires/qwen/index.ts'
import { countVisits } from '../visits.ts'
import { beginTurn, note } from './codex/made-lines.ts'
import { answers, delta, init, record, reply, says, start, text } from './qwen/lines.ts'

interface Long {
  readonly source: Source
  /** The messages come one by one. In the others, one batch has them all: each batch copies the lists of the state that it changes. */
  readonly isLive?: true
  /** The messages that come first, in one batch. */
  readonly before?: (count: number) => readonly unknown[]
  readonly messages: (count: number) => readonly unknown[]
}

const times = <Item>(count: number, make: (at: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, at) => make(at))
const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString()

const clineEvent = (type: string, fields: object, ms = 0) => ({
  ts: at(ms),
  type: 'agent_event',
  event: { type, ...fields },
})

const SESSIONS: Readonly<Record<string, Long>> = {
  'lines of Cline in one millisecond': {
    source: clineSource,
    messages: (count) => times(count, (n) => clineEvent('notice', { message: `${n}` })),
  },
  'replies of Cline with their tokens': {
    source: clineSource,
    messages: (count) =>
      times(count, (n) => {
        const [content, call] = [
          { contentType: 'text', text: 'Hi' },
          { contentType: 'tool', toolCallId: `c${n}` },
        ]
        return [
          clineEvent('content_start', { ...content, accumulated: 'Hi' }, 5 * n),
          clineEvent('usage', { inputTokens: 5, totalInputTokens: 5 * (n + 1) }, 5 * n + 1),
          clineEvent('content_end', content, 5 * n + 2),
          clineEvent('content_start', { ...call, toolName: 'run_commands', input: {} }, 5 * n + 3),
          clineEvent('content_end', { ...call, toolName: 'run_commands', output: 'Done.' }, 5 * n + 4),
        ]
      }).flat(),
  },
  'deltas of Copilot in one millisecond': {
    source: copilotSource,
    messages: (count) =>
      times(count, (n) => ({
        type: 'assistant.message_delta',
        id: `d${n}`,
        timestamp: at(0),
        data: { messageId: 'm', deltaContent: 'a' },
      })),
  },
  'deltas of Codex in one millisecond': {
    source: codexSource,
    messages: (count) => [
      ...beginTurn,
      ...times(count, (n) => note('item/agentMessage/delta', { itemId: 'm', delta: `${n} ` }, 1)),
    ],
  },
  'threads of Codex whose messages come early': {
    source: codexSource,
    messages: (count) => [
      ...beginTurn,
      ...times(count, (n) => [
        note('turn/started', { threadId: `t${n}`, turn: { id: `u${n}`, rootTurnId: `u${n}` } }),
        note('item/agentMessage/delta', { itemId: 'm', delta: `${n} ` }),
      ]).flat(),
    ],
  },
  'other sessions of a server of OpenCode': {
    source: opencodeSource,
    isLive: true,
    before: () => [{ type: 'session.created', properties: { info: { id: 'ses_main' } } }],
    messages: (count) =>
      times(count, (n) => [
        { type: 'message.updated', properties: { info: { id: `m${n}`, sessionID: `s${n}`, role: 'user' } } },
        { type: 'session.updated', properties: { info: { id: `s${n}` } } },
      ]).flat(),
  },
  'ends of agents of Copilot whose calls have other results': {
    source: copilotSource,
    messages: (count) =>
      times(count, (n) => ({
        type: 'subagent.completed',
        id: `e${n}`,
        timestamp: at(n),
        agentId: `a${n}`,
        data: { toolCallId: `c${n}`, agentName: 'task' },
      })),
  },
  'a stream of Qwen Code behind a large file': {
    source: qwenSource,
    before: (count) => [
      record('p', null, says('user', 'Go on')),
      ...times(count, (n) =>
        record(`r${n}`, n === 0 ? 'p' : `r${n - 1}`, answers([{ text: `Reply ${n}.` }], n + 1)),
      ),
    ],
    messages: (count) => [
      init,
      ...times(count, (n) => [
        start(),
        delta('Reply'),
        delta(` ${n}.`),
        reply([text(`Reply ${n}.`)], n + 1),
      ]).flat(),
    ],
  },
  'a long reply in such a stream': {
    source: qwenSource,
    before: (count) => [
      record('p', null, says('user', 'Go on')),
      ...times(count, (n) =>
        record(`r${n}`, n === 0 ? 'p' : `r${n - 1}`, answers([{ text: `No ${n}.` }], n + 1)),
      ),
      record('last', `r${count - 1}`, answers([{ text: 'a'.repeat(count) }], 5)),
    ],
    messages: (count) => [init, start(), ...times(count, () => delta('a'))],
  },
}

// Each of them visited or copied a list that grew with the input, for each message.
it.each(Object.entries(SESSIONS))('%s cost the same each', (_, { source, isLive, before, messages }) => {
  const visitsOf = (count: number) => {
    let { session } = source.read(source.open(), before?.(count) ?? [])
    const later = messages(count)
    if (!isLive) return countVisits(() => source.read(session, later))
    return countVisits(() => {
      for (let at = 0; at < later.length; at += 1) session = source.read(session, [later[at]]).session
    })
  }
  visitsOf(10)
  const [few, more, many] = [visitsOf(300), visitsOf(600), visitsOf(1_200)]
  expect((many - more) / (more - few)).toBeLessThan(2.5)
})
