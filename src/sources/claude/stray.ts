import { fields, type JsonObject, text } from '../../state/json.ts'
import { type AgentNews, learnAgent } from './agents.ts'
import { contentParts, texts } from './content.ts'
import { heldLines } from './held-line.ts'
import { type Line, readLine } from './line.ts'
import type { Agent, Stray } from './memory.ts'
import type { Translation } from './translation.ts'

/**
 * Whether the line is of an agent's own file while nothing has told which call started the agent. Newer versions note it
 * beside the file; before 2.1.197 the prompt tells, or at the latest the call's result.
 */
export function isStray({ raw, agentId }: Line, { memory }: Translation): boolean {
  if (agentId === undefined || raw.type === 'agent_meta' || raw.parent_tool_use_id !== undefined) return false
  return memory.toolUseIds.get(agentId) === undefined
}

/** Keeps the line until its agent's call is known. */
export function holdStray({ raw, agentId = '' }: Line, translation: Translation): void {
  const { strays } = translation.memory
  const { first = raw, last } = strays.get(agentId) ?? {}
  translation.remember({ strays: strays.with(agentId, { agentId, first, last: { raw, before: last } }) })
}

/** Learns the calls of agents that are held, as far as the line tells: a result may name its agent, a call has a prompt. */
export function linkStrays({ raw, message }: Line, translation: Translation): void {
  if (translation.memory.strays.isEmpty) return
  const agentId = text(fields(raw.toolUseResult ?? raw.tool_use_result).agentId)
  const toolUseId = contentParts(message.content).flatMap((part) => text(part.tool_use_id) ?? [])[0]
  if (agentId !== undefined && toolUseId !== undefined && translation.memory.strays.get(agentId))
    link({ agentId, toolUseId }, translation)
}

/** Links the agents that are held to the calls that gave them their prompts, if there is no doubt about it. */
export function linkByPrompt(translation: Translation): void {
  for (const stray of translation.memory.strays.values()) {
    const calls = callsFor(stray, translation)
    const [call] = calls
    if (call && calls.length === 1 && twinsOf(stray, translation).length === 1)
      link({ agentId: stray.agentId, toolUseId: call.toolUseId }, translation)
  }
}

function link(
  { agentId, toolUseId }: { agentId: string; toolUseId: string },
  translation: Translation,
): void {
  const news: AgentNews = { ...translation.memory.strangers.get(agentId), toolUseId, agentId }
  learnAgent(news, translation)
}

function callsFor(stray: Stray, { memory }: Translation): readonly Agent[] {
  const prompt = promptOf(stray)
  return memory.agents
    .values()
    .filter((agent) => agent.agentId === undefined && agent.parent !== undefined && agent.prompt === prompt)
    .sort((left, right) => left.order - right.order)
}

function twinsOf(stray: Stray, { memory }: Translation): readonly Stray[] {
  const prompt = promptOf(stray)
  return memory.strays.values().filter((other) => promptOf(other) === prompt)
}

function promptOf({ first }: Stray): string | undefined {
  return texts(fields(first.message).content)[0]
}

type Translate = (line: Line, translation: Translation) => void

/** Translates the lines of agents whose calls have become known. */
export function releaseStrays(translation: Translation, translateLine: Translate): void {
  for (const stray of translation.memory.strays.values())
    if (translation.memory.toolUseIds.get(stray.agentId) !== undefined)
      release(stray, translation, translateLine)
}

/**
 * At the end of the input the calls and agents with one prompt belong together in their order. Agents that the program
 * starts for itself, to warm up, belong to no call and are left out; others stand by themselves.
 */
export function endStrays(translation: Translation, translateLine: Translate): void {
  for (const stray of [...translation.memory.strays.values()].sort(byTime)) {
    const [call] = callsFor(stray, translation)
    if (call) link({ agentId: stray.agentId, toolUseId: call.toolUseId }, translation)
    else if (promptOf(stray) === 'Warmup') continue
    release(stray, translation, translateLine)
  }
}

function byTime({ first: left }: Stray, { first: right }: Stray): number {
  return timeOf(left) < timeOf(right) ? -1 : 1
}

function timeOf({ timestamp }: JsonObject): string {
  return text(timestamp) ?? ''
}

function release({ agentId, last }: Stray, translation: Translation, translateLine: Translate): void {
  translation.remember({ strays: translation.memory.strays.without(agentId) })
  for (const raw of heldLines(last)) translateLine(readLine(translation.memory, raw), translation)
}
