import { describe, expect, it } from 'vitest'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionEvent,
} from '../../../../src/entries/index.ts'
import { complete, delta, idle, remove } from '../example.ts'

describe('no placeholder is created', () => {
  it.each<[string, SessionEvent]>([
    ['block:delta', delta('a', 'x', 'T')],
    ['block:removed', remove('a', 'T')],
    ['session:idle', idle('T')],
    ['session:updated', { type: 'session:updated', conversationId: 'T', facts: {} }],
    ['a completion’s conversationId', complete('main', { conversationId: 'T' })],
  ])('by %s', (_, event) => {
    const empty = createInitialConversationState()
    expect(reduceSessionEvents(empty, [event])).toBe(empty)
  })
})
