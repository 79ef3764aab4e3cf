import { describe, expect, it } from 'vitest'
import { completed, failed, type Message, main, prompt, readOpenEvents } from './messages.ts'
import { replay } from './recordings.ts'
import { toExports } from './stored.ts'

describe('the error of a session', () => {
  // The model's request after a call fails. Before the error, the program writes the prompt again, with the changes of the turn.
  it('fails the turn as soon as the session is idle, although the last event was about the prompt', () => {
    const events = [
      ...prompt,
      main.assistantStart('msg_02', { parentID: 'msg_01' }),
      main.tool('msg_02', 'prt_02', completed('x')),
      main.assistantEnd('msg_02', { parentID: 'msg_01', finish: 'tool-calls' }),
      main.assistantStart('msg_03', { parentID: 'msg_01' }),
      main.user('msg_01'),
      main.failed({ name: 'APIError', data: { message: 'The model refuses.' } }),
      main.idle(),
    ]
    expect(readOpenEvents(...events).state.turn.status).toBe('failed')
  })
})

it('a complete message is assumed for the earlier message when the next one begins', () => {
  const { state } = readOpenEvents(
    ...prompt,
    main.assistantStart('msg_2'),
    main.textStart('msg_2', 'prt_2', 'Cut off'),
    main.assistantStart('msg_90'),
    main.textStart('msg_90', 'prt_90', 'Ans'),
  )
  expect(state.blocks.slice(1).map(({ id, status }) => `${id} ${status}`)).toEqual([
    'prt_2 complete',
    'prt_90 pending',
  ])
})

// OpenCode does not go on after a refusal, unless the person says why.
describe('a turn whose last call the person refused', () => {
  const REJECTED = 'The user rejected permission to use this specific tool call'
  const turn = (error: string) => [
    ...prompt,
    main.assistantStart('msg_02', { parentID: 'msg_01' }),
    main.tool('msg_02', 'prt_02', failed(error)),
    main.assistantEnd('msg_02', { parentID: 'msg_01', finish: 'tool-calls' }),
  ]
  const endingOf = (...events: readonly Message[]) => replay(JSON.stringify(toExports(events))).ending

  it('is finished in an export', () => {
    expect(endingOf(...turn(`${REJECTED}.`))).toBe('finished')
  })

  it('goes on on the bus if the model does', () => {
    const { state } = readOpenEvents(...turn(`${REJECTED}.`), main.assistantStart('msg_03'))
    expect(state.turn.status).toBe('running')
  })
})
