import { omitUndefined } from '../../../core/json/fields.ts'
import { asObject, asString, type JsonObject, parseJson } from '../../../core/json/values.ts'
import { teammateMessages } from '../../../programs/claude-code/framed-text.ts'
import { finalizeTokens } from '../blocks/usage.ts'
import { agentCallOf } from '../lines/own-ids.ts'
import type { ClaudeContext, ClaudeMemory } from '../notes.ts'
import { type Agent, agentsWith, lastTextOf, parentOfAgent, teammateName } from './agent.ts'
import { completeAgent, resumeAgent } from './agent-run.ts'
import { registerAgent, storeAgentWithoutCall } from './register-agent.ts'
import { registerAgentOfRun } from './workflow.ts'

/** Completes the teammates whose messages report that they are idle, or have shut down. A teammate goes idle after each of its turns. */
export function completeIdleTeammates(text: string, context: ClaudeContext): void {
  for (const { sender, body } of teammateMessages(text)) {
    const report = asObject(parseJson(body))
    const agent = IDLE_TYPES.has(report.type) ? reportedTeammate(sender, report, context) : undefined
    if (!agent || agent.hasEnded) continue
    const status = FAILURES.has(report.idleReason) ? 'error' : 'completed'
    const output = lastTextOf(agent, context.state) ?? asString(report.result)
    completeAgent(agent, { status, output }, context)
    // A teammate that shuts down stops its last message, and no line states later tokens.
    const last = context.state.usagesOf(agent.toolUseId).at(-1)
    if (last) finalizeTokens({ conversationId: agent.toolUseId, messageId: last.messageId }, context)
  }
}

const IDLE_TYPES: ReadonlySet<unknown> = new Set([
  'idle_notification',
  'shutdown_approved',
  'teammate_terminated',
])

const FAILURES: ReadonlySet<unknown> = new Set(['failed', 'interrupted'])

/** The program itself reports that a teammate has shut down, and names it only in its words. */
function reportedTeammate(
  sender: string,
  { from, agent_id, agentId, teammate_id, name, message }: JsonObject,
  memory: ClaudeMemory,
): Agent | undefined {
  const words = asString(message)?.split(/[^\w@-]+/) ?? []
  const names = [sender, from, agent_id, agentId, teammate_id, name, ...words]
  for (const each of names) {
    const agent = typeof each === 'string' ? findTeammate(each, memory) : undefined
    if (agent) return agent
  }
  return undefined
}

/** Resumes the teammate that a call of `SendMessage` writes to. */
export function resumeTeammate(callId: string, toolUseResult: JsonObject, context: ClaudeContext): void {
  const target = asString(asObject(toolUseResult.routing).target)
  const agent = target === undefined ? undefined : findTeammate(target.replace(/^@/, ''), context)
  if (agent) resumeAgent(agent, { callId }, context)
}

/** Returns the teammate with that name or id. A later one may have the name of one that has shut down. */
function findTeammate(name: string, memory: ClaudeMemory): Agent | undefined {
  const own = teammateName(name) ?? name
  return agentsWith(
    ({ agentId }) => agentId === name || (agentId !== undefined && teammateName(agentId) === own),
    memory,
  ).at(-1)
}

/**
 * Translates the content of an `agent-….meta.json`, which arrives as a line of its own. From 2.1.197 on, it names the
 * call that started the agent, and from 2.1.330 on also the parent of a nested agent. Version 2.1.70 states only the
 * type.
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
  if (typeof toolUseId !== 'string')
    return storeAgentWithoutCall(asString(agentId) ?? '', facts, context.notes)
  const parentFromMeta = parentOfAgent({ parentAgentId, depth: spawnDepth }, context)
  const id = asString(agentId)
  const agent = omitUndefined({ agentId: id, parentFromMeta, hasCall: true, ...facts })
  registerAgent(agentCallOf(toolUseId, { agentId: id }, context), agent, context)
}

/** Takes the parent from the meta file for agents whose call was not in the input. */
export function registerParentsFromMeta(context: ClaudeContext): void {
  for (const [toolUseId, { parentFromMeta }] of context.notes.values.agents.entries())
    if (parentFromMeta !== undefined) registerAgent(toolUseId, { parent: parentFromMeta }, context)
}
