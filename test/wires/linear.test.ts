import { expect, it } from 'vitest'
import { clineSource } from '../../src/entries/cline.ts'
import { codexSource } from '../../src/entries/codex.ts'
import { copilotSource } from '../../src/entries/copilot.ts'
import { opencodeSource } from '../../src/entries/opencode.ts'
import { piTranscript } from '../../src/entries/pi.ts'
import { qwenSource } from '../../src/entries/qwen.ts'
import { countVisits } from '../visits.ts'
import { beginTurn, note } from './codex/made-lines.ts'
import { at, type LongInput, MANY_OF_ONE_KIND, times } from './long-inputs.ts'
import { answers, delta, init, record, reply, says, start, text } from './qwen/lines.ts'

const clineEvent = (type: string, fields: object, ms = 0) => ({
  ts: at(ms),
  type: 'agent_event',
  event: { type, ...fields },
})

const SESSIONS: Readonly<Record<string, LongInput>> = {
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
it.each(Object.entries({ ...SESSIONS, ...MANY_OF_ONE_KIND }))(
  '%s cost the same each',
  (_, { source, isLive, isReopened, before, messages }) =>
    expectLinear((count) => {
      let { session } = source.read(source.open(), before?.(count) ?? [])
      if (isReopened) session = source.open(session.state)
      const later = messages(count)
      return () => {
        if (!isLive) source.read(session, later)
        else for (const message of later) session = source.read(session, [message]).session
      }
    }),
)

it('the files of the agents of a Pi session cost the same each', () =>
  expectLinear((count) => {
    const session = '2026-01-01T00-00-00-000Z_01a214b3-5416-77c2-bf6a-fa5a7d8b26dc'
    const paths = [...times(count, (n) => `${session}/a${n}.jsonl`), `${session}.jsonl`]
    const files = Object.fromEntries(paths.map((path) => [path, '']))
    return () => piTranscript(files)
  }))

/** Compares the visits of inputs of three lengths. */
function expectLinear(prepare: (count: number) => () => void): void {
  const [, few = 0, more = 0, many = 0] = [10, 300, 600, 1_200].map((count) => countVisits(prepare(count)))
  expect((many - more) / (more - few)).toBeLessThan(2.5)
}
