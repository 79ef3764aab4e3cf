import { fields, type JsonObject, text } from '../../state/json.ts'
import { known } from '../../state/known.ts'
import { learnAgent, parentOfAgent } from './agents.ts'
import type { Translation } from './translation.ts'

/**
 * The content of an `agent-….meta.json`, as a message in line with the others: it says which call started the agent of a
 * file, and where the call is. Older files know less.
 */
export function translateAgentMeta({ agentId, meta }: JsonObject, translation: Translation): void {
  const { toolUseId, parentAgentId, spawnDepth, agentType, description, requestShape } = fields(meta)
  if (typeof toolUseId !== 'string') return
  learnAgent(
    known({
      toolUseId,
      agentId: text(agentId),
      parent: parentOfAgent({ parentAgentId, depth: spawnDepth }, translation),
      name: text(agentType),
      description: text(description),
      isBackground: requestShape === 'background' ? true : undefined,
    }),
    translation,
  )
}
