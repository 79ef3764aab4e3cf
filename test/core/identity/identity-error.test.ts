import { expect, it } from 'vitest'
import {
  computeAgentTypeHash,
  computeConversationHash,
  computeToolSetHash,
  hashFirstAssistantResponse,
  hashSystemPrompt,
  hashUserMessage,
  IdentityError,
  identifyConversation,
} from '../../../src/entries/identity.ts'
import { createInitialConversationState } from '../../../src/entries/index.ts'

const state = createInitialConversationState()

// They threw a raw TypeError, such as "Cannot read properties of undefined".
it.each([
  [computeAgentTypeHash, ['a', undefined], ['toolSetHash']],
  [computeConversationHash, ['a', 1, 'c'], ['firstUserMessageHash']],
  [computeToolSetHash, [undefined], ['tools']],
  [computeToolSetHash, [[{ name: 'a' }, null]], ['tools', 1]],
  [computeToolSetHash, [[{ name: 1 }]], ['tools', 0, 'name']],
  [hashSystemPrompt, [undefined], ['text']],
  [hashUserMessage, [null], ['text']],
  [hashFirstAssistantResponse, [1], ['text']],
  [identifyConversation, [state, undefined], ['options', 'agentTypeHash']],
  [identifyConversation, [state, {}], ['options', 'agentTypeHash']],
])('%o names the place of a wrong value', (hash, values, path) => {
  const failed = (): unknown => Reflect.apply(hash, undefined, values)
  expect(failed).toThrow(IdentityError)
  expect(failed).toThrow(expect.objectContaining({ path, code: expect.any(String) }))
})
