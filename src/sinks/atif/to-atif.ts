import { omitUndefined } from '../../core/json/fields.ts'
import { asObject } from '../../core/json/values.ts'
import type { UserContentPart } from '../../core/state/content.ts'
import type { ConversationThread, MessageUsage, SessionConversationState } from '../../core/state/session.ts'
import { LossCounter } from '../plan/losses.ts'
import type { CallItem, IdMaker, PlanEntry, ResultPart, StepEntry, ThreadPlan } from '../plan/plan.ts'
import { planSession } from '../plan/plan-thread.ts'
import { attachmentName } from '../plan/result-parts.ts'

/** The ids of the source are those of the trajectory. */
const OWN_IDS: IdMaker = { hex: (_, ...names) => names.at(-1) ?? '', uuid: (...names) => names.at(-1) ?? '' }

/** The format is no program: calls keep the names of their tools. */
const TARGET = { program: 'atif', keepsThinking: true, keepsAgents: 'all' } as const

/**
 * Returns a session as a trajectory, with its subagents as trajectories inside that of the agent that called them.
 * Notes of the program, requests and branches are left out. A call without a result has one that says so.
 */
export function toAtif(state: SessionConversationState): AtifTrajectory {
  const { session } = state
  const input = {
    destination: TARGET,
    cwd: '',
    losses: new LossCounter(),
    model: session.model,
    ids: OWN_IDS,
  }
  const { plan } = planSession(state, input)
  const agent = omitUndefined({
    name: session.program ?? 'unknown',
    version: session.version ?? 'unknown',
    model_name: session.model,
  })
  const trajectory = writeThread(plan.thread, { id: session.id ?? 'main', agent, thread: state }, state)
  const { costUsd } = session
  const final_metrics = {
    ...trajectory.final_metrics,
    ...(costUsd !== undefined && { total_cost_usd: costUsd }),
  }
  return { ...trajectory, final_metrics, ...(session.id !== undefined && { session_id: session.id }) }
}

interface OwnThread {
  readonly id: string
  readonly agent: AtifTrajectory['agent']
  readonly thread: ConversationThread
}

function writeThread(
  plan: ThreadPlan,
  { id, agent, thread }: OwnThread,
  state: SessionConversationState,
): AtifTrajectory {
  const usage = new Map(thread.usage.map((entry) => [entry.messageId, entry]))
  const steps = plan.entries.map((entry, at) => stepOf(entry, at + 1, usage))
  const calls = plan.entries.flatMap((entry) => (entry.kind === 'step' ? callsIn(entry) : []))
  const agents = calls.flatMap((call) => (call.agent ? [call.agent] : []))
  const children = agents.map((each) => {
    const own = state.subagents.find(({ toolUseId }) => toolUseId === each.id)
    const facts = {
      id: each.id,
      agent: { ...agent, name: each.type },
      thread: own ?? { blocks: [], usage: [] },
    }
    return writeThread(each.thread, facts, state)
  })
  // A trajectory has at least one step.
  const all = steps.length > 0 ? steps : [{ step_id: 1, source: 'system', message: '' } as const]
  return {
    ...{ schema_version: 'ATIF-v1.7', trajectory_id: id, agent, steps: all },
    final_metrics: { ...totals(thread.usage), total_steps: all.length },
    ...(children.length > 0 && { subagent_trajectories: children }),
  }
}

function stepOf(entry: PlanEntry, step_id: number, usage: ReadonlyMap<string, MessageUsage>): AtifStep {
  const head = { step_id, timestamp: entry.time }
  switch (entry.kind) {
    case 'prompt':
      return { ...head, source: 'user', message: contentOf(entry.parts.map(userPart)) }
    case 'summary':
      return { ...head, source: 'system', message: entry.text }
    case 'step':
      return { ...head, ...responseOf(entry, usage.get(entry.messageId ?? '')) }
  }
}

function responseOf(step: StepEntry, usage: MessageUsage | undefined): Omit<AtifStep, 'step_id'> {
  const texts = (kind: 'text' | 'thinking') =>
    step.items.flatMap((item) => (item.kind === kind ? [item.text] : [])).join('\n')
  const calls = callsIn(step)
  return omitUndefined({
    source: 'agent' as const,
    model_name: usage?.model,
    message: texts('text'),
    reasoning_content: texts('thinking') || undefined,
    tool_calls: calls.length === 0 ? undefined : calls.map(callOf),
    observation: calls.length === 0 ? undefined : { results: calls.map(resultOf) },
    metrics: usage && metricsOf(usage),
  })
}

function callsIn({ items }: StepEntry): readonly CallItem[] {
  return items.filter((item) => item.kind === 'call')
}

