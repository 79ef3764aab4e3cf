import { describe, expect, it } from 'vitest'
import { textsOf } from '../../recordings.ts'
import {
  answer,
  child,
  main,
  pending,
  prompt,
  readEvents,
  SessionEvents,
  subagentTurn,
  toLines,
} from '../messages.ts'
import { replay } from '../recordings.ts'

const other = new SessionEvents('ses_other')

describe('a session without its first events', () => {
  it('is another session if run lines name two', () => {
    const text = (sessionID: string) => ({
      type: 'text',
      timestamp: 1,
      sessionID,
      part: {
        id: `p${sessionID}`,
        messageID: 'm',
        sessionID,
        type: 'text',
        text: sessionID,
        time: { start: 1, end: 2 },
      },
    })
    const { state, issues } = replay(toLines([text('a'), text('b')]))
    expect(state.subagents).toEqual([])
    expect(issues).toMatchObject([{ code: 'other-session' }])
  })
  it('is ignored if it proves to be another main session', () => {
    const { state } = readEvents(
      ...prompt,
      other.assistantStart('m'),
      other.wholeText('m', 'p', 'Not ours.'),
      other.updated(),
    )
    expect(state.subagents).toEqual([])
  })
  it('is ignored if it proves to be a subagent of another main session', () => {
    const grand = new SessionEvents('ses_gc', other.id)
    const { state } = readEvents(
      ...prompt,
      grand.created(),
      ...subagentTurn(grand, 'Not ours.'),
      other.updated(),
    )
    expect(state.subagents).toEqual([])
  })
  it('waits for its parent, which then is main', () => {
    const { state } = readEvents(child.delta('c_2', 'c_p', 'x'), child.updated(), main.updated(), ...answer)
    expect(textsOf(state)).toEqual(['Answer.'])
  })
  it('is no subagent before its first message', () => {
    const { state } = readEvents(
      ...prompt,
      main.assistantStart('msg_10'),
      main.task('msg_10', 'call-1', pending),
      child.created(),
    )
    expect(state.subagents).toHaveLength(1)
  })
})
