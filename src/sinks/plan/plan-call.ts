import { omitUndefined } from '../../core/json/fields.ts'
import { asObject, isObject, isString } from '../../core/json/values.ts'
import { partialInput } from '../../core/selectors/call-input.ts'
import { firstLine } from '../../core/selectors/session-title.ts'
import { type BlockOf, isModelText, lastText } from '../../core/state/block.ts'
import type { FileChange } from '../../core/state/file-change.ts'
import { type ConversationThread, MAIN, type SubagentState } from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import { programOf } from '../../programs/all.ts'
import { changesInPatch, patchText } from '../../programs/diff.ts'
import {
  hasToolNamed,
  isOfFiles,
  type ProgramCall,
  pathsOfPatch,
  readPlanCall,
  readSharedCall,
  type SharedCall,
  writePlanCall,
  writeSharedCall,
} from '../../programs/shared-tools.ts'
import { firstTime, laterTime, nextMs, type PlanContext } from './context.ts'
import type { AgentPlan, CallItem, CallResult } from './plan.ts'
import { resultParts } from './result-parts.ts'

/** The results of a conversation by their calls. */
export type Results = ReadonlyMap<string, BlockOf<'tool_result'>>

/** Returns the first result of each call. */
export function resultsIn({ blocks }: ConversationThread): Results {
  const results = new Map<string, BlockOf<'tool_result'>>()
  for (const block of blocks)
    if (block.type === 'tool_result' && !results.has(block.toolUseId)) results.set(block.toolUseId, block)
  return results
}

interface CallPlace {
  /** The conversation of the call. */
  readonly place: string
  /** The number of agents above it. */
  readonly depth: number
  readonly id: string
  readonly time: string
}

/** Plans a call of a tool, in the words of the program that is written. */
export function planCall(
  block: BlockOf<'tool_use'>,
  { place, id, time, result }: CallPlace & { readonly result: BlockOf<'tool_result'> | undefined },
  context: PlanContext,
): CallItem {
  const input = partialInput(block) ?? block.inputText ?? {}
  // A tool with a free text as its input is a function with one field elsewhere.
  const made = { toolName: block.toolName, input: isObject(input) ? input : { input } }
  const changes = result?.changes ?? (result?.isError === false ? changesIn(made) : undefined)
  const done = result && omitUndefined({ ...result, changes })
  const shared = readSharedCall(context.source, made) ?? editOf(made, changes)
  const call = shared ? made : withDiff(made, changes)
  return {
    kind: 'call',
    id,
    time,
    ...withSafeName(translateCall(call, shared, context)),
    ...(shared && { shared }),
    result: done ? resultOf(done, time) : cutResult(place, time, context),
  }
}

/** A program may show a patch by its files alone. Another one's model needs its lines. */
function withDiff(call: ProgramCall, changes: readonly FileChange[] = []): ProgramCall {
  const diffs = changes.map(patchText)
  const isKnown = diffs.length > 0 && diffs.every((diff) => diff !== undefined)
  if (!isKnown || !pathsOfPatch(call, changes)) return call
  return { ...call, input: { ...asObject(call.input), diff: diffs.join('') } }
}

/** Returns the changes of a patch that another writer gave its diff; undefined if the diff has other files. */
function changesIn(call: ProgramCall): readonly FileChange[] | undefined {
  const paths = pathsOfPatch(call)
  const { diff } = asObject(call.input)
  if (!paths || paths.length === 0 || !isString(diff)) return undefined
  const changes = changesInPatch(diff)
  return isOfFiles(changes, paths) ? changes : undefined
}

/** Providers refuse a history whose tools have other characters in their names. */
function withSafeName({ toolName, input }: ProgramCall): ProgramCall {
  return { toolName: toolName.replace(/[^\w-]/g, '_').slice(0, MAX_NAME) || 'tool', input }
}

const MAX_NAME = 64

/** Returns the call with the other program's name for the tool and its fields. A tool that it does not have keeps its name. */
function translateCall(
  call: ProgramCall,
  shared: SharedCall | undefined,
  { source, destination }: PlanContext,
): ProgramCall {
  const plan = readPlanCall(source, call)
  if (plan) return writePlanCall(destination.program, plan) ?? call
  const translated = shared && writeSharedCall(destination.program, shared)
  if (translated) return translated
  return isNameTaken(source, destination.program, call)
    ? { ...call, toolName: `${call.toolName}_call` }
    : call
}

/**
 * Whether the program has another tool of that name: one that starts an agent, or one whose fields the call does not have.
 * A program can read its own calls.
 */
function isNameTaken(source: string | undefined, program: string, call: ProgramCall): boolean {
  if (programOf(program)?.tools.agent.includes(call.toolName)) return true
  if (programOf(source) === programOf(program)) return false
  return hasToolNamed(program, call.toolName) && !readSharedCall(program, call)
}

