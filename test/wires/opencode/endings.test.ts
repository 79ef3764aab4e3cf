import { describe, expect, it } from 'vitest'
import {
  answer,
  child,
  completed,
  failed,
  type Message,
  main,
  prompt,
  readEvents,
  readOpenEvents,
  running,
  subagentTurn,
} from './messages.ts'
import { replay } from './recordings.ts'
import { readBoth, toExports } from './stored.ts'

describe('the ending of a session', () => {
  it('is open before the first prompt', () => {
    expect(readBoth(main.created()).ending).toBe('open')
    expect(readEvents(main.event('server.connected')).ending).toBe('open')
    expect(readEvents(main.created(), main.status({ type: 'idle' }), main.idle()).ending).toBe('open')
  })

  it('is finished after the answer, even without an idle event', () => {
    expect(readBoth(...prompt, ...answer).ending).toBe('finished')
    expect(readBoth(...prompt, ...answer.slice(0, -1)).ending).toBe('finished')
  })

  it('is interrupted at any point before the answer', () => {
    const turn = [
      ...prompt,
      main.assistantStart('msg_2'),
      main.tool('msg_2', 'prt_2', running()),
      main.tool('msg_2', 'prt_2', completed('x')),
      main.assistantEnd('msg_2', { finish: 'tool-calls' }),
      ...answer.slice(0, 2),
    ]
    for (let end = 2; end <= turn.length; end += 1)
      expect(readBoth(...turn.slice(0, end)).ending).toBe('interrupted')
  })

  it('is interrupted again after the next prompt', () => {
    expect(readBoth(...prompt, ...answer, main.user('msg_91')).ending).toBe('interrupted')
  })

  it('does not depend on the messages of a subagent', () => {
    expect(readEvents(...prompt, child.created(), ...subagentTurn(child, 'Report.')).ending).toBe(
      'interrupted',
    )
    expect(readEvents(...prompt, ...answer, child.created(), child.user('c_1')).ending).toBe('finished')
  })
})

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

describe('an idle event', () => {
  // OpenCode may send the idle event twice, and before the last updates of the session.
  it('neither loses nor repeats content, wherever it arrives', () => {
    const turn = [
      ...prompt,
      main.assistantStart('msg_90'),
      main.textStart('msg_90', 'prt_90'),
      main.delta('msg_90', 'prt_90', 'Ans'),
      main.delta('msg_90', 'prt_90', 'wer.'),
      main.wholeText('msg_90', 'prt_90', 'Answer.'),
      main.tool('msg_90', 'prt_91', running()),
      main.tool('msg_90', 'prt_91', completed('x')),
      main.assistantEnd('msg_90'),
    ]
    // An idle event that comes too early ends the turn, so its times differ.
    const stateAfter = (...events: readonly Message[]) => {
      const { turn, ...state } = readEvents(...events).state
      return { ...state, status: turn.status }
    }
    const whole = stateAfter(...turn, main.idle())
    for (let at = prompt.length; at <= turn.length; at += 1) {
      const early = [...turn.slice(0, at), main.idle(), main.status({ type: 'idle' })]
      expect(stateAfter(...early, ...turn.slice(at), main.idle())).toEqual(whole)
      expect(stateAfter(...early, main.idle(), ...turn.slice(at))).toEqual(whole)
    }
  })

  it('completes the pending blocks of its own conversation only', () => {
    const { state } = readOpenEvents(
      ...prompt,
      main.assistantStart('msg_90'),
      main.textStart('msg_90', 'prt_90', 'So far'),
      child.created(),
      child.assistantStart('c_2'),
      child.textStart('c_2', 'c_p', 'So far'),
      main.idle(),
    )
    expect(state.blocks.at(-1)).toMatchObject({ content: 'So far', status: 'complete' })
    expect(state.subagents[0]?.blocks).toMatchObject([{ content: 'So far', status: 'pending' }])
  })
})

describe('a complete message', () => {
  it('completes a text that never arrived as a whole', () => {
    const { state } = readEvents(
      ...prompt,
      main.assistantStart('msg_90'),
      main.textStart('msg_90', 'prt_90'),
      main.delta('msg_90', 'prt_90', 'Answer.'),
      main.assistantEnd('msg_90'),
    )
    expect(state.blocks.at(-1)).toMatchObject({ content: 'Answer.', status: 'complete' })
  })

  it('is assumed for the earlier message when the next one begins', () => {
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

  it('is interrupted there if the model should go on', () => {
    expect(endingOf(...turn(`${REJECTED} with the following feedback: No.`))).toBe('interrupted')
  })

  it('goes on on the bus if the model does', () => {
    const { state } = readOpenEvents(...turn(`${REJECTED}.`), main.assistantStart('msg_03'))
    expect(state.turn.status).toBe('running')
  })
})