function callOf({ id, toolName, input }: CallItem) {
  return { tool_call_id: id, function_name: toolName, arguments: asObject(input) }
}

function resultOf({ id, result, agent }: CallItem): AtifResult {
  const reference = agent && { subagent_trajectory_ref: [{ trajectory_id: agent.id }] }
  return { source_call_id: id, content: contentOf(result.parts.map(resultPart)), ...reference }
}

/** One text is a string. */
function contentOf(parts: readonly AtifContentPart[]): string | readonly AtifContentPart[] {
  const [first, ...others] = parts
  if (!first) return ''
  return others.length === 0 && first.type === 'text' ? first.text : parts
}

function userPart(part: UserContentPart): AtifContentPart {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { source } = part
  const { mediaType: media_type = 'image/png' } = source
  if (part.type === 'file' || !IMAGES.test(media_type)) return { type: 'text', text: attachmentName(part) }
  const path = source.type === 'url' ? source.url : `data:${media_type};base64,${source.data}`
  return { type: 'image', source: { media_type, path } }
}

/** The format has images of these types alone. */
const IMAGES = /^image\/(?:jpeg|png|gif|webp)$/

function resultPart(part: ResultPart): AtifContentPart {
  return part.type === 'text' ? part : userPart({ type: 'image', source: { ...part, type: 'base64' } })
}

function metricsOf({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens,
}: MessageUsage): AtifMetrics {
  return omitUndefined({
    prompt_tokens: sum([inputTokens, cacheReadTokens, cacheWriteTokens]),
    completion_tokens: outputTokens,
    cached_tokens: cacheReadTokens,
  })
}

function totals(usage: readonly MessageUsage[]): Omit<AtifFinalMetrics, 'total_steps'> {
  const metrics = usage.map(metricsOf)
  return omitUndefined({
    total_prompt_tokens: sum(metrics.map(({ prompt_tokens }) => prompt_tokens)),
    total_completion_tokens: sum(metrics.map(({ completion_tokens }) => completion_tokens)),
    total_cached_tokens: sum(metrics.map(({ cached_tokens }) => cached_tokens)),
  })
}

/** Returns the sum of the known counts; undefined if none is known. */
function sum(counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined)
  return known.length === 0 ? undefined : known.reduce((left, right) => left + right, 0)
}

/** A session in Harbor's Agent Trajectory Interchange Format, version 1.7. */
export interface AtifTrajectory {
  readonly schema_version: 'ATIF-v1.7'
  readonly session_id?: string
  /** Unique in the document. A subagent has the id of its call. */
  readonly trajectory_id: string
  readonly agent: AtifAgent
  readonly steps: readonly AtifStep[]
  readonly final_metrics: AtifFinalMetrics
  /** The subagents that this agent has called. */
  readonly subagent_trajectories?: readonly AtifTrajectory[]
}

/** The program, or a subagent by its type. */
export interface AtifAgent {
  readonly name: string
  readonly version: string
  readonly model_name?: string
}

/** A message of the person, a response of the model with the results of its calls, or a note of the program. */
export interface AtifStep {
  /** From 1 on, without gaps. */
  readonly step_id: number
  /** ISO 8601. */
  readonly timestamp?: string
  readonly source: 'user' | 'agent' | 'system'
  readonly model_name?: string
  readonly message: string | readonly AtifContentPart[]
  readonly reasoning_content?: string
  readonly tool_calls?: readonly AtifToolCall[]
  readonly observation?: { readonly results: readonly AtifResult[] }
  readonly metrics?: AtifMetrics
}

/** A part of a message or of a result. An image's `path` is an address, which may hold the bytes. */
export type AtifContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly source: { readonly media_type: string; readonly path: string } }

/** A call of a tool. */
export interface AtifToolCall {
  readonly tool_call_id: string
  readonly function_name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** The result of a call. That of an agent's call refers to the agent's trajectory. */
export interface AtifResult {
  readonly source_call_id: string
  readonly content?: string | readonly AtifContentPart[]
  readonly subagent_trajectory_ref?: readonly { readonly trajectory_id: string }[]
}

/** The tokens of a response. An absent count is unknown. */
export interface AtifMetrics {
  /** All of the input, also what came from the cache. */
  readonly prompt_tokens?: number
  readonly completion_tokens?: number
  /** The part of the input that came from the cache. */
  readonly cached_tokens?: number
}

/** The sums of one trajectory, without those of its subagents. */
export interface AtifFinalMetrics {
  readonly total_prompt_tokens?: number
  readonly total_completion_tokens?: number
  readonly total_cached_tokens?: number
  /** In US dollars, as the program computed it. */
  readonly total_cost_usd?: number
  readonly total_steps: number
}
