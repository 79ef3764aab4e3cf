import { describe, expect, it } from 'vitest'
import { textsOf } from '../recordings.ts'
import { answer, event, question, read } from './messages.ts'

describe('an event that names no session', () => {
  const failure = event('session.error', {
    error: { name: 'UnknownError', data: { message: 'a skill is broken' } },
  })
  it('is no session of its own when its type is not known', () => {
    expect(read(event('tea.break', {}), ...question, ...answer).state).toEqual(
      read(...question, ...answer).state,
    )
  })
  it('is said of main, though it comes before anything else', () => {
    const { state, issues } = read(failure, ...question, ...answer)
    expect(textsOf(state)).toEqual(['Answer.'])
    expect(issues.map(({ code }) => code)).not.toContain('other-session')
  })
  it('starts no conversation', () =>
    expect(read(...question, ...answer, failure).state.subagents).toEqual([]))
})
