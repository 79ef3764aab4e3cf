import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import { asArray, asObject, asString, isString, type JsonObject } from '../../../core/json/values.ts'
import { subagentBlockId } from '../../../core/state/block.ts'
import { hasEnded } from '../../../core/state/subagent.ts'
import { agentCallFacts } from '../../../programs/all.ts'
import type { Program } from '../../../programs/program.ts'
import type { AgentsCall } from '../../../programs/reader.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { completeText } from '../blocks/text.ts'
import { type Call, isFinalStatus, shownCall } from '../calls/call.ts'
import { answeredCall, outputOf } from '../calls/result.ts'
import { type AcpContext, type AcpMemory, agentIdOf } from '../context.ts'
import { spawnChild } from './child-session.ts'
import { endAgent, type RunEnd } from './run.ts'

/** Whether the call starts an agent: its tool, or the fields of its input, show it. */
export function isAgentCall(call: Call, memory: AcpMemory): boolean {
  const { program, reader } = memory
  const { tools } = program
  const { toolName } = reader.agentsCall?.(shownCall(call)) ?? call
  const input = asObject(call.fields.rawInput)
  // A call that gives an agent a further task starts none.
  if (agentCallFacts(input).resumes) return false
  // A call with a list of tasks starts an agent for each of them, which have calls of their own.
  if (Array.isArray(input.tasks)) return false
  if (sessionsIn(call, memory.state).length > 0) return true
  if (tools.agent.includes(toolName)) return true
  const { prompt, agentType } = spawnFacts(input, program)
  return call.fields.kind === 'think' && prompt !== undefined && agentType !== undefined
}

/** Shows a call that starts an agent: the agent's announcement, its start and its end. */
export function showAgentCall(call: Call, known: Call | undefined, context: AcpContext): void {
  const agents = context.reader.agentsCall?.(shownCall(call))
  if (agents) return showSpawn(call, agents, context)
  // The first child session of a call is the call's agent. Each further one is an agent of its own beside it.
  for (const sessionId of sessionsIn(call, context.state)) linkSession(call, sessionId, context)
  const { status } = call.fields
  const { prompt, agentType: subagentType, description } = spawnFacts(inputIn(call, context), context.program)
  const isStarted = prompt !== undefined || status === 'in_progress' || isFinalStatus(status)
  if (!isStarted) announce(call, '', context)
  else if (isNews(call, known, context))
    spawn(call, omitUndefined({ prompt: prompt ?? '', subagentType, description }), context)
  if (isFinalStatus(status)) endByResult(call, status, context)
  else if (call.response && resultOf(call, context).isLaunch)
    context.notes.setEntry('launched', call.id, true)
}

/** Returns the input of a call that starts an agent. A program may show a part of it elsewhere. */
function inputIn(call: Call, { reader }: AcpMemory): JsonObject {
  return asObject(reader.input?.(shownCall(call)) ?? call.fields.rawInput)
}

/** Whether the input has changed, or the agent has not started yet. */
function isNews(call: Call, known: Call | undefined, memory: AcpMemory): boolean {
  return !memory.hasStarted(call.id) || !isEqual(known?.fields.rawInput, call.fields.rawInput)
}

interface SpawnFacts {
  readonly prompt: string
  readonly description?: string
  readonly subagentType?: string
  readonly agentId?: string
}

function spawnFacts(input: JsonObject, { fields }: Program) {
  return {
    prompt: asString(input[fields.prompt]),
    description: asString(input[fields.description]),
    agentType: asString(input[fields.agentType]),
  }
}

/** Shows an agent that has not started yet. */
function announce(call: Call, input: string, output: SessionOutput): void {
  const { id: toolUseId, conversationId, messageId } = call
  if (output.state.agentOfCall(toolUseId)) return
  const id = subagentBlockId(toolUseId)
  output.upsert(conversationId, { type: 'subagent', id, toolUseId, status: 'pending', input, messageId })
}

function spawn(call: Call, facts: SpawnFacts, output: SessionOutput): void {
  const { id: toolUseId, conversationId, messageId } = call
  output.emit({ type: 'subagent:spawned', conversationId, toolUseId, messageId, ...facts })
}

/** Ends the agent with the result of its call. An agent in the background goes on, and so does one that reports its own end. */
function endByResult(call: Call, status: 'completed' | 'failed', context: AcpContext): void {
  const { isLaunch, facts, ...run } = status === 'failed' ? failureOf(call, context) : resultOf(call, context)
  if (facts) spawn(call, facts, context)
  if (context.reader.mergesAgents) completeText(call.conversationId, context)
  const goesOn = isLaunch || (status === 'completed' && context.notes.values.reporting.get(call.id))
  if (!goesOn) {
    // The words of the program's own report stay.
    if (context.reader.reportsAgentEnds && context.state.hasEnded(call.id)) return addLateEnd(call, context)
    return endAgent(call.id, run, context)
  }
  context.notes.setEntry('launched', call.id, true)
  if (run.agentId !== undefined) spawn(call, { prompt: '', agentId: run.agentId }, context)
}

