import { asObject, asString, type JsonObject, parseJson } from '../../../json/values.ts'
import type { ClaudeContext } from '../context.ts'
import type { Agent } from '../memory.ts'
import { completeAgent, resumeAgent } from './agent-run.ts'
import { lastTextOf } from './find-agent.ts'

/**
 * Whether the text of a user message comes from another agent: a teammate, or an agent that used `SendMessage`. Newer
 * versions put a sentence before the tag.
 */
export function isAgentMessage(text: string): boolean {
  return /^(?:Another Claude session sent a message:\s*)?<(?:teammate|agent)-message\s[^>]*>/.test(text)
}

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

/** Whether the id is a teammate's: its name, `@` and the name of its team. */
export function isTeammateId(agentId: string | undefined): boolean {
  return agentId?.includes('@') === true
}

/** Returns the teammate with that name, which begins the agent's id. */
function findTeammate(name: string, { memory }: ClaudeContext): Agent | undefined {
  return memory.agents
    .values()
    .find(({ isTeammate, agentId }) => isTeammate === true && agentId?.startsWith(`${name}@`) === true)
}
