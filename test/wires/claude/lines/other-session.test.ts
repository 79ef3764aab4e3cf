import { describe, expect, it } from 'vitest'
import { allRecordings, messagesIn, recording, replay } from '../../recordings.ts'
import { init, type Message, modelSays, readFiles, readStream } from '../messages.ts'

const said = (id: string, session_id: string) => ({ ...modelSays(id, `${id}.`), session_id })
const otherSessions = ({ issues }: ReturnType<typeof replay>) =>
  issues.filter(({ code }) => code === 'other-session')

// Two recordings in one stream were shown as one session, without a word.
describe('two sessions in one stream', () => {
  it('are an issue with the first line and the count of the second one', () => {
    const second = { ...init, session_id: 'b' }
    const read = readStream(
      { ...init, session_id: 'a' },
      said('m1', 'a'),
      second,
      said('m2', 'b'),
      said('m3', 'b'),
    )
    expect(otherSessions(read)).toEqual([
      { code: 'other-session', count: 1, line: 3, messageType: 'system' },
      { code: 'other-session', count: 2, line: 4, messageType: 'assistant' },
    ])
  })

  it('give the same state as the same messages of one session', () => {
    const messages = (id: string): readonly Message[] => [said('m1', 'a'), said('m2', id)]
    expect(readStream(...messages('b')).state).toEqual(readStream(...messages('a')).state)
  })

  it('are counted in joined recordings', () => {
    const [first, second] = [recording('01-plain-text'), recording('03-tools')]
    const lines = messagesIn(second.stream)
    const counts = otherSessions(replay(first.stream + second.stream)).map(({ count }) => count)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(lines.length)
  })
})

describe('no second session', () => {
  it.each(allRecordings)('is in the recording $name', ({ stream, disk }) => {
    expect(otherSessions(replay(stream))).toEqual([])
    expect(otherSessions(replay(disk))).toEqual([])
  })

  it('is in a file that a resume continued under a new id, as in 1.0.71', () => {
    const line = (id: string, sessionId: string) => ({ ...modelSays(id, 'Hi.'), sessionId })
    expect(otherSessions(readFiles([line('m1', 'a'), line('m2', 'b')]))).toEqual([])
  })

  it('is in a stream with a message of an unknown type, whatever session it names', () => {
    const unknown = { type: 'tea_break', session_id: 'b' }
    expect(otherSessions(readStream(unknown, said('m1', 'a'), unknown, said('m2', 'a')))).toEqual([])
  })

  it('is in a stream with messages of no session', () => {
    const { session_id: _, ...bare } = said('m1', 'a')
    expect(otherSessions(readStream(bare, said('m2', 'a'), { ...bare, uuid: 'u3' }))).toEqual([])
  })
})
