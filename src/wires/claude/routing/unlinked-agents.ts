import { addToList, compareStrings } from '../../../core/json/lists.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { readAgentResult } from '../../../programs/claude-code/agent-result.ts'
import { teammateMessages } from '../../../programs/claude-code/framed-text.ts'
import { textsIn, textsOfParts } from '../../../programs/claude-code/texts.ts'
import { bufferedItems } from '../../../reading/notes/persistent-map.ts'
import {
  type Agent,
  agentsWith,
  callOfAgent,
  findAgent,
  hasOpenCall,
  isTeammateId,
  teammateName,
} from '../agents/agent.ts'
import { linkAgent } from '../agents/register-agent.ts'
import { registerRun } from '../agents/workflow.ts'
import { isConversationLine, type Line, toolUseResultOf } from '../lines/line.ts'
import { readLine } from '../lines/read-lines.ts'
import type { BufferedLines, ClaudeContext, ClaudeMemory } from '../notes.ts'
import { agentGroup, INLINE, releaseGroup } from './early-lines.ts'

const NO_LINES: readonly JsonObject[] = []

/**
 * Whether the line comes from an agent's own file, and the agent's call is unknown. From 2.1.197 on, the agent's meta
 * file names the call. Before that (from 2.0.77 on), only the call's result does: several calls may have the same
 * prompt.
 */
export function isUnlinkedAgentLine({ raw, agentId }: Line, memory: ClaudeMemory): boolean {
  if (agentId === undefined || raw.type === 'agent_meta' || raw.parent_tool_use_id !== undefined) return false
  return callOfAgent(memory, agentId) === undefined
}

/** Links the agent that a call's result names, and releases the agent's lines. */
export function releaseByResult(line: Line, context: ClaudeContext): readonly JsonObject[] {
  const record = toolUseResultOf(line)
  const ofRuns = line.parts.flatMap((part) => registerRun(part, record, context))
  if (ofRuns.length > 0) return releaseAgents(ofRuns, context.notes)
  const [part] = line.parts.filter(({ tool_use_id }) => typeof tool_use_id === 'string')
  const toolUseId = asString(part?.tool_use_id)
  if (!part || toolUseId === undefined) return []
  const { isTeammate, agentId = '' } = readAgentResult(part, record)
  if (isTeammate) {
    linkAgent({ agentId, toolUseId }, context)
    return releaseAgents(filesOfTeammate(agentId, context.notes.values), context.notes)
  }
  const recorded = asString(record.agentId) ?? ''
  if (context.notes.values.buffered.get(agentGroup(recorded)) === undefined) return []
  linkAgent({ agentId: recorded, toolUseId }, context)
  return releaseGroup(agentGroup(recorded), context.notes)
}

/** Returns the ids under which the lines of a teammate wait. */
function filesOfTeammate(agentId: string, notes: ClaudeContext['notes']['values']): readonly string[] {
  const name = agentId.includes('@') ? teammateName(agentId) : undefined
  const waiting = notes.buffered.values().flatMap(({ first }) => asString(first.agentId) ?? [])
  return waiting.filter((id) => id === agentId || (name !== undefined && teammateName(id) === name))
}

/** Releases the lines of agents, in the order of their times. */
function releaseAgents(agentIds: readonly string[], notes: ClaudeContext['notes']): readonly JsonObject[] {
  return agentIds
    .flatMap((agentId) => releaseGroup(agentGroup(agentId), notes))
    .sort((left, right) => compareStrings(timeOf(left), timeOf(right)))
}

/**
 * Releases the lines of an agent from its own file before a live line of the agent, which names the agent's call. Up
 * to 2.1.197, the line does not name the agent. Then it is the one whose file has that line, or the only one with the
 * call's prompt.
 */
export function releaseByLiveLine(raw: JsonObject, context: ClaudeContext): readonly JsonObject[] {
  const { buffered } = context.notes.values
  if (buffered.isEmpty) return NO_LINES
  const toolUseId = asString(raw.parent_tool_use_id)
  if (toolUseId === undefined) return NO_LINES
  const call = findAgent(toolUseId, context)
  if (call?.agentId !== undefined) return []
  const agentId = asString(raw.agent_id) ?? bufferedAgent(raw, call?.prompt, context.notes.values)
  if (agentId === undefined || buffered.get(agentGroup(agentId)) === undefined) return []
  linkAgent({ agentId, toolUseId }, context)
  return releaseGroup(agentGroup(agentId), context.notes)
}

/**
 * Releases the lines of an agent from its own file if exactly one open call has its prompt. Only the result of that
 * call names the agent, so its work would not show before. The program writes a call before the lines of its agent:
 * once the source has read an agent's line, it has read its call.
 */
