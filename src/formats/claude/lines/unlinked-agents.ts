import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import { bufferedItems } from '../../translation/buffer.ts'
import { compareStrings, sortedByOrder } from '../../translation/order.ts'
import { type AgentNews, learnAgent } from '../agents/agents.ts'
import type { ClaudeContext } from '../context.ts'
import type { Agent, Stray } from '../memory.ts'
import { contentParts, texts } from './content.ts'
import { detailsOf, type Line, readLine } from './line.ts'

/**
 * Whether the line is of an agent's own file while nothing has told which call started the agent. Newer versions note it
 * beside the file; before 2.1.197 the call's result is the first to tell: several calls may have the same prompt.
 */
export function isStray({ raw, agentId }: Line, { memory }: ClaudeContext): boolean {
  if (agentId === undefined || raw.type === 'agent_meta' || raw.parent_tool_use_id !== undefined) return false
  return memory.toolUseIds.get(agentId) === undefined
}

/** Keeps the line until its agent's call is known. */
export function holdStray({ raw, agentId = '' }: Line, translation: ClaudeContext): void {
  const { strays } = translation.memory
  const { first = raw, last } = strays.get(agentId) ?? {}
  const stray = { agentId, first, last: { item: raw, before: last } }
  translation.remember({ strays: strays.with(agentId, stray) })
}

/** Returns the lines of the agent that a result names: they come before the result, which ends it. */
export function releaseNamed(line: Line, translation: ClaudeContext): readonly JsonObject[] {
  const agentId = asString(detailsOf(line).agentId) ?? ''
  const stray = translation.memory.strays.get(agentId)
  const toolUseId = contentParts(line.message.content).flatMap((part) => asString(part.tool_use_id) ?? [])[0]
  if (!stray || toolUseId === undefined) return []
  link({ agentId, toolUseId }, translation)
  return release(stray, translation)
}

/** Returns the lines of the agent that a note beside its file has told of. */
export function releaseNoted({ agentId }: JsonObject, translation: ClaudeContext): readonly JsonObject[] {
  const { strays, toolUseIds } = translation.memory
  const stray = strays.get(asString(agentId) ?? '')
  return stray && toolUseIds.get(stray.agentId) !== undefined ? release(stray, translation) : []
}

/**
 * At the end of the input the calls and agents with one prompt belong together in their order. Agents that the program
 * starts for itself, to warm up, belong to no call and are left out; others stand by themselves.
 */
export function endStrays(
  translation: ClaudeContext,
  translateLine: (line: Line, translation: ClaudeContext) => void,
): void {
  for (const stray of translation.memory.strays.values().sort(byTime)) {
    const prompt = promptOf(stray)
    const call = unnamedCall(prompt, translation)
    if (call) link({ agentId: stray.agentId, toolUseId: call.toolUseId }, translation)
    else if (prompt === 'Warmup') continue
    for (const raw of release(stray, translation))
      translateLine(readLine(translation.memory, raw), translation)
  }
}

/** The first call with that prompt whose agent nobody has named. */
function unnamedCall(prompt: string | undefined, { memory }: ClaudeContext): Agent | undefined {
  const [call] = sortedByOrder(
    memory.agents,
    (agent) => agent.agentId === undefined && agent.parent !== undefined && agent.prompt === prompt,
  )
  return call
}

function promptOf({ first }: Stray): string | undefined {
  return texts(asObject(first.message).content)[0]
}

function byTime({ first: left }: Stray, { first: right }: Stray): number {
  return compareStrings(timeOf(left), timeOf(right))
}

function timeOf({ timestamp }: JsonObject): string {
  return asString(timestamp) ?? ''
}

function link(
  { agentId, toolUseId }: { agentId: string; toolUseId: string },
  translation: ClaudeContext,
): void {
  const news: AgentNews = { ...translation.memory.strangers.get(agentId), toolUseId, agentId }
  learnAgent(news, translation)
}

function release({ agentId, last }: Stray, translation: ClaudeContext): readonly JsonObject[] {
  translation.remember({ strays: translation.memory.strays.without(agentId) })
  return bufferedItems(last)
}
