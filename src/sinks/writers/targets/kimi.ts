import { omitUndefined } from '../../../core/json/fields.ts'
import { sha256Hex } from '../../../core/json/sha256.ts'
import type { JsonObject } from '../../../core/json/values.ts'
import type { UserContentPart } from '../../../core/state/content.ts'
import { MAIN } from '../../../core/state/session.ts'
import { isFinal } from '../../../core/state/subagent.ts'
import { resumeCommands } from '../../../programs/all.ts'
import { AGENT_SWARM } from '../../../programs/kimi/program.ts'
import type {
  AgentPlan,
  CallItem,
  CallResult,
  PromptEntry,
  ResultPart,
  StepEntry,
  SummaryEntry,
  ThreadPlan,
} from '../../plan/plan.ts'
import { attachmentText, resultText } from '../../plan/result-parts.ts'
import { type Reply, repliesOf } from '../replies.ts'
import { callId, jsonLines, jsonText, type Target, type WriteContext, writeEntries } from '../target.ts'

/** Kimi Code. A folder per session, with a file per agent. */
export const kimiTarget: Target = {
  program: 'kimi',
  keepsThinking: true,
  keepsAgents: 'all',
  takesModel: true,
  write(thread, context) {
    const { id, cwd, files, chosenModel } = context
    const sessionId = `session_${id}`
    const folder = `${workFolder(cwd)}/${sessionId}`
    const session = { ...context, folder, agents: new Map<string, JsonObject>([[MAIN, { type: 'main' }]]) }
    const wire = wireOf(thread, { agentId: MAIN, origin: { kind: 'user' } }, session)
    const times = { createdAt: Date.parse(thread.startedAt), updatedAt: Date.parse(thread.endedAt) }
    const agents = Object.fromEntries(session.agents)
    const state = { id: sessionId, version: 2, cwd, ...times, archived: false, agents, custom: {} }
    // A session that the program has not made has no model of its own.
    const chosen = chosenModel === undefined ? [] : ['--model', chosenModel]
    files.set(`${folder}/state.json`, jsonText(state))
    files.set(wirePath(session, MAIN), wire)
    return resumeCommands('kimi', sessionId).map((words) => [...words, ...chosen])
  },
}

interface KimiSession extends WriteContext {
  readonly folder: string
  /** The facts about each agent in the session's state. */
  readonly agents: Map<string, JsonObject>
}

/** Returns the name that the program gives to the folder of a project. */
function workFolder(cwd: string): string {
  const path = cwd.replace(/\\/g, '/').replace(/\/+$/, '')
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const words = trimmed(trimmed(name.replace(/[^a-z0-9._-]+/g, '-')).slice(0, 40))
  const slug = ['', '.', '..'].includes(words) ? 'workspace' : words
  return `wd_${slug}_${sha256Hex(path).slice(0, 12)}`
}

function wirePath({ folder }: KimiSession, agentId: string): string {
  return `${folder}/agents/${agentId}/wire.jsonl`
}

function trimmed(text: string): string {
  return text.replace(/^-+|-+$/g, '')
}

interface OwnAgent {
  readonly agentId: string
  /** The writer of the prompts. */
  readonly origin: JsonObject
  /** The type of an agent. */
  readonly profileName?: string
}

function wireOf(thread: ThreadPlan, own: OwnAgent, session: KimiSession): string {
  const lines = new WireLines(thread, own, session)
  writeEntries(thread, lines)
  lines.endTurn(thread.endedAt)
  return jsonLines(lines.all)
}

class WireLines {
  readonly all: JsonObject[] = []
  readonly #place: string
  readonly #own: OwnAgent
  readonly #session: KimiSession
  #turn = 0
  #step = 0
  #isOpen = false

  constructor({ place, startedAt }: ThreadPlan, own: OwnAgent, session: KimiSession) {
    this.#place = place
    this.#own = own
    this.#session = session
    this.all.push({ type: 'metadata', protocol_version: '1.5', created_at: Date.parse(startedAt) })
    const { profileName } = own
    // Main gets its model in the command. An agent without one never goes on.
    if (profileName !== undefined && session.chosenModel !== undefined)
      this.#add(startedAt, 'config.update', { modelAlias: session.chosenModel, profileName })
  }

  addSummary({ time, text: summary }: SummaryEntry): void {
    // The model gets nothing before the summary: the history has no more messages than the file has lines.
    const compactedCount = this.all.length
    this.#add(time, 'context.apply_compaction', { summary, contextSummary: summary, compactedCount })
  }

  addStep(entry: StepEntry): void {
    for (const reply of repliesOf(entry)) this.#addReply(reply)
  }

  endTurn(time: string): void {
    if (!this.#isOpen) return
    this.#add(time, 'turn.ended', { turnId: this.#turn, reason: 'completed' })
    this.#isOpen = false
    this.#turn += 1
    this.#step = 0
  }

  #add(time: string, type: string, fields: JsonObject): void {
    const { agentId } = this.#own
    this.all.push({ type, agentId, ...fields, time: Date.parse(time) })
  }

