import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findConversation } from '../../../../src/entries/index.ts'
import {
  assistantMessage,
  fromSubagent,
  init,
  modelLaunches,
  modelSays,
  readOpenStream,
  text,
} from '../messages.ts'

const CALLER = 'the message with the call'
const messageId = fc
  .oneof(fc.string({ minLength: 1 }), fc.constantFrom('main', 'toolu_a', '1', '__proto__'))
  .filter((id) => id !== CALLER)
const texts = fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 3 })

it('keeps a message of main and one of an agent with the same id apart', () => {
  fc.assert(
    fc.property(messageId, texts, texts, (id, ofMain, ofAgent) => {
      const { state } = readOpenStream(
        init,
        modelLaunches(CALLER, 'toolu_a'),
        ...ofMain.map((part) => modelSays(id, part)),
        ...ofAgent.map((part) => assistantMessage(id, text(part), fromSubagent('toolu_a'))),
      )
      const textsOf = (conversationId: string) =>
        findConversation(state, conversationId)?.blocks.flatMap((block) =>
          block.type === 'assistant_text' ? [[block.id, block.content]] : [],
        )
      // The index of a block counts those of its own message.
      const expected = (contents: readonly string[]) =>
        contents.map((content, index) => [`${id}:${index}`, content])
      expect(textsOf('main')).toEqual(expected(ofMain))
      expect(textsOf('toolu_a')).toEqual(expected(ofAgent))
    }),
  )
})
