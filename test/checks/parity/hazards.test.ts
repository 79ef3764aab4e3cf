import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createInitialConversationState, parseTranscript } from '../../../src/entries/index.ts'
import { compareSessions } from '../../../src/entries/parity.ts'
import { opencodeTranscript } from '../../../src/wires/opencode/files/session-files.ts'
import { recording, replay } from '../../wires/recordings.ts'
import { exportsOf } from './sessions.ts'
import { systemNote, thinking, toolResult, toolUse } from './states.ts'

const empty = createInitialConversationState()

describe('a call id that the model uses again', () => {
  const one = toolUse('call_0', 'p1')
  const two = { ...toolUse('call_0', 'p2'), input: { command: 'rm' } }

  it('does not hide a missing call', () => {
    const { differences } = compareSessions({ ...empty, blocks: [two] }, { ...empty, blocks: [one, two] })
    expect(differences).toContainEqual({
      kind: 'missing-block',
      conversationId: 'main',
      id: 'p2',
      stored: two,
    })
  })

  it('has its calls compared in order', () => {
    const changed = { ...two, input: { command: 'ls -l' } }
    const { differences } = compareSessions(
      { ...empty, blocks: [one, changed] },
      { ...empty, blocks: [one, two] },
    )
    expect(differences).toMatchObject([{ kind: 'block', id: 'p2', field: 'input' }])
  })
})

// Without the flag, the stream forwards no agents in the foreground. It forwards an agent that is resumed in the background.
it('excludes only the run of an agent that the stream did not forward', () => {
  const { stream, disk } = recording('07d-send-message')
  const lines = stream.split('\n')
  const end = lines.findIndex((line) => line.includes('"task_updated"'))
  const isText = (line: string) =>
    line.includes('"type":"assistant"') && !line.includes('"parent_tool_use_id":null')
  const unforwarded = lines.filter(
    (line, at) => at > end || !(isText(line) && line.includes('"type":"text"')),
  )
  expect(unforwarded.length).toBeLessThan(lines.length)
  const { differences, excluded } = compareSessions(replay(unforwarded.join('\n')).state, replay(disk).state)
  expect(differences).toEqual([])
  expect(excluded).toContainEqual({ kind: 'subagent-text', side: 'stored', count: 1 })
})

it('counts 20,000 excluded blocks', () => {
  const blocks = Array.from({ length: 20_000 }, (_, at) => thinking(`t${at}`))
  const session = { program: 'opencode' }
  const { excluded } = compareSessions({ ...empty, session }, { ...empty, session, blocks })
  expect(excluded).toEqual([{ kind: 'thinking', side: 'stored', count: 20_000 }])
})

describe('lines of `opencode run`', () => {
  const session = { program: 'opencode' }

  const first = { ...toolUse('t1'), messageId: 'm1' }
  const second = { ...toolUse('t2'), messageId: 'm1' }
  const next = { ...toolUse('t3'), messageId: 'm2' }
  const stored = { ...empty, session, blocks: [first, second, next] }

  it('may report the calls of a message in the order of their ends', () => {
    expect(compareSessions({ ...empty, session, blocks: [second, first, next] }, stored)).toEqual({
      differences: [],
      excluded: [{ kind: 'tool-use-place', side: 'live', count: 2 }],
    })
  })

  it('report messages in order', () => {
    const { differences } = compareSessions({ ...empty, session, blocks: [first, next, second] }, stored)
    expect(differences).toMatchObject([{ kind: 'order' }])
  })
})

it('excludes an interruption of OpenCode without an open message', () => {
  const session = { program: 'opencode' }
  const { differences, excluded } = compareSessions(
    { ...empty, session, blocks: [systemNote('interruption', 'evt_1')] },
    { ...empty, session },
  )
  expect(differences).toEqual([])
  expect(excluded).toEqual([{ kind: 'turn-failure', side: 'live', count: 1 }])
})

it('reports a result before its call', () => {
  const blocks = [toolUse('t1'), toolResult('t1')]
  const [early, late] = [
    { ...empty, blocks: blocks.toReversed() },
    { ...empty, blocks },
  ]
  const [before, after] = ['before its call', 'after its call']
  const order = { kind: 'order', conversationId: 'main', id: 't1:result' }
  expect(compareSessions(early, late).differences).toEqual([{ ...order, live: before, stored: after }])
  expect(compareSessions(late, early).differences).toEqual([{ ...order, live: after, stored: before }])
})

// A running tool shows its output so far. When the session is idle, the call counts as final without its end.
it('reports the missing end of a call of OpenCode whose output is complete', () => {
  const { live, stored } = openCode('03-tools')
  const lost = live
    .split('\n')
    .filter((line) => !(line.includes('"status":"completed"') && line.includes('"exit":3')))
  expect(lost.length).toBe(live.split('\n').length - 1)
  const { differences } = compareSessions(parseTranscript('opencode', lost.join('\n')), stored)
  expect(differences).toContainEqual(
    expect.objectContaining({ kind: 'block', conversationId: 'main', field: 'durationMs' }),
  )
})

function openCode(name: string) {
  const live = readFileSync(`fixtures/opencode/${name}/events.ndjson`, 'utf8')
  return { live, stored: parseTranscript('opencode', opencodeTranscript(exportsOf(name))) }
}
