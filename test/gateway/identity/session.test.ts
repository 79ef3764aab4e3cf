import { describe, expect, it } from 'vitest'
import { identifyConversation, identifySession } from '../../../src/entries/identity.ts'
import { recording, replay } from '../../wires/recordings.ts'

const agentTypeHash = 'type'

describe('identifySession', () => {
  const { disk, stream } = recording('06-nested-forward')
  const stored = replay(disk).state

  it('returns every conversation and its parent', () => {
    const [main, outer, inner] = identifySession(stored, { agentTypeHash })
    expect(main).toMatchObject({ conversationId: 'main', parentConversationHash: null })
    expect(outer).toMatchObject({
      name: 'general-purpose',
      parentConversationId: 'main',
      parentConversationHash: main?.identity?.conversationHash,
    })
    expect(inner).toMatchObject({
      parentConversationId: outer?.conversationId,
      parentConversationHash: outer?.identity?.conversationHash,
    })
    expect(inner?.identity).toEqual(
      identifyConversation(stored, { agentTypeHash, conversationId: inner?.conversationId ?? '' }),
    )
  })

  it('is null if the stream lacks the prompt, and the same if it has it', () => {
    const [main, ...others] = identifySession(replay(stream).state, { agentTypeHash })
    expect(main?.identity).toBeNull()
    expect(others.map(({ identity }) => identity)).toEqual(
      identifySession(stored, { agentTypeHash })
        .slice(1)
        .map(({ identity }) => identity),
    )
    expect(others[0]?.parentConversationHash).toBeNull()
  })

  it('takes main’s prompt from the options', () => {
    const [stored_] = identifySession(stored, { agentTypeHash })
    const prompt = stored.blocks.find((block) => block.type === 'user_message')
    const firstUserText = prompt?.type === 'user_message' ? String(prompt.content) : ''
    const [live] = identifySession(replay(stream).state, { agentTypeHash, firstUserText })
    expect(live?.identity).toEqual(stored_?.identity)
  })

  it('asks for the type hash of each agent by name', () => {
    const asked: unknown[] = []
    identifySession(stored, {
      agentTypeHash: (name) => {
        asked.push(name)
        return `${name}`
      },
    })
    expect(asked).toEqual([undefined, 'general-purpose', 'general-purpose'])
  })
})
