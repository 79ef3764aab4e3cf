import { describe, expect, it } from 'vitest'
import { compareSessions, createInitialConversationState } from '../../src/index.ts'
import { recording, replay } from '../sources/recordings.ts'
import { called, noted, thought } from './states.ts'

const empty = createInitialConversationState()

describe('a call id that the model uses again', () => {
  const one = called('call_0', 'p1')
  const two = { ...called('call_0', 'p2'), input: { command: 'rm' } }

  it('hides no call that was lost', () => {
    const { differences } = compareSessions({ ...empty, blocks: [two] }, { ...empty, blocks: [one, two] })
    expect(differences).toContainEqual({
      kind: 'missing-block',
      conversationId: 'main',
      id: 'p2',
      stored: two,
    })
  })

  it('is compared call by call', () => {
    const changed = { ...two, input: { command: 'ls -l' } }
    const { differences } = compareSessions(
      { ...empty, blocks: [one, changed] },
      { ...empty, blocks: [one, two] },
    )
    expect(differences).toMatchObject([{ kind: 'block', id: 'p2', field: 'input' }])
  })
})

// Agents in the foreground are not forwarded without the flag; one that is resumed in the background is, from then on.
it('leaves out the run that was not forwarded of an agent whose next run was', () => {
  const { stream, disk } = recording('07d-send-message')
  const lines = stream.split('\n')
  const end = lines.findIndex((line) => line.includes('"task_updated"'))
  const isText = (line: string) =>
    line.includes('"type":"assistant"') && !line.includes('"parent_tool_use_id":null')
  const unforwarded = lines.filter(
    (line, at) => at > end || !(isText(line) && line.includes('"type":"text"')),
  )
  expect(unforwarded.length).toBeLessThan(lines.length)
  const { differences, projected } = compareSessions(replay(unforwarded.join('\n')).state, replay(disk).state)
  expect(differences).toEqual([])
  expect(projected).toContainEqual({ kind: 'subagent-text', side: 'stored', count: 1 })
})

it('compares many blocks that one side lacks', () => {
  const blocks = Array.from({ length: 20_000 }, (_, at) => thought(`t${at}`))
  const session = { program: 'opencode' }
  const { projected } = compareSessions({ ...empty, session }, { ...empty, session, blocks })
  expect(projected).toEqual([{ kind: 'thinking', side: 'stored', count: 20_000 }])
})

describe('lines of `opencode run`', () => {
  const session = { program: 'opencode' }
  const first = { ...called('t1'), messageId: 'm1' }
  const second = { ...called('t2'), messageId: 'm1' }
  const next = { ...called('t3'), messageId: 'm2' }
  const stored = { ...empty, session, blocks: [first, second, next] }

  it('may tell of the calls of one message in the order in which they finished', () => {
    expect(compareSessions({ ...empty, session, blocks: [second, first, next] }, stored)).toEqual({
      differences: [],
      projected: [{ kind: 'tool-use-place', side: 'live', count: 2 }],
    })
  })

  it('tell of messages in their order', () => {
    const { differences } = compareSessions({ ...empty, session, blocks: [first, next, second] }, stored)
    expect(differences).toMatchObject([{ kind: 'order' }])
  })
})

it('leaves out that the person stopped OpenCode while no message was open', () => {
  const session = { program: 'opencode' }
  const { differences, projected } = compareSessions(
    { ...empty, session, blocks: [noted('interruption', 'evt_1')] },
    { ...empty, session },
  )
  expect(differences).toEqual([])
  expect(projected).toEqual([{ kind: 'turn-failure', side: 'live', count: 1 }])
})