export function releaseByPrompt(line: Line, context: ClaudeContext): readonly JsonObject[] | undefined {
  const { agentId } = line
  if (agentId === undefined || isTeammateId(agentId)) return undefined
  if (!isConversationLine(line) || !isUnlinkedAgentLine(line, context)) return undefined
  const { buffered } = context.notes.values
  const group = agentGroup(agentId)
  const prompt = promptIn(buffered.get(group)?.first ?? line.raw)
  const [call, other] = prompt === undefined ? [] : firstCallsOfPrompt(prompt, context)
  if (!call || other) return undefined
  const isShared = buffered.values().some((each) => each.group !== group && promptIn(each.first) === prompt)
  if (isShared) return undefined
  linkAgent({ agentId, toolUseId: call.toolUseId }, context)
  return releaseGroup(group, context.notes)
}

/** Returns the first two open calls with that prompt whose agent nothing has named. Many calls may have one prompt. */
function firstCallsOfPrompt(prompt: string, memory: ClaudeMemory): readonly Agent[] {
  const calls: Agent[] = []
  memory.state.firstAgentOfPrompt(prompt, ({ toolUseId }) => {
    const agent = findAgent(toolUseId, memory)
    if (agent && agent.agentId === undefined && hasOpenCall(agent, memory)) calls.push(agent)
    return calls.length > 1
  })
  return calls
}

function promptIn(first: JsonObject): string | undefined {
  return textsIn(asObject(first.message).content)[0]
}

function bufferedAgent(
  { uuid }: JsonObject,
  prompt: string | undefined,
  notes: ClaudeContext['notes']['values'],
): string | undefined {
  const groups = notes.buffered.values().filter(({ group }) => group !== INLINE)
  const same = groups.filter(({ first }) => prompt !== undefined && promptIn(first) === prompt)
  const named = groups.find(({ last }) => bufferedItems(last).some((each) => each.uuid === uuid))
  const found = named ?? (same.length === 1 ? same[0] : undefined)
  return asString(found?.first.agentId)
}

/** Releases the lines of the agent that a meta file, a task event or a line names, if the agent's call is known. */
export function releaseLinked(named: JsonObject, memory: ClaudeMemory): readonly JsonObject[] {
  const agentId = asString(named.agentId) ?? asString(named.task_id) ?? ''
  const isLinked = callOfAgent(memory, agentId) !== undefined
  return isLinked ? releaseGroup(agentGroup(agentId), memory.notes) : []
}

/**
 * Releases all agents at the end of the input. An agent belongs to the first call with the same prompt. Agents
 * without such a call stay unlinked. The program's own warm-up agents (2.0.77 to 2.1.0) belong to no call. Their
 * lines are dropped.
 */
export function* releaseAllUnlinked(context: ClaudeContext): Generator<Line, void> {
  const calls = new CallsWithoutAgent(context)
  for (const { group, first } of context.notes.values.buffered.values().sort(byTime)) {
    const { agentId = '', parts } = readLine(context, first)
    const text = textsOfParts(parts)[0]
    const prompt = teammateMessages(text ?? '')[0]?.body ?? text
    const call = calls.find(prompt)
    if (call) linkAgent({ agentId, toolUseId: call.toolUseId }, context)
    else if (prompt === 'Warmup') continue
    for (const raw of releaseGroup(group, context.notes)) yield readLine(context, raw)
  }
}

/** The calls whose agent is still unknown, by prompt and in order. The search visits each call once, so it takes linear time. */
class CallsWithoutAgent {
  readonly #context: ClaudeContext
  readonly #byPrompt = new Map<string | undefined, Agent[]>()
  #agentCount = 0

  constructor(context: ClaudeContext) {
    this.#context = context
    this.#add(agentsWith(() => true, context))
  }

  /** Returns the first call with that prompt, else the first one without a prompt. */
  find(prompt: string | undefined): Agent | undefined {
    // The lines of a released agent may hold further calls.
    const later = this.#context.state.agents().slice(this.#agentCount)
    this.#add(later.map(({ toolUseId }) => findAgent(toolUseId, this.#context)))
    return this.#first(prompt) ?? this.#first(undefined)
  }

  #add(agents: readonly (Agent | undefined)[]): void {
    for (const agent of agents)
      if (agent?.parent !== undefined && agent.agentId === undefined)
        addToList(this.#byPrompt, agent.prompt, agent)
    this.#agentCount = this.#context.state.agents().length
  }

  /** A call that has its agent by now leaves the list. */
  #first(prompt: string | undefined): Agent | undefined {
    const calls = this.#byPrompt.get(prompt) ?? []
    for (; calls[0]; calls.shift()) {
      const call = findAgent(calls[0].toolUseId, this.#context)
      if (call && call.agentId === undefined) return call
    }
    return undefined
  }
}

function byTime({ first: left }: BufferedLines, { first: right }: BufferedLines): number {
  return compareStrings(timeOf(left), timeOf(right))
}

function timeOf({ timestamp }: JsonObject): string {
  return asString(timestamp) ?? ''
}
