import { describe, expect, it } from 'vitest'
import { parseTranscript, pendingRequests, sessionStatus } from '../../src/entries/index.ts'
import { opencodeSource, opencodeTranscript } from '../../src/entries/opencode.ts'
import { messagesOf, textOf } from './reports.ts'

const read = (path: string) => textOf(`opencode/${path}`)
/** The messages of a bus. */
const busOf = (report: string) => messagesOf(`opencode/${report}/bus.ndjson`)
const stateOf = (text: string) => parseTranscript('opencode', opencodeTranscript({ 'export.json': text }))

describe('a permission after a reopening', () => {
  const text = read('permission-after-reopen/export.json')
  const asked = busOf('permission-after-reopen')
  const question = {
    type: 'question.asked',
    properties: { id: 'que_1', sessionID: 'ses_d00dfeed0001', questions: [{ question: 'Sure?' }] },
  }

  it.each([
    ['of a call that runs', text],
    ['of a call that waits', text.replace(/"status":\s*"running"/, '"status":"pending"')],
  ])('is pending until its answer: %s', (_, history) => {
    const open = opencodeSource.read(opencodeSource.open(stateOf(history)), [...asked, ...asked, question])
    expect(pendingRequests(open.session.state).map(({ block }) => block.id)).toEqual([
      'per_toolu_p1',
      'que_1',
    ])
    expect(sessionStatus(open.session.state)).toBe('waiting')
    const replied = { sessionID: 'ses_d00dfeed0001', requestID: 'per_toolu_p1', reply: 'once' }
    const answered = opencodeSource.read(open.session, [{ type: 'permission.replied', properties: replied }])
    expect(pendingRequests(answered.session.state).map(({ block }) => block.id)).toEqual(['que_1'])
  })
})

it('a session that is over changes nothing when its messages come again', () => {
  const state = stateOf(read('status-told-again/export.json'))
  expect(sessionStatus(state)).toBe('interrupted')
  const bus = busOf('status-told-again')
  for (const start of bus.keys())
    for (let end = start + 1; end <= bus.length; end += 1) {
      const { session } = opencodeSource.read(opencodeSource.open(state), bus.slice(start, end))
      expect([start, end, session.state.turn, session.state.blocks]).toEqual([
        start,
        end,
        state.turn,
        state.blocks,
      ])
    }
})
