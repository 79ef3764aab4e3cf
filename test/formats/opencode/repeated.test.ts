import { describe, expect, it } from 'vitest'
import { findSubagent } from '../../../src/index.ts'
import { textsOf } from '../recordings.ts'
import { asked, child, completed, framed, main, question, read, running } from './messages.ts'
import { recordings, replay } from './recordings.ts'

const ABORTED = { name: 'MessageAbortedError', data: { message: 'Aborted' } }

describe('what comes again after the connection was lost', () => {
  it('is no second error', () => {
    const error = main.failed(ABORTED)
    const all = [...question, main.begun('msg_2'), error, main.completed('msg_2', { error: ABORTED })]
    expect(read(...all, error).state).toEqual(read(...all).state)
  })
  it('is the same answer to the same request', () => {
    const all = [
      ...question,
      main.event('permission.asked', { id: 'per_1', permission: 'bash', patterns: ['rm'] }),
    ]
    const reply = main.event('permission.replied', { requestID: 'per_1', reply: 'once' })
    expect(read(...all, reply, reply).state).toEqual(read(...all, reply).state)
  })
  it('takes back no text that is still being streamed', () => {
    const step = main.stepStart('msg_2', 'prt_1')
    const { state } = read(
      ...question,
      main.begun('msg_2'),
      step,
      main.saying('msg_2', 'prt_2'),
      main.delta('msg_2', 'prt_2', 'Hel'),
      step,
      main.delta('msg_2', 'prt_2', 'lo'),
    )
    expect(textsOf(state)).toEqual(['Hello'])
  })
  it('ends a session as it ended before', () => {
    for (const { events } of recordings) expect(replay(events + events).ending).toBe('finished')
  })
  it('is no report of the run that has begun since', () => {
    const again = asked(child.id, { prompt: 'Go on.', task_id: child.id })
    const note = main.told('msg_50', 'prt_50', framed(child.id, 'First.'), { synthetic: true })
    const { state } = read(
      ...question,
      main.begun('msg_10'),
      child.created(),
      main.task('msg_10', 'call-1', running(asked(child.id))),
      main.task('msg_10', 'call-1', completed(framed(child.id, 'Wait.', 'running'), asked(child.id))),
      main.user('msg_50'),
      note,
      main.begun('msg_60'),
      main.task('msg_60', 'call-2', running(again)),
      note,
    )
    expect(findSubagent(state, 'call-1')).toMatchObject({ status: 'running', runId: 'call-2' })
  })
  it('does not end the message that is open', () => {
    const old = main.completed('msg_2', { finish: 'tool-calls' })
    const { state } = read(
      ...question,
      main.begun('msg_2'),
      old,
      main.begun('msg_3'),
      main.tool('msg_3', 'prt_3', running()),
      old,
    )
    expect(state.blocks.at(-1)).toMatchObject({ type: 'tool_use', status: 'pending' })
  })
})
