import { describe, expect, it } from 'vitest'
import { answer, event, prompt, readEvents } from '../messages.ts'

describe('an event that names no session', () => {
  const failure = event('session.error', {
    error: { name: 'UnknownError', data: { message: 'a skill is broken' } },
  })
  it('creates no conversation', () =>
    expect(readEvents(...prompt, ...answer, failure).state.subagents).toEqual([]))
})
