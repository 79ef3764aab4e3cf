import { expect, it } from 'vitest'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import { init, modelSays, userMessage } from '../messages.ts'

/** A prompt as a client writes it to the program's input: without a uuid, and before it knows the session. */
const sent = (content: string) => {
  const { uuid: _, ...message } = userMessage(content)
  return { ...message, session_id: '' }
}
const named = (content: string, uuid: string) => ({ ...userMessage(content), uuid })

function read(...messages: readonly unknown[]) {
  const { session, issues } = claudeSource.read(claudeSource.open(), messages)
  return {
    issues,
    prompts: session.state.blocks.flatMap((block) => (block.type === 'user_message' ? [block.content] : [])),
  }
}

// Each later message was an issue, because the session of the client's line counted as that of the stream.
it('a prompt that the client sends names no session', () => {
  const { issues, prompts } = read(sent('Hi.'), init, modelSays('m1', 'Hello.'))
  expect(issues).toEqual([])
  expect(prompts).toEqual(['Hi.'])
})

it('a prompt that the program repeats under its uuid is there once', () => {
  expect(read(sent('Hi.'), named('Hi.', 'u1'), named('Hi.', 'u1')).prompts).toEqual(['Hi.'])
})

it('the same words again are another prompt', () => {
  expect(read(sent('Go on.'), sent('Go on.')).prompts).toEqual(['Go on.', 'Go on.'])
  expect(read(sent('Go on.'), named('Go on.', 'u1'), named('Go on.', 'u2')).prompts).toHaveLength(2)
})
