import { describe, expect, it } from 'vitest'
import { hashUserMessage, identifySession } from '../../src/entries/identity.ts'
import { findConversation, type SessionConversationState } from '../../src/entries/index.ts'
import {
  type AgentEvent,
  buildAgentTree,
  createAgentRegistry,
  sessionClaims,
} from '../../src/entries/lineage.ts'
import { allSessions } from '../checks/parity/sessions.ts'
import { runFrom } from '../core/lineage/events.ts'

const agentTypeHash = 'type'

/** The events that a gateway sees of a session: each agent's first request, its calls, and its first response. */
function eventsOf(state: SessionConversationState): readonly AgentEvent[] {
  const claims = sessionClaims(state, { agentTypeHash })
  const agents = ['main', ...state.subagents.map(({ toolUseId }) => toolUseId)]
  return agents.flatMap((agentId, at): readonly AgentEvent[] => {
    const prompt = promptIn(state, agentId)
    const start = { type: 'agent:started', agentId, at, agentTypeHash, isMain: agentId === 'main' } as const
    const responseText = responseIn(state, agentId)
    return [
      prompt === undefined ? start : { ...start, firstUserMessageHash: hashUserMessage(prompt) },
      ...claims.flatMap(({ parentAgentId, parentAgentTypeHash, ...claim }): readonly AgentEvent[] =>
        parentAgentId === agentId ? [{ type: 'agent:spawning', agentId, at, ...claim }] : [],
      ),
      ...(responseText === undefined
        ? []
        : [{ type: 'agent:completed', agentId, at, responseText } as const]),
    ]
  })
}

function promptIn(state: SessionConversationState, id: string): string | undefined {
  const asked = state.blocks.find((block) => block.type === 'user_message' && block.origin === undefined)
  if (id !== 'main') return state.subagents.find(({ toolUseId }) => toolUseId === id)?.prompt
  if (asked?.type !== 'user_message') return undefined
  const { content } = asked
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n')
}

/** The text of the first message; a message with only tool calls has none. */
function responseIn(state: SessionConversationState, id: string): string | undefined {
  const blocks = findConversation(state, id)?.blocks ?? []
  const modelBlocks = blocks.filter((block) => 'messageId' in block && block.messageId !== undefined)
  const first = modelBlocks[0] && 'messageId' in modelBlocks[0] ? modelBlocks[0].messageId : undefined
  if (first === undefined) return undefined
  const text = modelBlocks.find((block) => block.type === 'assistant_text' && block.messageId === first)
  return text?.type === 'assistant_text' ? text.content : ''
}

describe.each(allSessions)('a gateway that sees $name', ({ stored }) => {
  const { registry } = runFrom(createAgentRegistry(), eventsOf(stored))

  it('links its agents as the session does', () => {
    const known = Object.fromEntries(
      stored.subagents.map(({ toolUseId, parentConversationId }) => [toolUseId, parentConversationId]),
    )
    const found = Object.fromEntries(
      registry.agents.slice(1).map(({ id, parentAgentId }) => [id, parentAgentId]),
    )
    expect(found).toEqual(known)
    expect(buildAgentTree(registry).filter(({ lineage }) => lineage !== 'root')).toEqual([])
  })

  it('knows them by the hashes that the session has', () => {
    for (const conversation of identifySession(stored, { agentTypeHash })) {
      const { conversationId, identity, parentConversationHash } = conversation
      const agent = registry.agents.find(({ id }) => id === conversationId)
      // The gateway knows more than the session: the end of each message, and the messages of forks.
      if (identity && !isForked(stored, conversationId))
        expect(agent?.conversationHash).toBe(identity.conversationHash)
      if (parentConversationHash !== null) expect(agent?.parentConversationHash).toBe(parentConversationHash)
    }
  })
})

/** A fork begins with its parent's message. The gateway sees the whole message, the session only the fork's own part. */
function isForked(state: SessionConversationState, id: string): boolean {
  const own = findConversation(state, id)?.blocks ?? []
  const parentId = state.subagents.find(({ toolUseId }) => toolUseId === id)?.parentConversationId ?? ''
  const theirs = new Set(findConversation(state, parentId)?.blocks.map((block) => block.id))
  return id !== 'main' && own.some((block) => theirs.has(block.id))
}
