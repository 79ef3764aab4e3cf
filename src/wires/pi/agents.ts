import { asObject, type JsonObject } from '../../core/json/values.ts'
import { lastText, subagentBlockId } from '../../core/state/block.ts'
import { isFinal } from '../../core/state/subagent.ts'
import {
  type AgentRun,
  type AgentTask,
  agentRunsOf,
  agentTasksOf,
  backgroundEnd,
  backgroundFile,
  notifiedEnds,
  phaseOf,
} from '../../programs/pi/agent-runs.ts'
import type { SessionOutput } from '../../reading/context.ts'
import type { AgentState, SessionLookups } from '../../reading/lookups.ts'
import { type CallPlace, type CallResult, readMessage, type ToolCall, textOf } from './messages.ts'
import type { PiContext } from './notes.ts'

// Pi has no agents of its own. The extensions `subagent` (all messages of the agents are in the results of its calls)
// and `pi-subagents` (they have files of their own) give it some, and so does Oh My Pi's `task` (files too, and all
// run in the background). A call with one task is its agent. A call with a list is a call of its own, and its agents
// stand below it.

/** Starts the agent of a call that starts one alone. Returns whether the call is such a one. */
export function startAgents(
  { conversationId, id: messageId, time: timestamp }: CallPlace,
  { toolUseId, toolName, input }: ToolCall,
  output: SessionOutput,
): boolean {
  const { mode, tasks: [task] = [] } = agentTasksOf(toolName, input) ?? {}
  if (mode !== 'single' || !task) return false
  if (!isStarted(toolUseId, output.state))
    spawn({ conversationId, toolUseId, task, messageId, timestamp }, output)
  return true
}

/** Announces the agents of a call that starts several. Those of a chain start one after the other. */
export function announceAgents(conversationId: string, call: ToolCall, output: SessionOutput): void {
  const { mode, tasks = [] } = agentTasksOf(call.toolName, call.input) ?? {}
  if (mode === 'single') return
  const first = mode === 'chain' ? tasks.slice(0, 1) : tasks
  for (const [index, task] of first.entries())
    announce(
      { conversationId, toolUseId: agentKey(call.toolUseId, index), task, launchedBy: call.toolUseId },
      output,
    )
}

/** Returns the key of an agent that a call has started with others. */
function agentKey(callId: string, index: number): string {
  return `${callId}/${index + 1}`
}

interface Spawn {
  readonly conversationId: string
  readonly toolUseId: string
  readonly task: AgentTask
  readonly agentId?: string | undefined
  readonly launchedBy?: string | undefined
  readonly messageId?: string | undefined
  readonly timestamp?: string | undefined
}

function announce({ conversationId, toolUseId, task, launchedBy }: Spawn, output: SessionOutput): void {
  if (output.state.agentOfCall(toolUseId)) return
  const { name, prompt = '' } = task
  const id = subagentBlockId(toolUseId)
  output.upsert(conversationId, {
    id,
    type: 'subagent',
    status: 'pending',
    toolUseId,
    input: prompt,
    name,
    launchedBy,
  })
}

function spawn({ task: { name, prompt = '' }, ...agent }: Spawn, output: SessionOutput): void {
  output.emit({ type: 'subagent:spawned', prompt, subagentType: name, ...agent })
}

function isStarted(toolUseId: string, state: SessionLookups): boolean {
  return state.agentOfCall(toolUseId) !== undefined && !state.isAnnounced(toolUseId)
}

/** Reads what a result shows of the agents of its call. Returns whether the call is an agent itself, which has no result of its own. */
export function updateAgents(result: CallResult, context: PiContext): boolean {
  const { conversationId, toolUseId, toolName, raw, isFinal: isLast } = result
  const call = context.state.findBlock(conversationId, toolUseId)
  const tasks = call?.type === 'tool_use' ? agentTasksOf(toolName, call.input) : undefined
  const details = asObject(raw.details)
  const isSingle =
    context.state.agentOfCall(toolUseId) !== undefined ||
    (!call && TOOL_RESULTS.has(toolName) && details.mode === 'single')
  if (!isSingle && !tasks) return false
  const phase = phaseOf(details, isLast)
  const runs = agentRunsOf(details, phase, tasks?.tasks.length ?? 1)
  for (const [index, run] of runs.entries()) {
    const key = isSingle ? toolUseId : agentKey(toolUseId, index)
    updateAgent({ key, launchedBy: isSingle ? undefined : toolUseId, run, result }, context)
  }
  if (phase === 'ended') endOthers({ ...result, runs: runs.length, isSingle }, context)
  return isSingle
}

const TOOL_RESULTS: ReadonlySet<string> = new Set(['subagent'])

interface AgentUpdate {
  readonly key: string
  readonly launchedBy: string | undefined
  readonly run: AgentRun
  readonly result: CallResult
}

