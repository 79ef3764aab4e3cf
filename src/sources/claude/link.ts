import { fields, type JsonObject, list, text } from '../../state/json.ts'
import type { CombinedTranscript, SubagentTranscript } from '../combined.ts'
import { parseJson } from '../jsonl.ts'
import { startsAgent } from './agents.ts'
import { contentParts, texts } from './content.ts'

/** An agent's call in main, as far as main's file tells. */
interface Call {
  readonly toolUseId: string
  readonly prompt: string | undefined
  /** The call's result names the agent. */
  readonly agentId: string | undefined
}

/**
 * Finds the calls of subagents whose files do not name it, as before 2.1.197: the call's result names the agent, and
 * where there is none, the prompt is the same. Agents that the program starts for itself, to warm up, belong to no call
 * and are left out.
 */
export function linkedTranscript({ main, subagents }: CombinedTranscript): CombinedTranscript {
  if (subagents.every(namesCall)) return { main, subagents }
  const calls = callsIn(main)
  const claimed = new Set(subagents.flatMap((subagent) => text(metaOf(subagent).toolUseId) ?? []))
  const linked = subagents.flatMap((subagent) => {
    if (namesCall(subagent)) return [subagent]
    const prompt = firstPrompt(subagent)
    const call = callOf(subagent.id, prompt, { calls, claimed })
    if (!call) return prompt === 'Warmup' ? [] : [subagent]
    claimed.add(call.toolUseId)
    const meta = { spawnDepth: 1, ...metaOf(subagent), toolUseId: call.toolUseId }
    return [{ ...subagent, meta: JSON.stringify(meta) }]
  })
  return { main, subagents: linked }
}

function namesCall(subagent: SubagentTranscript): boolean {
  return typeof metaOf(subagent).toolUseId === 'string'
}

function metaOf({ meta }: SubagentTranscript): JsonObject {
  return fields(meta === undefined ? undefined : parseJson(meta))
}

function callOf(
  agentId: string,
  prompt: string | undefined,
  { calls, claimed }: { readonly calls: readonly Call[]; readonly claimed: ReadonlySet<string> },
): Call | undefined {
  const named = calls.find((call) => call.agentId === agentId)
  if (named) return named
  return calls.find(
    (call) => call.agentId === undefined && call.prompt === prompt && !claimed.has(call.toolUseId),
  )
}

function callsIn(main: string): readonly Call[] {
  const lines = main.split('\n').map((line) => fields(parseJson(line)))
  const agentIds = new Map(lines.flatMap(namedAgents))
  return lines.flatMap(calledAgents).map((call) => ({ ...call, agentId: agentIds.get(call.toolUseId) }))
}

function calledAgents({ message }: JsonObject): readonly Omit<Call, 'agentId'>[] {
  return contentParts(fields(message).content).flatMap(({ type, id, name, input }) =>
    type === 'tool_use' && typeof id === 'string' && startsAgent(text(name))
      ? [{ toolUseId: id, prompt: text(fields(input).prompt) }]
      : [],
  )
}

function namedAgents({ message, toolUseResult }: JsonObject): readonly (readonly [string, string])[] {
  const { agentId } = fields(toolUseResult)
  if (typeof agentId !== 'string') return []
  return list(fields(message).content).flatMap((part) => {
    const toolUseId = text(fields(part).tool_use_id)
    return toolUseId === undefined ? [] : [[toolUseId, agentId] as const]
  })
}

function firstPrompt({ transcript }: SubagentTranscript): string | undefined {
  for (const line of transcript.split('\n')) {
    const { type, message } = fields(parseJson(line))
    if (type === 'user') return texts(fields(message).content)[0]
  }
  return undefined
}
