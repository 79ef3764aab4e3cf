import { omitUndefined } from '../../../core/json/fields.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { ClaudeContext } from '../context.ts'
import { agentCallOf } from '../lines/own-ids.ts'
import { parentOfAgent } from './find-agent.ts'
import { registerAgent, storeAgentWithoutCall } from './register-agent.ts'
import { registerAgentOfRun } from './workflow.ts'

/**
 * Translates the content of an `agent-….meta.json`, which arrives as a line of its own. From 2.1.197 on, it names the call
 * that started the agent, and from 2.1.330 on also the parent of a nested agent. Version 2.1.70 states only the type.
 */
export function translateAgentMeta({ agentId, meta }: JsonObject, context: ClaudeContext): void {
  const { toolUseId, parentAgentId, spawnDepth, agentType, description, requestShape, ...others } =
    asObject(meta)
  const { runId: workflowRun, workflowPhase: phase } = others
  if (typeof workflowRun === 'string') {
    const name = asString(description) ?? asString(agentType)
    const facts = omitUndefined({ name, phase: asString(phase), workflowRun })
    return registerAgentOfRun(asString(agentId) ?? '', facts, context)
  }
  const facts = omitUndefined({
    name: asString(agentType),
    description: asString(description),
    isBackground: requestShape === 'background' ? true : undefined,
  })
  if (typeof toolUseId !== 'string') return storeAgentWithoutCall(asString(agentId) ?? '', facts, context)
  const parentFromMeta = parentOfAgent({ parentAgentId, depth: spawnDepth }, context)
  const id = asString(agentId)
  const agent = omitUndefined({ agentId: id, parentFromMeta, hasCall: true, ...facts })
  registerAgent(agentCallOf(toolUseId, { agentId: id }, context), agent, context)
}

/** Takes the parent from the meta file for agents whose call was not in the input. */
export function registerParentsFromMeta(context: ClaudeContext): void {
  for (const [toolUseId, { parentFromMeta }] of context.notes.agents.entries())
    if (parentFromMeta !== undefined) registerAgent(toolUseId, { parent: parentFromMeta }, context)
}
