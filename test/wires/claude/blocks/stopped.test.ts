import { expect, it } from 'vitest'
import { assistantMessage, readFiles, text, userMessage } from '../messages.ts'

// A person stopped the call of this message in its input, so the message has no stop reason.
it('has final tokens of a message that a person stopped', () => {
  const stopped = assistantMessage(
    'm1',
    text('I write it down.'),
    {},
    { usage: { input_tokens: 213, output_tokens: 1 } },
  )
  const note = userMessage('[Request interrupted by user]', { interruptedMessageId: 'm1' })
  const { usage } = readFiles([userMessage('Go.'), stopped, note]).state
  expect(usage).toMatchObject([{ messageId: 'm1', final: true, inputTokens: 213, outputTokens: 1 }])
})
