import { fields, type JsonObject, text } from '../../state/json.ts'
import { heldItems } from '../held.ts'
import { byText, inOrder } from '../order.ts'
import { type AgentNews, learnAgent } from './agents.ts'
import { contentParts, texts } from './content.ts'
import { detailsOf, type Line, readLine } from './line.ts'
import type { Agent, Stray } from './memory.ts'
import type { Translation } from './translation.ts'

/**
 * Whether the line is of an agent's own file while nothing has told which call started the agent. Newer versions note it
 * beside the file; before 2.1.197 the call's result is the first to tell: several calls may have the same prompt.
 */
export function isStray({ raw, agentId }: Line, { memory }: Translation): boolean {
  if (agentId === undefined || raw.type === 'agent_meta' || raw.parent_tool_use_id !== undefined) return false
  return memory.toolUseIds.get(agentId) === undefined
}

/** Keeps the line until its agent's call is known. */
export function holdStray({ raw, agentId = '' }: Line, translation: Translation): void {
  const { strays } = translation.memory
  const { first = raw, last } = strays.get(agentId) ?? {}
  const stray = { agentId, first, last: { item: raw, before: last } }
  translation.remember({ strays: strays.with(agentId, stray) })
}

/** Returns the lines of the agent that a result names: they come before the result, which ends it. */
export function releaseNamed(line: Line, translation: Translation): readonly JsonObject[] {
  const agentId = text(detailsOf(line).agentId) ?? ''
  const stray = translation.memory.strays.get(agentId)
  const toolUseId = contentParts(line.message.content).flatMap((part) => text(part.tool_use_id) ?? [])[0]
  if (!stray || toolUseId === undefined) return []
  link({ agentId, toolUseId }, translation)
  return release(stray, translation)
}

/** Returns the lines of the agent that a note beside its file has told of. */
export function releaseNoted({ agentId }: JsonObject, translation: Translation): readonly JsonObject[] {
  const { strays, toolUseIds } = translation.memory
  const stray = strays.get(text(agentId) ?? '')
  return stray && toolUseIds.get(stray.agentId) !== undefined ? release(stray, translation) : []
}

/**
 * At the end of the input the calls and agents with one prompt belong together in their order. Agents that the program
 * starts for itself, to warm up, belong to no call and are left out; others stand by themselves.
 */
export function endStrays(
  translation: Translation,
  translateLine: (line: Line, translation: Translation) => void,
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
function unnamedCall(prompt: string | undefined, { memory }: Translation): Agent | undefined {
  const [call] = inOrder(
    memory.agents,
    (agent) => agent.agentId === undefined && agent.parent !== undefined && agent.prompt === prompt,
  )
  return call
}

function promptOf({ first }: Stray): string | undefined {
  return texts(fields(first.message).content)[0]
}

function byTime({ first: left }: Stray, { first: right }: Stray): number {
  return byText(timeOf(left), timeOf(right))
}

function timeOf({ timestamp }: JsonObject): string {
  return text(timestamp) ?? ''
}

function link(
  { agentId, toolUseId }: { agentId: string; toolUseId: string },
  translation: Translation,
): void {
  const news: AgentNews = { ...translation.memory.strangers.get(agentId), toolUseId, agentId }
  learnAgent(news, translation)
}

function release({ agentId, last }: Stray, translation: Translation): readonly JsonObject[] {
  translation.remember({ strays: translation.memory.strays.without(agentId) })
  return heldItems(last)
}
