import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import type { ClaudeContext } from '../context.ts'
import type { Agent } from '../memory.ts'
import { learnAgent, parentOfAgent } from './agents.ts'

/**
 * The content of an `agent-….meta.json`, as a message in line with the others: it says which call started the agent of a
 * file, and where the call is. Older files know less.
 */
export function translateAgentMeta({ agentId, meta }: JsonObject, translation: ClaudeContext): void {
  const { toolUseId, parentAgentId, spawnDepth, agentType, description, requestShape } = asObject(meta)
  const facts = omitUndefined({
    name: asString(agentType),
    description: asString(description),
    isBackground: requestShape === 'background' ? true : undefined,
  })
  if (typeof toolUseId !== 'string') return noteStranger(asString(agentId) ?? '', facts, translation)
  const statedParent = parentOfAgent({ parentAgentId, depth: spawnDepth }, translation)
  const agent = { toolUseId, agentId: asString(agentId), statedParent, hasCall: true, ...facts }
  learnAgent(omitUndefined(agent), translation)
}

/** Older files do not name the call. */
function noteStranger(agentId: string, facts: Partial<Agent>, translation: ClaudeContext): void {
  translation.remember({ strangers: translation.memory.strangers.with(agentId, facts) })
}

/** Starts the agents whose call was never met under the parent that was stated beside their files. */
export function startStated(translation: ClaudeContext): void {
  for (const { toolUseId, parent, statedParent } of translation.memory.agents.values())
    if (parent === undefined && statedParent !== undefined)
      learnAgent({ toolUseId, parent: statedParent }, translation)
}
