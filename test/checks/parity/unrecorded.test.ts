import { describe, expect, it } from 'vitest'
import { asArray, asObject } from '../../../src/core/json/values.ts'
import type { SessionConversationState } from '../../../src/entries/index.ts'
import { compareSessions } from '../../../src/entries/parity.ts'
import { claudeTranscript } from '../../../src/wires/claude/files/session-files.ts'
import {
  abortedResult,
  agentCall,
  assistantMessage,
  endTurn,
  fromSubagent,
  init,
  interruptionMessage,
  type Message,
  readFiles,
  readStream,
  system,
  taskStarted,
  taskUpdated,
  text,
  toolResult,
  toolUse,
  toText,
  turnResult,
  userMessage,
} from '../../wires/claude/messages.ts'
import { messagesIn, recording, replay } from '../../wires/recordings.ts'

// These sessions were not recorded. They are made from recordings or from known facts about the formats.

const kindsOf = (live: SessionConversationState, stored: SessionConversationState) => {
  const { differences, excluded } = compareSessions(live, stored)
  return { differences, kinds: excluded.map(({ side, kind }) => `${side} ${kind}`) }
}

describe('a stream without the text of subagents', () => {
  const messages = (name: string) => messagesIn(recording(name).stream).map(asObject)
  const partsOf = ({ message }: Message) => asArray(asObject(message).content).map(asObject)

  /** Without the flag, the stream has no text and no thinking of main's subagents, and none of the subagents below them. */
  function unforwarded(name: string): SessionConversationState {
    const ofMain = messages(name).filter(({ parent_tool_use_id }) => parent_tool_use_id === null)
    const calls = new Set(ofMain.flatMap(partsOf).map(({ id }) => id))
    const lines = messages(name).filter((line) => {
      const parent = line.parent_tool_use_id
      if (typeof parent !== 'string') return true
      const hasText = partsOf(line).some(({ type }) => type === 'text' || type === 'thinking')
      return calls.has(parent) && !(line.type === 'assistant' && hasText)
    })
    return replay(toText(lines)).state
  }

  it.each(['04-subagent-forward', '05-three-parallel-forward', '08c-subagent-fails', '13-hooks'])(
    'is equal to the files: %s',
    (name) => {
      const { differences, kinds } = kindsOf(unforwarded(name), replay(recording(name).disk).state)
      expect(differences).toEqual([])
      expect(kinds).toContain('stored subagent-text')
    },
  )

  it('is equal to the files with nested agents', () => {
    const { disk } = recording('06-nested-forward')
    const { differences, kinds } = kindsOf(unforwarded('06-nested-forward'), replay(disk).state)
    expect(differences).toEqual([])
    expect(kinds).toEqual(expect.arrayContaining(['stored subagent-text', 'stored subagent-conversation']))
  })
})

describe('a fork of a session', () => {
  const { stream, files } = recording('09-resume')
  const id = 'e5952aab-f324-4087-8c14-6f79bd5937d5'
  const fork = 'f0000000-0000-4000-8000-000000000000'
  const lines = stream.split('\n')
  const second = lines.findLastIndex((line) => line.includes('"subtype":"init"'))
  const later = lines.slice(second).join('\n').replaceAll(id, fork)
  const both = `${lines.slice(0, second).join('\n')}\n${later}`
  const forked = Object.fromEntries(
    Object.entries(files).flatMap(([path, content]) => [
      [path, content.split('\n').slice(0, 5).join('\n')],
      [path.replace(id, fork), content.replaceAll(id, fork)],
    ]),
  )
  const stored = replay(claudeTranscript(forked)).state

  it('is equal to the streams of both of its processes', () => {
    expect(kindsOf(replay(both).state, stored).differences).toEqual([])
  })

  it('differs from the stream of the second process alone, which lacks the earlier blocks', () => {
    const { differences } = kindsOf(replay(later).state, stored)
    expect(differences).toMatchObject([{ kind: 'missing-block', stored: { type: 'assistant_text' } }])
  })
})

const u = (uuid: string): Message => ({ uuid })
const go = userMessage('Go.', u('p'))

