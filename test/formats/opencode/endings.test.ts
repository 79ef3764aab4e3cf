import { describe, expect, it } from 'vitest'
import { answer, child, completed, main, question, read, running, work } from './messages.ts'
import { readBoth } from './stored.ts'

describe('a session', () => {
  it('is open before anything was asked', () => {
    expect(readBoth(main.created()).ending).toBe('open')
    expect(read(main.event('server.connected')).ending).toBe('open')
    expect(read(main.created(), main.status({ type: 'idle' }), main.idle()).ending).toBe('open')
  })

  it('is finished with the answer, also where nothing says that it is at rest', () => {
    expect(readBoth(...question, ...answer).ending).toBe('finished')
    expect(readBoth(...question, ...answer.slice(0, -1)).ending).toBe('finished')
  })

  it('is interrupted anywhere before the answer', () => {
    const turn = [
      ...question,
      main.begun('msg_2'),
      main.tool('msg_2', 'prt_2', running()),
      main.tool('msg_2', 'prt_2', completed('x')),
      main.completed('msg_2', { finish: 'tool-calls' }),
      ...answer.slice(0, 2),
    ]
    for (let end = 2; end <= turn.length; end += 1)
      expect(readBoth(...turn.slice(0, end)).ending).toBe('interrupted')
  })

  it('is interrupted again with the next question', () => {
    expect(readBoth(...question, ...answer, main.user('msg_91')).ending).toBe('interrupted')
  })

  it('does not end with what a subagent says', () => {
    expect(read(...question, child.created(), ...work(child, 'Report.')).ending).toBe('interrupted')
    expect(read(...question, ...answer, child.created(), child.user('c_1')).ending).toBe('finished')
  })
})

describe('a session at rest', () => {
  // It may be at rest before the last of what it said has been told, and more than once.
  it('loses nothing and has nothing twice', () => {
    const turn = [
      ...question,
      main.begun('msg_90'),
      main.saying('msg_90', 'prt_90'),
      main.delta('msg_90', 'prt_90', 'Ans'),
      main.delta('msg_90', 'prt_90', 'wer.'),
      main.said('msg_90', 'prt_90', 'Answer.'),
      main.tool('msg_90', 'prt_91', running()),
      main.tool('msg_90', 'prt_91', completed('x')),
      main.completed('msg_90'),
    ]
    const whole = read(...turn, main.idle()).state
    for (let at = question.length; at <= turn.length; at += 1) {
      const early = [...turn.slice(0, at), main.idle(), main.status({ type: 'idle' })]
      expect(read(...early, ...turn.slice(at), main.idle()).state).toEqual(whole)
      expect(read(...early, main.idle(), ...turn.slice(at)).state).toEqual(whole)
    }
  })

  it('has nothing pending in its own conversation, and leaves others alone', () => {
    const { state } = read(
      ...question,
      main.begun('msg_90'),
      main.saying('msg_90', 'prt_90', 'So far'),
      child.created(),
      child.begun('c_2'),
      child.saying('c_2', 'c_p', 'So far'),
      main.idle(),
    )
    expect(state.blocks.at(-1)).toMatchObject({ id: 'subagent:ses_child' })
    expect(state.blocks.at(-2)).toMatchObject({ content: 'So far', status: 'complete' })
    expect(state.subagents[0]?.blocks).toMatchObject([{ content: 'So far', status: 'pending' }])
  })
})

describe('a message that is complete', () => {
  it('has nothing pending though its text was never told as a whole', () => {
    const { state } = read(
      ...question,
      main.begun('msg_90'),
      main.saying('msg_90', 'prt_90'),
      main.delta('msg_90', 'prt_90', 'Answer.'),
      main.completed('msg_90'),
    )
    expect(state.blocks.at(-1)).toMatchObject({ content: 'Answer.', status: 'complete' })
  })

  it('is what the one before it is too, once the next has begun', () => {
    const { state } = read(
      ...question,
      main.begun('msg_2'),
      main.saying('msg_2', 'prt_2', 'Cut off'),
      main.begun('msg_90'),
      main.saying('msg_90', 'prt_90', 'Ans'),
    )
    expect(state.blocks.slice(1).map(({ id, status }) => `${id} ${status}`)).toEqual([
      'prt_2 complete',
      'prt_90 pending',
    ])
  })
})
