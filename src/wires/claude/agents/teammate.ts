import { asObject, asString, type JsonObject, parseJson } from '../../../json/values.ts'
import type { ClaudeContext } from '../context.ts'
import { type Agent, agentsWith, lastTextOf } from './agent.ts'
import { completeAgent, resumeAgent } from './agent-run.ts'

/** Completes the teammates whose messages report that they are idle. A teammate goes idle after each of its turns. */
export function completeIdleTeammates(text: string, context: ClaudeContext): void {
  for (const [, name = '', body = ''] of text.matchAll(TEAMMATE_MESSAGE)) {
    const { type, idleReason } = asObject(parseJson(body))
    const agent = IDLE_TYPES.has(type) ? findTeammate(name, context) : undefined
    if (!agent || agent.hasEnded) continue
    const status = idleReason === 'failed' ? 'error' : 'completed'
    completeAgent(agent, { status, output: lastTextOf(agent, context) }, context)
  }
}

const TEAMMATE_MESSAGE = /<teammate-message\s[^>]*?teammate_id="([^"]*)"[^>]*>([^<]*)<\/teammate-message>/g
const IDLE_TYPES: ReadonlySet<unknown> = new Set([
  'idle_notification',
  'shutdown_approved',
  'teammate_terminated',
])

/** Resumes the teammate that a call of `SendMessage` writes to. */
export function resumeTeammate(callId: string, toolUseResult: JsonObject, context: ClaudeContext): void {
  const target = asString(asObject(toolUseResult.routing).target)
  const agent = target === undefined ? undefined : findTeammate(target.replace(/^@/, ''), context)
  if (agent) resumeAgent(agent, { callId }, context)
}

/** Returns the teammate with that name, which begins the agent's id. */
function findTeammate(name: string, context: ClaudeContext): Agent | undefined {
  return agentsWith(({ agentId }) => agentId?.startsWith(`${name}@`) === true, context)[0]
}