/** Adds what an agent lacks, because the call states it after its own end. */
export function addLateEnd(call: Call, context: AcpContext): void {
  const agent = context.state.agentOfCall(call.id)
  const { isLaunch, agentId, durationMs, output } = resultOf(call, context)
  if (agentId !== undefined && agent?.agentId === undefined) spawn(call, { prompt: '', agentId }, context)
  if (!agent || isLaunch || !hasEnded(agent)) return
  const { status, ...known } = agent
  const isNew =
    (known.output ?? output) !== known.output || (known.durationMs ?? durationMs) !== known.durationMs
  if (isNew)
    context.emit({
      type: 'subagent:completed',
      toolUseId: call.id,
      status: status === 'error' ? 'error' : 'completed',
      output: known.output ?? output,
      durationMs: known.durationMs ?? durationMs,
    })
}

interface CallEnd extends RunEnd {
  readonly isLaunch?: boolean | undefined
  /** The facts of the agent, if the input of the call lacks them. */
  readonly facts?: SpawnFacts | undefined
}

function failureOf(call: Call, { reader }: AcpMemory): CallEnd {
  const { agentId } = reader.agentResult?.(answeredCall(call, reader)) ?? {}
  const words = textOf(outputOf(call, reader))
  return { status: 'error', output: words && (reader.agentReport?.(words) ?? words), agentId }
}

/** Reads the result in the program's own words, or as plain text. */
function resultOf(call: Call, { reader, program }: AcpMemory): CallEnd {
  const result = reader.agentResult?.(answeredCall(call, reader)) ?? {
    report: textOf(outputOf(call, reader)),
  }
  const { agentId, durationMs, isLaunch, report, prompt = '', agentType: subagentType, description } = result
  const isKnown =
    subagentType === undefined || spawnFacts(asObject(call.fields.rawInput), program).agentType !== undefined
  const facts = isKnown ? undefined : omitUndefined({ prompt, subagentType, description })
  const output = report && (reader.agentReport?.(report) ?? report)
  return { status: result.isError ? 'error' : 'completed', agentId, durationMs, isLaunch, facts, output }
}

function textOf(output: unknown): string | undefined {
  const texts = asArray(output).flatMap((part) => asString(asObject(part).text) ?? [])
  return (asString(output) ?? texts.join('\n')) || undefined
}

/** Shows a call whose end names its agents. */
function showSpawn(call: Call, agents: AgentsCall, context: AcpContext): void {
  const { prompt = '', description, isFailed, isUnreported } = agents
  const [agentId] = agents.agentIds
  if (agentId !== undefined) {
    const child = context.state.findAgent(agentId)
    // A session of the agent stands for its call until the call is known.
    if (child && child.toolUseId !== call.id)
      return agentIdOf(child.toolUseId) === agentId
        ? linkSession(call, child.toolUseId, context, description)
        : undefined
    if (isUnreported) context.notes.setEntry('launched', call.id, true)
    spawn(call, omitUndefined({ prompt, agentId, description }), context)
    if (isUnreported && call.fields.status === 'failed') endAgent(call.id, { status: 'error' }, context)
    return
  }
  announce(call, prompt, context)
  if (isFailed || isFinalStatus(call.fields.status)) endAgent(call.id, { status: 'error' }, context)
}

/** Returns the ids of the child sessions that the content of a call names. */
function sessionsIn({ fields }: Call, { facts }: SessionLookups): readonly string[] {
  return asArray(fields.content).flatMap((part) => {
    const { type, sessionId } = asObject(part)
    const isChild = type === 'session' && isString(sessionId) && sessionId !== '' && sessionId !== facts.id
    return isChild ? [sessionId] : []
  })
}

function linkSession(
  call: Call,
  sessionId: string,
  context: AcpContext,
  description: string | undefined = asString(call.fields.title),
): void {
  const { id: toolUseId, conversationId } = call
  const child = context.agentOfSession(sessionId)
  if (child?.toolUseId === toolUseId) return
  const agentId = agentIdOf(sessionId)
  const facts = omitUndefined({ prompt: '', agentId, description })
  if (context.state.agentOfCall(toolUseId)?.agentId !== undefined)
    return child
      ? undefined
      : spawnChild(conversationId, { toolUseId: sessionId, isNew: true, facts }, context)
  if (!child) return spawnChild(conversationId, { toolUseId, isNew: true, facts }, context)
  const { toolUseId: formerId } = child
  // A child that is the agent of another call stays so.
  if (formerId !== sessionId || conversationId === formerId) return
  spawnChild(conversationId, { toolUseId, isNew: false, facts: { ...facts, formerId } }, context)
  moveNotes(formerId, toolUseId, context)
}

/** The notes about a conversation, by its id. */
const OF_CONVERSATION = ['bufferedMessages', 'streams', 'unnamed', 'joints', 'promptIds'] as const

/** The notes about an agent, by its call. */
const OF_AGENT = ['reports', 'restarting', 'reporting', 'withoutTokens'] as const

/** Moves the notes about an agent that has stood for its own call to the call. */
function moveNotes(from: string, to: string, memory: AcpMemory): void {
  for (const name of [...OF_CONVERSATION, ...OF_AGENT]) memory.notes.moveEntry(name, from, to)
  for (const { id } of memory.state.pendingBlocks(to))
    for (const name of ['calls', 'summaries'] as const)
      memory.notes.moveEntry(name, memory.notes.keyOf(from, id), memory.notes.keyOf(to, id))
}
