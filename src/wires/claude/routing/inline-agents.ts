import { asString, type JsonObject } from '../../../core/json/values.ts'
import { textsOfParts } from '../../../programs/claude-code/texts.ts'
import { typeName } from '../../../reading/context.ts'
import { agentsWith, findAgent, hasRunningAgents } from '../agents/agent.ts'
import { hasPrompt } from '../blocks/user.ts'
import type { Line } from '../lines/line.ts'
import { readLine } from '../lines/read-lines.ts'
import type { ClaudeContext, ClaudeMemory } from '../notes.ts'
import { INLINE, releaseGroup } from './early-lines.ts'

/**
 * Whether the line belongs to a subagent inside the session's own file. Versions up to 2.0.14 write such lines,
 * without an agent id. All lines of one agent come in one piece, directly before the result of its call. So they wait
 * for that result.
 */
export function isInlineAgentLine({ raw, agentId }: Line): boolean {
  return raw.isSidechain === true && agentId === undefined
}

/** Whether an agent runs that inline lines may belong to. */
export function mayHaveInlineAgent(memory: ClaudeMemory): boolean {
  return memory.notes.values.buffered.get(INLINE) !== undefined || hasRunningAgents(memory)
}

/**
 * Releases the inline lines when main's next line arrives, or at the end of the input (`next` is undefined). The
 * lines belong to the agent whose call `next` answers, else to the first agent with the same prompt.
 */
export function* releaseInlineLines(next: Line | undefined, context: ClaudeContext): Generator<Line, void> {
  const lines = releaseGroup(INLINE, context.notes)
  if (lines.length === 0) return
  const toolUseId = (next && answeredAgent(next, context)) ?? promptedAgent(lines, context)
  for (const raw of lines) {
    if (toolUseId === undefined) context.reportUnknown('unplaced-message', typeName(raw.type))
    else yield readLine(context, raw, toolUseId)
  }
}

/** Returns the agent whose call the line answers. */
function answeredAgent({ parts }: Line, memory: ClaudeMemory): string | undefined {
  for (const part of parts) {
    const toolUseId = asString(part.tool_use_id)
    if (toolUseId !== undefined && findAgent(toolUseId, memory)) return toolUseId
  }
  return undefined
}

/** Returns the first agent with the same prompt whose own first line the source has not read. */
function promptedAgent([first]: readonly JsonObject[], context: ClaudeContext): string | undefined {
  const prompt = first && textsOfParts(readLine(context, first).parts)[0]
  const [agent] = agentsWith(
    (each) => each.prompt === prompt && !hasPrompt(each.toolUseId, context.state),
    context,
  )
  return agent?.toolUseId
}

/** Whether the line belongs to an agent that the program runs for itself. */
export function isProgramAgentLine({ agentId }: Line): boolean {
  return agentId !== undefined && isProgramAgent(agentId)
}

/**
 * Whether the program runs the agent for itself (2.0.77 on): it compacts the conversation, suggests a prompt, or
 * answers a side question. No call starts it, nothing reports its end, and it is no part of the session.
 */
export function isProgramAgent(agentId: string): boolean {
  return /^a(?:compact|prompt_suggestion|side_question)/.test(agentId)
}
