import { omitUndefined } from '../../../core/json/fields.ts'
import { asObject, asString, isString, type JsonObject } from '../../../core/json/values.ts'
import type { UserContentPart } from '../../../core/state/content.ts'
import { isFinal } from '../../../core/state/subagent.ts'
import { resumeCommands } from '../../../programs/all.ts'
import { isFailureText, isRefusalText } from '../../../programs/codex/command.ts'
import {
  changesByPath,
  patchOfChanges,
  patchOfEdit,
  patchOfNewFile,
} from '../../../programs/codex/file-change.ts'
import { FILE_CHANGE, SPAWN_AGENT } from '../../../programs/codex/tool-names.ts'
import type {
  AgentPlan,
  CallItem,
  PromptEntry,
  ResultPart,
  StepEntry,
  SummaryEntry,
  ThreadPlan,
} from '../../plan/plan.ts'
import { attachmentText, resultText } from '../../plan/result-parts.ts'
import { callId, jsonLines, jsonText, type Target, type WriteContext, writeEntries } from '../target.ts'

/** The version whose files these are. */
const VERSION = '0.169.0'

/** Codex. A rollout per thread. The model's history has lines of its own, and so has the program's display. */
export const codexTarget: Target = {
  program: 'codex',
  keepsThinking: true,
  keepsAgents: 'all',
  write(thread, context) {
    writeRollout(thread, { id: context.id }, context)
    return resumeCommands('codex', context.id)
  },
}

/** The thread that is written. */
interface OwnThread {
  readonly id: string
  readonly parentId?: string
  readonly depth?: number
  readonly agent?: AgentPlan
  /** The report of the agent. */
  readonly report?: string
}

/** Adds the file of a thread, and those of its agents. */
function writeRollout(thread: ThreadPlan, own: OwnThread, session: WriteContext): void {
  const lines = new RolloutLines(thread, own, session)
  writeEntries(thread, lines)
  // Without a turn, an agent would have no end.
  if (own.agent && thread.entries.length === 0) lines.beginTurn('start', thread.startedAt)
  lines.endTurn(thread.endedAt, true)
  const [date = '', time = ''] = thread.startedAt.slice(0, 19).split('T')
  const name = `rollout-${date}T${time.replaceAll(':', '-')}-${own.id}.jsonl`
  session.files.set(`${date.replaceAll('-', '/')}/${name}`, jsonLines(lines.all))
}

interface Turn {
  readonly id: string
  readonly startedAt: number
  lastText: string | null
}

class RolloutLines {
  readonly all: JsonObject[] = []
  readonly #own: OwnThread
  readonly #session: WriteContext
  readonly #place: string
  #turn: Turn | undefined

  constructor({ place, startedAt }: ThreadPlan, own: OwnThread, session: WriteContext) {
    this.#own = own
    this.#session = session
    this.#place = place
    const { id: session_id, cwd } = session
    const head = {
      session_id,
      id: own.id,
      timestamp: startedAt,
      cwd,
      originator: 'agentfold',
      cli_version: VERSION,
    }
    this.#add(startedAt, 'session_meta', { ...head, ...originOf(own) })
  }

  /** Ends the turn. The last one of an agent ends with its report, and stays open while the agent runs. */
  endTurn(time: string, isLast = false): void {
    const turn = this.#turn
    this.#turn = undefined
    const { agent, report } = this.#own
    if (!turn || (isLast && agent && !isFinal(agent.status))) return
    const [id, at] = [{ turn_id: turn.id }, { started_at: turn.startedAt, completed_at: seconds(time) }]
    const last_agent_message = isLast ? (report ?? turn.lastText) : turn.lastText
    const isFailed = isLast && agent?.status === 'error'
    const outcome = isFailed
      ? { last_agent_message: null, error: { message: report ?? '', codex_error_info: 'other' } }
      : { last_agent_message }
    this.#event(time, { type: 'task_complete', ...id, ...outcome, ...at })
  }