it('an agent that the person stopped is equal on both sides', () => {
  const rejection = 'The user doesn’t want to proceed with this tool use.'
  const call = assistantMessage('m1', agentCall('t1'), u('a1'))
  const rejected = (fields: Message) =>
    toolResult('t1', rejection, { ...u('r1'), ...fields }, { is_error: true })
  const stopped = userMessage([text('[Request interrupted by user for tool use]')], u('i1'))
  const inner = [
    assistantMessage('s1', toolUse('b1'), u('s1')),
    toolResult('b1', rejection, u('r2'), { is_error: true }),
  ]
  const live = readStream(
    init,
    call,
    taskStarted('a1', 't1'),
    userMessage([text('Do t1.')], { ...u('p1'), ...fromSubagent('t1', 'a1') }),
    ...inner.map((line) => ({ ...line, ...fromSubagent('t1', 'a1') })),
    taskUpdated('a1', 'killed'),
    rejected({ tool_use_result: 'User rejected tool use' }),
    stopped,
    abortedResult,
  )
  const stored = readFiles([go, call, rejected({ toolUseResult: 'User rejected tool use' }), stopped], {
    a1: {
      meta: { agentType: 'general-purpose', description: 'Look', toolUseId: 't1', spawnDepth: 1 },
      lines: [userMessage('Do t1.', u('p1')), ...inner, { ...interruptionMessage, ...u('i2') }],
    },
  })
  const { differences, kinds } = kindsOf(live.state, stored.state)
  expect(differences).toEqual([])
  expect(kinds).toContain('stored system-note')
})

it('a session with an automatic compaction is equal on both sides', () => {
  const one = assistantMessage('m1', text('One.'), u('a1'), endTurn)
  const two = assistantMessage('m2', text('Two.'), u('a2'), endTurn)
  const live = readStream(
    init,
    one,
    system('compact_boundary', { ...u('c1'), compact_metadata: { trigger: 'auto', pre_tokens: 9 } }),
    userMessage('Summary.', { ...u('s1'), isSynthetic: true }),
    two,
    turnResult(),
  )
  const boundary = { ...u('c1'), parentUuid: null, compactMetadata: { trigger: 'auto', preTokens: 9 } }
  const stored = readFiles([
    go,
    one,
    { type: 'system', subtype: 'compact_boundary', ...boundary },
    userMessage('Summary.', { ...u('s1'), isCompactSummary: true }),
    two,
  ])
  expect(kindsOf(live.state, stored.state).differences).toEqual([])
})

it('an interrupted and continued message is equal on both sides', () => {
  const half = assistantMessage('m1', text('Half'), u('a1'))
  const stopped = { ...interruptionMessage, ...u('i1') }
  const again = assistantMessage('m2', text('Again.'), u('a2'), endTurn)
  const placeholder = assistantMessage('x', text('No response requested.'), u('x'), { model: '<synthetic>' })
  const live = readStream(init, { ...half, aborted: true }, stopped, init, again, turnResult())
  const stored = readFiles([go, { ...half, isAbortedMidStream: true }, stopped, placeholder, go, again])
  const { differences, kinds } = kindsOf(live.state, stored.state)
  expect(differences).toEqual([])
  expect(kinds).toContain('stored system-note')
})

it('a subagent that ran when 1.x was killed is only in the stream, and main is equal', () => {
  const version = '1.0.128'
  const call = assistantMessage('m1', { ...agentCall('t1'), name: 'Task' }, u('a1'))
  const main = [go, call].map((line) => ({ ...line, version }))
  const ofAgent = [assistantMessage('s1', toolUse('b1'), u('s1')), toolResult('b1', 'out', u('r1'))]
  const begin = { ...init, claude_code_version: version }
  const live = readStream(begin, call, ...ofAgent.map((line) => ({ ...line, ...fromSubagent('t1') })))
  const { differences, kinds } = kindsOf(live.state, readFiles(main).state)
  expect(differences).toEqual([])
  expect(kinds).toContain('live killed-subagent')
})

it('an incomplete file gives differences for its missing blocks', () => {
  const lines = [
    assistantMessage('m1', toolUse('t1'), u('a1')),
    toolResult('t1', 'out', u('r1')),
    assistantMessage('m2', text('Two.'), u('a2')),
  ]
  const live = readStream(init, ...lines, turnResult())
  const file = toText(lines.map((line) => ({ ...line, sessionId: 'session', version: '2.1.330' })))
  const { differences } = kindsOf(live.state, replay(file.slice(0, -50)).state)
  expect(differences).toMatchObject([
    { kind: 'turn', field: 'status', live: 'finished', stored: 'interrupted' },
    { kind: 'missing-block', id: 'm2:0', live: { content: 'Two.' } },
  ])
})
