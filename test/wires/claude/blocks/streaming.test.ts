import { describe, expect, it } from 'vitest'
import { textsOf } from '../../recordings.ts'
import {
  assistantMessage,
  blockStart,
  blockStop,
  type Message,
  messageStart,
  modelCalls,
  modelSays,
  readOpenStream,
  readStream,
  text,
  textDelta,
  thinking,
  toolResult,
  toolUse,
  turnResult,
} from '../messages.ts'

const begun = (...deltas: readonly string[]): readonly Message[] => [
  messageStart('m1'),
  blockStart('m1', 0, text('')),
  ...deltas.map((delta) => textDelta('m1', 0, delta)),
]

describe('a text that streams', () => {
  it('is not doubled by a delta that arrives after the whole block', () => {
    const { state, reducerIssues } = readStream(
      ...begun('Hello'),
      modelSays('m1', 'Hello!'),
      textDelta('m1', 0, '!'),
      blockStop('m1', 0),
    )
    expect(textsOf(state)).toEqual(['Hello!'])
    expect(reducerIssues).toEqual([])
  })

  it('is final if the input ends in the middle of it', () => {
    const { state, ending } = readStream(...begun('Hel'))
    expect(state.blocks[0]?.status).toBe('complete')
    expect(state.turn.status).toBe('interrupted')
    expect(ending).toBe('interrupted')
  })
})

it('a message of several streamed blocks gives each whole block the place of its own start, in any order', () => {
  const { state } = readStream(
    messageStart('m1'),
    blockStart('m1', 0, thinking('')),
    blockStart('m1', 1, text('')),
    blockStart('m1', 2, toolUse('t1', 'Read', {})),
    blockStart('m1', 3, toolUse('t2', 'Bash', {})),
    modelCalls('m1', 't2', 'Bash'),
    modelCalls('m1', 't1', 'Read'),
    modelSays('m1', 'Yes.'),
    assistantMessage('m1', thinking('Hm.')),
  )
  expect(state.blocks).toMatchObject([
    { id: 'm1:0', content: 'Hm.' },
    { id: 'm1:1', content: 'Yes.' },
    { id: 't1', toolUseId: 't1', toolName: 'Read' },
    { id: 't2', toolUseId: 't2', toolName: 'Bash' },
  ])
})

it('does not end a running tool call with a turn result', () => {
  const { state } = readOpenStream(modelCalls('m1', 't1'), turnResult())
  expect(state.blocks[0]?.status).toBe('pending')
  expect(
    readStream(modelCalls('m1', 't1'), turnResult(), toolResult('t1', 'out')).state.blocks[0]?.status,
  ).toBe('complete')
})