  #add(timestamp: string, type: string, payload: JsonObject): void {
    this.all.push({ timestamp, ordinal: this.all.length, type, payload })
  }

  /** A line for the program's own display. */
  #event(time: string, payload: JsonObject): void {
    this.#add(time, 'event_msg', payload)
  }

  /** A line of the model's history. */
  #item(time: string, payload: JsonObject): void {
    this.#add(time, 'response_item', payload)
  }

  #completed(time: string, item: JsonObject): void {
    const [ms, thread] = [Date.parse(time), { thread_id: this.#own.id, turn_id: this.#turn?.id }]
    const times = { started_at_ms: ms, completed_at_ms: ms }
    this.#event(time, { type: 'item_completed', ...thread, item, ...times })
  }

  beginTurn(id: string, time: string): void {
    const turn_id = this.#session.ids.uuid('turn', this.#place, id)
    this.#turn = { id: turn_id, startedAt: seconds(time), lastText: null }
    this.#event(time, { type: 'task_started', turn_id, started_at: seconds(time) })
  }

  addPrompt({ id, time, parts }: PromptEntry): void {
    this.endTurn(time)
    this.beginTurn(id, time)
    const content = parts.map((part) => this.#userPart(part))
    this.#item(time, { type: 'message', role: 'user', content })
    const shown = content.map((part) =>
      part.type === 'input_text'
        ? { type: 'text', text: part.text, text_elements: [] }
        : { type: 'image', image_url: part.image_url },
    )
    this.#completed(time, {
      type: 'UserMessage',
      id: this.#session.ids.uuid('prompt', this.#place, id),
      content: shown,
    })
  }

  #userPart(part: UserContentPart): JsonObject {
    if (part.type === 'text') return { type: 'input_text', text: part.text }
    const { source } = part
    const address = source.type === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`
    if (part.type === 'image') return { type: 'input_image', image_url: address }
    return { type: 'input_text', text: attachmentText(part, this.#place, this.#session.losses) }
  }

  /** The history of the model goes on from the summary alone. */
  addSummary({ id, time, text }: SummaryEntry): void {
    if (!this.#turn) this.beginTurn(id, time)
    const summary = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
    this.#add(time, 'compacted', { message: text, replacement_history: [summary] })
    this.#completed(time, {
      type: 'ContextCompaction',
      id: this.#session.ids.uuid('summary', this.#place, id),
    })
  }

  addStep({ id, time, items }: StepEntry): void {
    if (!this.#turn) this.beginTurn(id, time)
    for (const item of items)
      if (item.kind === 'call') this.#item(item.time, callLine(item))
      else if (item.kind === 'text') this.#addText(item)
      // Providers take no thinking from elsewhere, so the model's history has none.
      else this.#completed(item.time, { type: 'Reasoning', id: `rs_${item.id}`, summary_text: [item.text] })
    for (const item of items) if (item.kind === 'call') this.#addResult(item)
  }

  #addText({ id, time, text }: { readonly id: string; readonly time: string; readonly text: string }): void {
    if (this.#turn) this.#turn.lastText = text
    this.#completed(time, { type: 'AgentMessage', id: `msg_${id}`, content: [{ type: 'Text', text }] })
    this.#item(time, {
      type: 'message',
      id: `msg_${id}`,
      role: 'assistant',
      content: [{ type: 'output_text', text }],
    })
  }

  #addResult(call: CallItem): void {
    const { result, agent, time } = call
    if (agent) {
      this.#addAgent(call, agent)
      this.#item(time, outputLine(call, JSON.stringify({ agent_id: agent.id, nickname: null })))
      return this.#addReport(call, agent)
    }
    const { losses } = this.#session
    if (result.isError && !showsFailure(call)) losses.add('failure-mark', this.#place)
    const changes = patchOf(call) !== undefined && !result.isError && changesByPath(result.changes ?? [])
    // An empty list would be a patch without effect.
    if (changes && result.changes?.length)
      this.#completed(result.time, { type: 'FileChange', id: callId(call), changes, status: 'completed' })
    else if (result.changes !== undefined) losses.add('file-changes', this.#place)
    this.#item(result.time, outputLine(call))
  }

  /** The program tells the model of an agent's end in such a message. */
  #addReport(call: CallItem, { id, status }: AgentPlan): void {
    const text = resultText(call.result)
    const state = status === 'success' ? { completed: text } : { errored: text }
    const news = jsonText({ agent_path: id, status: state })
    const content = [
      { type: 'input_text', text: `<subagent_notification>\n${news}\n</subagent_notification>` },
    ]
    this.#item(call.result.time, { type: 'message', role: 'user', content })
  }

  #addAgent(call: CallItem, agent: AgentPlan): void {
    const { time } = call
    const depth = (this.#own.depth ?? 0) + 1
    const own = { id: agent.id, parentId: this.#own.id, depth, agent, report: resultText(call.result) }
    writeRollout(agent.thread, own, this.#session)
    this.#completed(time, {
      type: 'CollabAgentToolCall',
      id: callId(call),
      tool: SPAWN_AGENT,
      status: 'completed',
      sender_thread_id: this.#own.id,
      receiver_thread_ids: [agent.id],
      prompt: agent.prompt,
      agents_states: { [agent.id]: 'pending_init' },
    })
  }
}

function originOf({ parentId, depth, agent }: OwnThread): JsonObject {
  if (parentId === undefined) return { source: 'cli', thread_source: 'user' }
  const spawn = omitUndefined({ parent_thread_id: parentId, depth, agent_role: agent?.type })
  return {
    parent_thread_id: parentId,
    source: { subagent: { thread_spawn: spawn } },
    thread_source: 'subagent',
  }
}

function seconds(time: string): number {
  return Math.floor(Date.parse(time) / 1000)
}

/** The name of the tool for commands. */
const COMMAND_TOOL = 'exec_command'

/** The name of the tool for edits. Other programs have one of that name whose input is an object with the patch. */
const PATCH_TOOL = 'apply_patch'

/** Returns a call as the model's history has it. A patch is a text and no object. */
function callLine(call: CallItem): JsonObject {
  const [call_id, patch] = [callId(call), patchOf(call)]
  if (patch !== undefined)
    return { type: 'custom_tool_call', status: 'completed', call_id, name: PATCH_TOOL, input: patch }
  // The program would read any other input of that tool as a patch.
  const name = call.toolName === PATCH_TOOL ? `${PATCH_TOOL}_call` : call.toolName
  return { type: 'function_call', name, arguments: jsonText(argumentsOf(call)), call_id }
}

/** Returns a result as the model's history has it. */
function outputLine(call: CallItem, output = outputOf(call)): JsonObject {
  const type = patchOf(call) === undefined ? 'function_call_output' : 'custom_tool_call_output'
  return { type, call_id: callId(call), output }
}

/** Whether the text of a result itself says that the call has failed. Nothing else in the program's files does. */
function showsFailure({ toolName, result }: CallItem): boolean {
  if (result.parts.some(({ type }) => type === 'image')) return false
  const text = resultText(result)
  if (isRefusalText(text)) return true
  return toolName === COMMAND_TOOL ? (result.exitCode ?? 0) !== 0 : isFailureText(text)
}

/** A session has the agents of a call in one list. The model names one as `target`, or several as `targets`. */
function argumentsOf({ input }: CallItem): JsonObject {
  const { agentIds, prompt, ...others } = asObject(input)
  if (!Array.isArray(agentIds)) return asObject(input)
  return omitUndefined({ ...others, targets: agentIds, message: prompt })
}

/** Returns the patch that a call of an edit is in this program; undefined for any other call. */
function patchOf({ toolName, input, shared, result }: CallItem): string | undefined {
  if (toolName === FILE_CHANGE) return patchOfChanges(result.changes ?? [])
  if (toolName === PATCH_TOOL) return Object.values(asObject(input)).filter(isString).find(isPatch)
  const { path, content, before, after } = shared?.values ?? {}
  if (!isString(path)) return undefined
  if (shared?.meaning === 'write') return patchOfNewFile(path, asString(content) ?? '')
  if (shared?.meaning === 'edit') return patchOfEdit(path, asString(before) ?? '', asString(after) ?? '')
  return undefined
}

function isPatch(text: string): boolean {
  return text.startsWith('*** Begin Patch\n')
}

function outputOf({ toolName, result }: CallItem): unknown {
  const { parts, exitCode } = result
  if (parts.some(({ type }) => type === 'image')) return parts.map(outputPart)
  const text = resultText(result)
  if (toolName !== COMMAND_TOOL) return text
  // The program takes off what is before the output.
  const head = exitCode === undefined ? '' : `Process exited with code ${exitCode}\n`
  return `${head}Output:\n${text}`
}

function outputPart(part: ResultPart): JsonObject {
  return part.type === 'text'
    ? { type: 'input_text', text: part.text }
    : { type: 'input_image', image_url: `data:${part.mediaType};base64,${part.data}` }
}