  /** The model's history is made of such lines. */
  #addLoop(time: string, event: JsonObject): void {
    this.#add(time, 'context.append_loop_event', { event })
  }

  addPrompt({ id: name, time, parts }: PromptEntry): void {
    this.endTurn(time)
    this.#isOpen = true
    const { origin } = this.#own
    const content = parts.map((part) => this.#userPart(part))
    const id = `msg_${name}`
    this.#add(time, 'turn.prompt', { input: content, origin, promptId: id, turnId: this.#turn })
    const message = { role: 'user', content, id, toolCalls: [], origin }
    this.#add(time, 'context.append_message', { message })
  }

  #userPart(part: UserContentPart): JsonObject {
    if (part.type === 'text') return part
    const { source } = part
    if (part.type === 'image')
      return imagePart(source.type === 'url' ? source.url : dataAddress(source.mediaType, source.data))
    return { type: 'text', text: attachmentText(part, this.#place, this.#session.losses) }
  }

  #addReply({ id, time, thought, text, calls }: Reply): void {
    this.#isOpen = true
    this.#step += 1
    const uuid = this.#session.ids.uuid('step', this.#place, id)
    const step = { turnId: String(this.#turn), step: this.#step }
    const ofStep = { ...step, stepUuid: uuid }
    this.#addLoop(time, { type: 'step.begin', uuid, ...step })
    const parts = [
      ...(thought ? [{ type: 'think', think: thought.text }] : []),
      ...(text ? [{ type: 'text', text: text.text }] : []),
    ]
    for (const part of parts) this.#addLoop(time, { type: 'content.part', ...ofStep, part })
    for (const call of calls) this.#addCall(call, ofStep)
    for (const call of calls) this.#addResult(call)
    const finishReason = calls.length > 0 ? 'tool_use' : 'end_turn'
    const end = calls.reduce((last, { result }) => (result.time > last ? result.time : last), time)
    this.#addLoop(end, { type: 'step.end', uuid, ...step, finishReason })
  }

  #addCall(call: CallItem, ofStep: JsonObject): void {
    const { time, toolName, input: args } = call
    // The program would look for agents with the ids in the result.
    const name = toolName === AGENT_SWARM ? `${AGENT_SWARM}_call` : toolName
    const uuid = this.#session.ids.uuid('call', this.#place, call.id)
    this.#addLoop(time, { type: 'tool.call', uuid, ...ofStep, toolCallId: callId(call), name, args })
  }

  #addResult(call: CallItem): void {
    const { id, result, agent } = call
    const agentId = agent && this.#addAgent(call, agent)
    const { parts, isError, durationMs } = result
    const hasImages = parts.some(({ type }) => type === 'image')
    const words = hasImages ? parts.map(outputPart) : resultText(result)
    const output = agent && agentId !== undefined ? reportText(agentId, agent, result) : words
    if (result.changes !== undefined) this.#session.losses.add('file-changes', this.#place)
    const parentUuid = this.#session.ids.uuid('call', this.#place, id)
    const end = omitUndefined({ output, isError: isError ? true : undefined, durationMs })
    this.#addLoop(result.time, { type: 'tool.result', parentUuid, toolCallId: callId(call), result: end })
  }

  /** Adds the agent's file, and returns its id. */
  #addAgent(call: CallItem, agent: AgentPlan): string {
    const { agents, files } = this.#session
    const { agentId: parentAgentId } = this.#own
    const agentId = `agent-${agents.size - 1}`
    const labels = { parentAgentId, profileName: agent.type }
    agents.set(agentId, { type: 'sub', parentAgentId, labels })
    const { type: subagentName, description, thread, status } = agent
    const origin = { kind: 'system_trigger', name: 'subagent' }
    const link = { subagentName, parentToolCallId: callId(call), parentAgentId, callerAgentId: parentAgentId }
    const started = { subagentId: agentId, ...link, description, runInBackground: false }
    this.#add(call.time, 'subagent.spawned', started)
    const own = { agentId, origin, profileName: subagentName }
    files.set(wirePath(this.#session, agentId), wireOf(thread, own, this.#session))
    const words = resultText(call.result)
    const end = call.result.isError
      ? ({ type: 'subagent.failed', fields: { error: words } } as const)
      : ({ type: 'subagent.completed', fields: { resultSummary: words } } as const)
    if (isFinal(status)) this.#add(call.result.time, end.type, { subagentId: agentId, ...end.fields })
    return agentId
  }
}

function imagePart(url: string): JsonObject {
  return { type: 'image_url', imageUrl: { url } }
}

function dataAddress(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`
}

function outputPart(part: ResultPart): JsonObject {
  return part.type === 'text' ? part : imagePart(dataAddress(part.mediaType, part.data))
}

/** The frame in which the program gives its model the report of an agent. */
function reportText(agentId: string, { type }: AgentPlan, result: CallResult): string {
  const head = `agent_id: ${agentId}\nactual_subagent_type: ${type.replace(/\s+/g, ' ')}`
  const text = resultText(result)
  return result.isError
    ? `${head}\nstatus: failed\n\nsubagent error: ${text}`
    : `${head}\nstatus: completed\n\n[summary]\n${text}`
}