/** Returns the edit that a patch of one file is, if its program does not show the patch itself. */
export function editOf(
  call: ProgramCall,
  changes: readonly FileChange[] | undefined,
): SharedCall | undefined {
  const [change, ...others] = changes ?? []
  const [hunk, ...further] = change?.hunks ?? []
  if (!pathsOfPatch(call, changes) || !change || !hunk || others.length + further.length > 0) return undefined
  const { path, kind } = change
  const side = (mark: string) =>
    hunk.lines.filter((line) => line[0] === mark || line[0] === ' ').map((line) => line.slice(1))
  const text = side('+').join('\n')
  if (kind === 'add') return { meaning: 'write', values: { path, content: `${text}\n` }, others: {} }
  if (kind !== 'edit') return undefined
  return { meaning: 'edit', values: { path, before: side('-').join('\n'), after: text }, others: {} }
}

function resultOf(
  { output, isError, exitCode, durationMs, changes, timestamp }: BlockOf<'tool_result'>,
  callTime: string,
): CallResult {
  const time = laterTime(timestamp, callTime)
  return omitUndefined({ time, parts: resultParts(output), isError, exitCode, durationMs, changes })
}

const CUT = 'The session was cut here: the call has not returned a result.'

function cutResult(place: string, time: string, { losses }: PlanContext): CallResult {
  losses.add('running-call', place)
  return { time, parts: [{ type: 'text', text: CUT }], isError: false }
}

const NO_REPORT = 'The agent ended without a report.'

/** Plans the call of an agent with the agent's conversation. The result is its report. */
export function planAgentCall(
  block: BlockOf<'subagent'>,
  { place, depth, id, time }: CallPlace,
  context: PlanContext,
): CallItem {
  const agent = context.agents.get(block.toolUseId)
  context.agents.delete(block.toolUseId)
  const type = agent?.name ?? block.name ?? 'general-purpose'
  const prompt = agent?.prompt ?? block.input
  const description = agent?.description ?? block.description ?? firstLine(prompt).slice(0, 60)
  const values = { prompt, type, description }
  const shared = { meaning: 'agent', values, others: {} } as const
  const call =
    writeSharedCall(context.destination.program, shared) ?? writeSharedCall(context.source ?? '', shared)
  const planned = agent && planAgent(agent, { place, depth, type, prompt, description, time }, context)
  const { status } = agent ?? block
  const report =
    agent?.output ?? block.output ?? (agent && status === 'success' ? lastText(agent.blocks) : undefined)
  const result = isFinal(status)
    ? {
        time: planned ? nextMs(planned.thread.endedAt) : time,
        parts: resultParts(report ?? NO_REPORT),
        isError: status === 'error',
      }
    : cutResult(place, time, context)
  const made = call ?? { toolName: 'agent', input: values }
  return { kind: 'call', id, time, ...made, result, ...(planned && { agent: planned }) }
}

function planAgent(
  agent: SubagentState,
  {
    place,
    depth,
    time,
    ...facts
  }: Omit<CallPlace, 'id'> & Pick<AgentPlan, 'type' | 'prompt' | 'description'>,
  context: PlanContext,
): AgentPlan | undefined {
  const { toolUseId, blocks, status, prompt, usage } = agent
  const { keepsAgents } = context.destination
  const isKept = keepsAgents === 'all' || (keepsAgents === 'of main' && place === MAIN)
  if (!isKept || depth >= MAX_DEPTH) {
    context.losses.add('subagent-conversation', toolUseId, blocks.length)
    return undefined
  }
  context.losses.add('usage', toolUseId, usage.length)
  // A reader that sorts the files by time meets the call first, and the report last.
  const start = laterTime(firstTime(agent), nextMs(time))
  const thread = context.planThread(withLastText(agent), {
    place: toolUseId,
    depth: depth + 1,
    start,
    prompt,
  })
  const { durationMs = Date.parse(thread.endedAt) - Date.parse(thread.startedAt) } = agent
  return { id: context.ids.uuid('agent', toolUseId), ...facts, status, durationMs, thread }
}

/** Returns the conversation with the text at which a failed agent broke off: the program has taken back no such text. */
export function withLastText(agent: SubagentState): SubagentState {
  const last = agent.blocks.findLast(isModelText)
  if (agent.status !== 'error' || last?.status !== 'error') return agent
  const whole = { ...last, status: 'complete' } as const
  return { ...agent, blocks: agent.blocks.map((block) => (block === last ? whole : block)) }
}

/** Further down, the writers would exceed the stack. No program nests its agents so deep. */
const MAX_DEPTH = 500
