import { asObject, asString, type JsonObject, parseJson } from '../../../core/json/values.ts'
import { teammateMessages } from '../../../programs/claude-code/framed-text.ts'
import { finalizeTokens } from '../blocks/usage.ts'
import type { ClaudeContext } from '../context.ts'
import { type Agent, agentsWith, lastTextOf, teammateName } from './agent.ts'
import { completeAgent, resumeAgent } from './agent-run.ts'

/** Completes the teammates whose messages report that they are idle, or have shut down. A teammate goes idle after each of its turns. */
export function completeIdleTeammates(text: string, context: ClaudeContext): void {
  for (const { sender, body } of teammateMessages(text)) {
    const report = asObject(parseJson(body))
    const agent = IDLE_TYPES.has(report.type) ? reportedTeammate(sender, report, context) : undefined
    if (!agent || agent.hasEnded) continue
    const status = FAILURES.has(report.idleReason) ? 'error' : 'completed'
    const output = lastTextOf(agent, context) ?? asString(report.result)
    completeAgent(agent, { status, output }, context)
    // A teammate that shuts down stops its last message, and no line states later tokens.
    const last = context.usagesOf(agent.toolUseId).at(-1)
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
  context: ClaudeContext,
): Agent | undefined {
  const words = asString(message)?.split(/[^\w@-]+/) ?? []
  const names = [sender, from, agent_id, agentId, teammate_id, name, ...words]
  for (const each of names) {
    const agent = typeof each === 'string' ? findTeammate(each, context) : undefined
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
function findTeammate(name: string, context: ClaudeContext): Agent | undefined {
  const own = teammateName(name) ?? name
  return agentsWith(
    ({ agentId }) => agentId === name || (agentId !== undefined && teammateName(agentId) === own),
    context,
  ).at(-1)
}
