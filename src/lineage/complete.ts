import { computeConversationHash, hashFirstAssistantResponse } from '../identity/conversation.ts'
import { omitUndefined } from '../json/omit-undefined.ts'
import { addTokens } from '../selectors/usage.ts'
import type { AgentCompletedEvent, AgentEntry, AgentRegistry } from './agent.ts'
import { withNews } from './entries.ts'
import { withKinTold } from './kin.ts'

/** A response has ended, or what is known of the last one is told again. */
export function completeAgent(
  registry: AgentRegistry,
  agent: AgentEntry,
  event: AgentCompletedEvent,
): AgentRegistry {
  const isRepeated = agent.status === 'complete'
  const identity = identityOf(agent, event, isRepeated)
  const next = withNews(registry, agent, event.at, {
    ...tokensOf(agent, event, isRepeated),
    ...identity,
    status: 'complete',
    completionOrder: agent.completionOrder ?? nextOrder(registry),
  })
  return identity.conversationHash ? withKinTold(next, agent.id) : next
}

function nextOrder({ agents }: AgentRegistry): number {
  return agents.reduce((next, { completionOrder = -1 }) => Math.max(next, completionOrder + 1), 0)
}

type Tokens = Pick<AgentEntry, 'inputTokens' | 'outputTokens' | 'usage'>

function tokensOf(
  { inputTokens, outputTokens, usage }: AgentEntry,
  event: AgentCompletedEvent,
  isRepeated: boolean,
): Tokens {
  const told = omitUndefined({ inputTokens: event.inputTokens, outputTokens: event.outputTokens })
  const latest = { inputTokens, outputTokens, ...told }
  if (!isRepeated)
    return {
      ...latest,
      usage: { earlier: addTokens(usage.earlier, usage.last), last: { messages: 1, ...told } },
    }
  const last = { ...usage.last, ...told }
  const isNews = last.inputTokens !== usage.last.inputTokens || last.outputTokens !== usage.last.outputTokens
  return { ...latest, usage: isNews ? { ...usage, last } : usage }
}

/** The first response makes the hash. Where its text is not told, that of a later one would make a wrong hash. */
function identityOf(
  { agentTypeHash, firstUserMessageHash, firstAssistantResponseHash, usage, completionOrder }: AgentEntry,
  { responseText }: AgentCompletedEvent,
  isRepeated: boolean,
): Partial<Pick<AgentEntry, 'firstAssistantResponseHash' | 'conversationHash'>> {
  const isFirst = isRepeated ? usage.earlier.messages === 0 : completionOrder === undefined
  if (responseText === undefined || firstAssistantResponseHash !== null || !isFirst) return {}
  const responseHash = hashFirstAssistantResponse(responseText)
  const isKnown = agentTypeHash !== undefined && firstUserMessageHash !== undefined
  return {
    firstAssistantResponseHash: responseHash,
    conversationHash: isKnown
      ? computeConversationHash(agentTypeHash, firstUserMessageHash, responseHash)
      : null,
  }
}
