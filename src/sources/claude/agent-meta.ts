import { fields, type JsonObject, text } from '../../state/json.ts'
import { known } from '../../state/known.ts'
import { learnAgent, parentOfAgent } from './agents.ts'
import type { Agent } from './memory.ts'
import type { Translation } from './translation.ts'

/**
 * The content of an `agent-….meta.json`, as a message in line with the others: it says which call started the agent of a
 * file, and where the call is. Older files know less.
 */
export function translateAgentMeta({ agentId, meta }: JsonObject, translation: Translation): void {
  const { toolUseId, parentAgentId, spawnDepth, agentType, description, requestShape } = fields(meta)
  const facts = known({
    name: text(agentType),
    description: text(description),
    isBackground: requestShape === 'background' ? true : undefined,
  })
  if (typeof toolUseId !== 'string') return noteStranger(text(agentId) ?? '', facts, translation)
  const statedParent = parentOfAgent({ parentAgentId, depth: spawnDepth }, translation)
  const agent = { toolUseId, agentId: text(agentId), statedParent, hasCall: true, ...facts }
  learnAgent(known(agent), translation)
}

/** Older files do not name the call. */
function noteStranger(agentId: string, facts: Partial<Agent>, translation: Translation): void {
  translation.remember({ strangers: translation.memory.strangers.with(agentId, facts) })
}

/** Starts the agents whose call was never met under the parent that was stated beside their files. */
export function startStated(translation: Translation): void {
  for (const { toolUseId, parent, statedParent } of translation.memory.agents.values())
    if (parent === undefined && statedParent !== undefined)
      learnAgent({ toolUseId, parent: statedParent }, translation)
}
