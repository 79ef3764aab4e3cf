import type { Line } from '../lines/line.ts'

/** Whether the line belongs to an agent that the program runs for itself. */
export function isProgramAgentLine({ agentId }: Line): boolean {
  return agentId !== undefined && isProgramAgent(agentId)
}

/**
 * Whether the program runs the agent for itself (2.0.77 on): it compacts the conversation, suggests a prompt, or answers a side
 * question. No call starts it, nothing reports its end, and it is no part of the session.
 */
export function isProgramAgent(agentId: string): boolean {
  return /^a(?:compact|prompt_suggestion|side_question)/.test(agentId)
}
