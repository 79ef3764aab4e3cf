import { describe, expect, it } from 'vitest'
import { firstLine, sessionTitle, titleFrom } from '../../../src/core/selectors/session-title.ts'
import { createInitialConversationState } from '../../../src/core/state/session.ts'

describe('the name of a session', () => {
  it('is its title, or else the first line with words of the first prompt', () => {
    expect(titleFrom({ title: ' Tea ', firstPrompt: 'Brew' })).toBe('Tea')
    expect(titleFrom({ title: ' ', firstPrompt: '<x>\n\n# Brew</x> tea\nnow' })).toBe('Brew tea')
    expect(titleFrom({})).toBeUndefined()
    expect(titleFrom({ firstPrompt: '***' })).toBeUndefined()
    expect(firstLine('- [ ] a\nb')).toBe('[ ] a')
  })

  it('needs no note that the program wrote in the name of the person', () => {
    const state = createInitialConversationState()
    const message = { type: 'user_message', status: 'complete', conversationId: 'main' } as const
    const blocks = [
      { ...message, id: 'a', origin: 'meta', content: 'A note' },
      { ...message, id: 'b', content: [{ type: 'text', text: 'Brew' }] },
    ] as const
    expect(sessionTitle({ ...state, blocks })).toBe('Brew')
    expect(sessionTitle({ blocks, session: { title: 'Tea' } })).toBe('Tea')
    expect(sessionTitle(state)).toBeUndefined()
  })
})