function updateAgent({ key, launchedBy, run, result }: AgentUpdate, context: PiContext): void {
  const { conversationId } = result
  const { status, messages, agentId } = run
  if (context.state.hasEnded(key)) return
  if (run.isUnknown && launchedBy !== undefined) return removeAnnounced(conversationId, key, context)
  const isNew = !isStarted(key, context.state) && (status !== 'pending' || messages.length > 0)
  const isLinked = agentId === undefined || context.state.agentOfCall(key)?.agentId === agentId
  if (isNew || (!isLinked && isStarted(key, context.state)))
    spawn({ conversationId, toolUseId: key, task: run, agentId, launchedBy }, context)
  else if (status === 'pending') announce({ conversationId, toolUseId: key, task: run, launchedBy }, context)
  readMessages(key, messages, context)
  if (agentId !== undefined) releaseLines(agentId, context)
  if (status !== 'completed' && status !== 'error') return
  const text = textOf(result.raw.content)
  const report = run.output ?? lastText(context.state.blocksOf(key))
  const isReport =
    launchedBy !== undefined || (status === 'completed' && report !== undefined && text.includes(report))
  complete(key, { status, output: isReport || !result.isFinal ? report : text }, context)
}

/** Reads the messages of an agent that are new. Each result repeats the earlier ones. */
function readMessages(conversationId: string, messages: readonly unknown[], context: PiContext): void {
  const known = context.notes.values.readMessages.get(conversationId) ?? 0
  for (const [index, value] of messages.slice(known).entries()) {
    const message = readMessage(value, `${conversationId}:${known + index}`)
    if (message) context.rules.message(conversationId, message, context)
  }
  if (messages.length > known) context.notes.setEntry('readMessages', conversationId, messages.length)
}

interface EndedCall extends CallResult {
  /** The number of agents in the result. */
  readonly runs: number
  readonly isSingle: boolean
}

/** Ends the agents that the result of a call does not have. The call has failed before they started. */
function endOthers(
  { conversationId, toolUseId, raw, isError, runs, isSingle }: EndedCall,
  output: SessionOutput,
): void {
  if (isSingle) {
    if (runs > 0 || output.state.hasEnded(toolUseId)) return
    // A list without the agent shows that it never ran: the person has refused it.
    const isRefused = Array.isArray(asObject(raw.details).results)
    const status = isError || isRefused ? 'error' : 'completed'
    return complete(toolUseId, { status, output: textOf(raw.content) }, output)
  }
  for (let index = runs; output.state.agentOfCall(agentKey(toolUseId, index)); index += 1)
    removeAnnounced(conversationId, agentKey(toolUseId, index), output)
}

function removeAnnounced(conversationId: string, toolUseId: string, output: SessionOutput): void {
  if (output.state.isAnnounced(toolUseId))
    output.emit({ type: 'block:removed', conversationId, blockId: subagentBlockId(toolUseId) })
}

interface AgentEnd {
  readonly status: 'completed' | 'error'
  readonly output?: string | undefined
}

function complete(toolUseId: string, end: AgentEnd, output: SessionOutput): void {
  output.emit({ type: 'subagent:completed', toolUseId, ...end })
}

/** Ends the agents in the background whose end a text reports. Returns whether there is one. */
export function completeNotifiedAgents(text: string, context: PiContext): boolean {
  const status = backgroundEnd(text)
  const linked = status && linkFile(text, context)
  const running =
    status && context.state.agents().filter((agent) => agent.agentId?.includes('/run-') === true)
  for (const { toolUseId, agentId = '', status: before } of running ?? [])
    if (!isFinal(before) && (text.includes(agentId.replace(/\/.*$/, '')) || toolUseId === linked) && status)
      complete(toolUseId, { status, output: lastText(context.state.blocksOf(toolUseId)) }, context)
  const ends = notifiedEnds(text)
  for (const { agentId, ...end } of ends) {
    const agent = context.state.findAgent(agentId)
    if (agent && (!context.state.hasEnded(agentId) || agent.output === undefined))
      complete(agent.toolUseId, end, context)
  }
  return status !== undefined || ends.length > 0
}

/**
 * Links the file that the report of a background agent names, if its folder has another id than the run. The agent is the one whose run the
 * report names, or else the only one of that name that works. Returns its call.
 */
function linkFile(text: string, context: PiContext): string | undefined {
  const { file, name } = backgroundFile(text) ?? {}
  if (file === undefined || context.state.findAgent(file)) return undefined
  const open = context.state.openAgents().filter(({ toolUseId }) => !context.state.isAnnounced(toolUseId))
  const isOfRun = ({ agentId = '' }: AgentState) =>
    agentId !== '' && text.includes(agentId.replace(/\/.*$/, ''))
  const named = open.filter((agent) => agent.name === name)
  const agent = open.find(isOfRun) ?? (named.length === 1 ? named[0] : undefined)
  if (!agent) return undefined
  context.notes.setEntry('agentFiles', file, agent.toolUseId)
  releaseLines(file, context)
  return agent.toolUseId
}

/** Keeps a line of an agent until a call names the agent. */
export function waitForAgent(agentId: string, raw: JsonObject, notes: PiContext['notes']): void {
  notes.buffer('waiting', agentId, raw)
}

/** Reads the lines that have waited for an agent. */
function releaseLines(agentId: string, context: PiContext): void {
  for (const line of context.notes.takeBuffered('waiting', agentId)) context.rules.line(line, context)
}
