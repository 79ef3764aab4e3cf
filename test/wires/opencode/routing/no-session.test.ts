import { describe, expect, it } from 'vitest'
import { textsOf } from '../../recordings.ts'
import { answer, event, prompt, readEvents } from '../messages.ts'

describe('an event that names no session', () => {
  const failure = event('session.error', {
    error: { name: 'UnknownError', data: { message: 'a skill is broken' } },
  })
  it('creates no session if its type is unknown', () => {
    expect(readEvents(event('tea.break', {}), ...prompt, ...answer).state).toEqual(
      readEvents(...prompt, ...answer).state,
    )
  })
  it('belongs to main, even if it is the first event', () => {
    const { state, issues } = readEvents(failure, ...prompt, ...answer)
    expect(textsOf(state)).toEqual(['Answer.'])
    expect(issues.map(({ code }) => code)).not.toContain('other-session')
  })
  it('creates no conversation', () =>
    expect(readEvents(...prompt, ...answer, failure).state.subagents).toEqual([]))
})
