import { describe, expect, it } from 'vitest'
import { blocksOf, earlierRecordings, ofType, recording, replay, textsOf } from '../../recordings.ts'
import {
  assistantMessage,
  blockStart,
  fromSubagent,
  messageStart,
  readStream,
  taskStarted,
  text,
  textDelta,
} from '../messages.ts'

const linesOf = (stream: string) => stream.split('\n').filter((line) => line !== '')
const from = (stream: string, line: number) => linesOf(stream).slice(line).join('\n')

describe('a stream that the reader joins in the middle', () => {
  it('gives a block the API’s index', () => {
    const { state } = replay(from(recording('11a-killed-main').stream, 7))
    const ids = replay(recording('11a-killed-main').stream).state.blocks.map(({ id }) => id)
    expect(state.blocks.map(({ id }) => id)).toEqual(ids.slice(1))
  })

  it.each(earlierRecordings)('adds no block to an unknown message: $name', ({ stream }) => {
    for (const line of [3, 5, 9, 12]) {
      const { state, reducerIssues } = replay(from(stream, line))
      expect(state.blocks.map(({ id }) => id)).not.toContainEqual(expect.stringMatching(/^:/))
      expect(textsOf(state)).toEqual([...new Set(textsOf(state))])
      expect(reducerIssues).toEqual([])
    }
  })

  it.each(earlierRecordings)('doubles nothing if it repeats an earlier part: $name', ({ stream }) => {
    const lines = linesOf(stream)
    const once = replay(stream).state
    for (const [to, back] of [
      [12, 8],
      [20, 16],
      [30, 26],
    ])
      expect(
        replay([...lines.slice(0, to), ...lines.slice((to ?? 0) - (back ?? 0))].join('\n')).state,
      ).toEqual(once)
  })
})

describe('an agent that an earlier process started', () => {
  // A resume names the call that requests it. Only the agent's own messages name the call that started the agent.
  const { state, issues, ending } = replay(from(recording('07d-send-message').stream, 23))

  it('is one agent, under its first call', () => {
    const [first] = replay(recording('07d-send-message').stream).state.subagents
    expect(state.subagents).toMatchObject([
      {
        toolUseId: first?.toolUseId,
        agentId: first?.agentId,
        parentConversationId: 'main',
        status: 'success',
      },
    ])
    expect(state.subagents[0]?.output).toBe('COUNT-2')
    expect([issues, ending]).toEqual([[], 'finished'])
  })

  it('does not change the call that resumes it: a tool call with a result', () => {
    const [, sent] = ofType(state, 'tool_use')
    expect(sent).toMatchObject({ toolName: 'SendMessage', status: 'complete' })
    expect(ofType(state, 'tool_result').map(({ toolUseId }) => toolUseId)).toContain(sent?.toolUseId)
  })
})

it('retracts an agent’s call whose stream was cut off, when another process continues', () => {
  const { stream } = recording('04-subagent-forward')
  const cut = linesOf(stream).slice(0, 12).join('\n')
  expect(replay(cut).state.subagents).toMatchObject([
    { status: 'error', openBlocks: [`subagent:${replay(cut).state.subagents[0]?.toolUseId}`] },
  ])
  const second = linesOf(recording('09-resume').stream).slice(11).join('\n')
  const { state, ending } = replay(`${cut}\n${second}`)
  expect([state.subagents, ending]).toEqual([[], 'finished'])
  expect(ofType(state, 'subagent')).toEqual([])
})

it('knows an agent from its own messages alone', () => {
  const { state } = readStream(
    assistantMessage('s1', text('Hi.'), fromSubagent('t1', 'a1')),
    taskStarted('a1', 't1'),
  )
  expect(state.subagents).toMatchObject([{ toolUseId: 't1', agentId: 'a1', parentConversationId: 'main' }])
  expect(blocksOf(state, 't1')).toHaveLength(1)
})

it('ignores a delta whose block began before the reader joined', () => {
  const { state, reducerIssues } = readStream(
    messageStart('m1'),
    textDelta('m1', 0, 'lost'),
    blockStart('m1', 1, text('')),
    textDelta('m1', 1, 'kept'),
  )
  expect(textsOf(state)).toEqual(['kept'])
  expect(reducerIssues).toEqual([])
})
