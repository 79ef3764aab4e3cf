import fc from 'fast-check'
import { expect, it } from 'vitest'
import { messageKey } from '../../../src/formats/claude/message-key.ts'

const id = fc.oneof(fc.string(), fc.constantFrom('main', '1', '4:3:mainm_1', '4:3:', 'm_1', ''))

it('is another one for each message of each conversation', () => {
  fc.assert(
    fc.property(id, id, id, id, (conversationId, messageId, otherConversation, otherId) => {
      const isSame = conversationId === otherConversation && messageId === otherId
      const key = messageKey({ conversationId, messageId })
      expect(key === messageKey({ conversationId: otherConversation, messageId: otherId })).toBe(isSame)
    }),
  )
})

it.each([
  { conversationId: 'main', messageId: '4:3:mainm_1' },
  { conversationId: '1', messageId: 'm' },
])('keeps $messageId of main apart from a message of an agent', ({ conversationId, messageId }) => {
  const key = messageKey({ conversationId, messageId })
  expect(messageKey({ conversationId: 'main', messageId: key })).not.toBe(key)
})
