import { describe, expect, it } from 'vitest'
import { qwenTranscript, TranscriptError } from '../../../src/entries/qwen.ts'
import { qwenFormat } from '../../../src/wires/qwen/format.ts'
import { common, init } from './lines.ts'

const { isMessage, files } = qwenFormat
const places = (path: string) =>
  files?.agentFiles(path, { names: () => [], value: () => undefined, values: () => [] })
const chat = (id: string) =>
  `{"uuid":"u","parentUuid":null,"sessionId":"${id}","type":"user","message":{"parts":[{"text":"a"}]}}\n`

describe('a line', () => {
  it('shows Qwen Code by what only it writes', () => {
    const named = { ...common, uuid: 'u' }
    const proofs: readonly object[] = [
      init,
      { dir: 'in', at: 1, msg: init },
      { ...named, type: 'system', subtype: 'task_started', data: { task_id: 't' } },
      { ...named, type: 'system', subtype: 'session_start', data: { supported_events: [] } },
      { ...named, type: 'stream_event', event: { type: 'goal_state' } },
      { ...named, type: 'assistant', message: { id: 'u', content: [] } },
      { uuid: 'u', sessionId: 's', parentUuid: null, message: { parts: [] } },
      { uuid: 'u', sessionId: 's', toolCallResult: {} },
      { uuid: 'u', sessionId: 's', systemPayload: {}, version: '0.24.4' },
    ]
    expect(proofs.map((line) => isMessage(line))).toEqual(proofs.map(() => true))
  })

  it('shows nothing by what other programs write too', () => {
    const others: readonly unknown[] = [
      1,
      {},
      { uuid: 'u' },
      { ...init, qwen_code_version: undefined },
      { ...common, uuid: 'u', type: 'system', subtype: 'status' },
      { ...common, uuid: 'u', type: 'stream_event', event: { type: 'message_start' } },
      { ...common, uuid: 'u', type: 'assistant', message: { id: 'msg_1', content: [] } },
      { session_id: 's', uuid: 'u', type: 'assistant', message: { id: 'u', content: [] } },
      { ...common, uuid: 'u', type: 'user', message: { content: 'a' } },
      { uuid: 'u', sessionId: 's', message: { parts: [] } },
      { uuid: 'u', sessionId: 's', message: { content: 'a' } },
      { uuid: 'u', sessionId: 's', systemPayload: {} },
    ]
    expect(others.map((line) => isMessage(line))).toEqual(others.map(() => false))
  })
})

describe('the files of a session', () => {
  it('are its chat and the files of its agents', () => {
    const folder = '-srv-demo/subagents/s/agent-t-a'
    const transcript = qwenTranscript({
      '-srv-demo/chats/s.jsonl': chat('s'),
      [`${folder}.jsonl`]: '',
      [`${folder}.meta.json`]: '{"agentId":"t-a"}',
      [`${folder}.jsonl.stream`]: '',
      '-srv-demo/subagents/other/agent-t-b.jsonl': '',
    })
    expect(transcript.subagents.map(({ id }) => id)).toEqual(['t-a', 't-a'])
  })

  it('are those of one session', () => {
    expect(() => qwenTranscript({ 'chats/a.jsonl': chat('a'), 'chats/b.jsonl': chat('b') })).toThrow(
      TranscriptError,
    )
    expect(() => qwenTranscript({ 'chats/a.jsonl': '{}', 'chats/b.jsonl': '{}' })).toThrow(TranscriptError)
    expect(qwenTranscript({ 'a.log': chat('a') }).subagents).toEqual([])
  })

  it('have their places', () => {
    expect(files?.isSession('p/chats/s.jsonl')).toBe(true)
    expect(files?.isSession('p/subagents/s/agent-t-a.jsonl')).toBe(false)
    const parts = ['chats/s.jsonl', 'agent-t.meta.json', 'agent-t.jsonl.stream', 'memory/a.md']
    expect(parts.filter((path) => files?.isPart(path))).toEqual(parts.slice(0, 3))
    expect(places('/home/p/chats/s.jsonl')).toMatchObject({ folder: '/home/p/subagents/s' })
    expect(places('/home/p/chats/s.jsonl')?.isBeside('agent-t.jsonl')).toBe(false)
    expect(places('/home/p/s.jsonl')).toBeUndefined()
  })

  it('say which line is one of an agent', () => {
    const facts = [{ isSidechain: true }, { isSidechain: false }, 'a'].map((value) =>
      qwenFormat.storage?.facts(value),
    )
    expect(facts).toEqual([{ isSubagent: true }, {}, {}])
  })
})
