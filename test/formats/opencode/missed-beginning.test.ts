import { describe, expect, it } from 'vitest'
import { textsOf } from '../recordings.ts'
import { answer, child, main, pending, question, read, Session, toText, work } from './messages.ts'
import { replay } from './recordings.ts'

const other = new Session('ses_other')

describe('a session of which the beginning was missed', () => {
  it('is another one where run lines name a second', () => {
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
    const { state, issues } = replay(toText([text('a'), text('b')]))
    expect(state.subagents).toEqual([])
    expect(issues).toMatchObject([{ code: 'other-session' }])
  })
  it('is left out when it turns out to be another main session', () => {
    const { state } = read(...question, other.begun('m'), other.said('m', 'p', 'Not ours.'), other.updated())
    expect(state.subagents).toEqual([])
  })
  it('is left out when it turns out to be of another main session', () => {
    const grand = new Session('ses_gc', other.id)
    const { state } = read(...question, grand.created(), ...work(grand, 'Not ours.'), other.updated())
    expect(state.subagents).toEqual([])
  })
  it('waits until it is known who started it, and leaves main to its parent', () => {
    const { state } = read(child.delta('c_2', 'c_p', 'x'), child.updated(), main.updated(), ...answer)
    expect(textsOf(state)).toEqual(['Answer.'])
  })
  it('is no subagent of its own before it has said anything', () => {
    const { state } = read(
      ...question,
      main.begun('msg_10'),
      main.task('msg_10', 'call-1', pending),
      child.created(),
    )
    expect(state.subagents).toHaveLength(1)
  })
})
