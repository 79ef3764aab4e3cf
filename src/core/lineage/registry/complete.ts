import type { Draft } from 'immer'
import { computeConversationHash, hashFirstAssistantResponse } from '../../identity/hashes.ts'
import { omitUndefined } from '../../json/fields.ts'
import { addTokens } from '../../selectors/usage.ts'
import type { AgentCompletedEvent, AgentEntry, AgentRegistry } from './agent.ts'
import { advanceTime, listOf, updateAgent } from './entries.ts'
import { propagateHash } from './link.ts'

/** Ends a response of an agent. A second completion of the same response adds facts to the first. */
export function completeAgent(
  registry: AgentRegistry,
  agent: AgentEntry,
  event: AgentCompletedEvent,
): AgentRegistry {
  const isRepeated = agent.status === 'complete'
  const isFirst = isRepeated ? agent.usage.earlier.messages === 0 : agent.completionOrder === undefined
  const hadHash = agent.firstAssistantResponseHash !== null
  const next = updateAgent(registry, agent, (draft) => {
    addUsage(draft, event, isRepeated)
    if (isFirst && !hadHash) hashResponse(draft, event)
    draft.status = 'complete'
    draft.completionOrder ??= listOf(registry).nextCompletion
    advanceTime(draft, event.at)
  })
  return isFirst && !hadHash ? propagateHash(next, agent.id) : next
}

function addUsage(agent: Draft<AgentEntry>, event: AgentCompletedEvent, isRepeated: boolean): void {
  const { usage } = agent
  const tokens = omitUndefined({ inputTokens: event.inputTokens, outputTokens: event.outputTokens })
  if (!isRepeated) {
    usage.earlier = addTokens(usage.earlier, usage.last)
    usage.last = { messages: 1 }
  }
  Object.assign(usage.last, tokens)
  Object.assign(agent, tokens)
}

/** The RFC hashes the first response. The text of a later response would give a wrong hash. */
function hashResponse(agent: Draft<AgentEntry>, { responseText }: AgentCompletedEvent): void {
  if (responseText === undefined) return
  const { agentTypeHash, firstUserMessageHash } = agent
  const responseHash = hashFirstAssistantResponse(responseText)
  agent.firstAssistantResponseHash = responseHash
  agent.isDistinct = responseText.trim() !== ''
  if (agentTypeHash !== undefined && firstUserMessageHash !== undefined)
    agent.conversationHash = computeConversationHash(agentTypeHash, firstUserMessageHash, responseHash)
}
