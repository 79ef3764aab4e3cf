import { omitUndefined } from '../../../core/json/fields.ts'
import { asObject, type JsonObject } from '../../../core/json/values.ts'
import type { UserContentPart } from '../../../core/state/content.ts'
import type { FileChange } from '../../../core/state/file-change.ts'
import { isFinal } from '../../../core/state/subagent.ts'
import { resumeCommands } from '../../../programs/all.ts'
import { CLAUDE_CODE, projectFolder } from '../../../programs/claude-code/program.ts'
import type {
  AgentPlan,
  CallItem,
  PromptEntry,
  ResultPart,
  StepEntry,
  SummaryEntry,
  ThreadPlan,
} from '../../plan/plan.ts'
import { attachmentText } from '../../plan/result-parts.ts'
import { jsonLines, jsonText, type Target, type WriteContext, writeEntries } from '../target.ts'

/** The version whose files these are. */
const VERSION = '2.1.330'

/** Claude Code. A file per session and per agent; each line names the line before it. */
export const claudeCodeTarget: Target = {
  program: CLAUDE_CODE,
  // The provider refuses thinking without its own signature.
  keepsThinking: false,
  keepsAgents: 'all',
  write(thread, context) {
    const { id, cwd, files } = context
    const folder = projectFolder(cwd)
    const session = { ...context, folder: `${folder}/${id}/subagents` }
    files.set(`${folder}/${id}.jsonl`, jsonLines(writeThread(thread, undefined, session)))
    return resumeCommands(CLAUDE_CODE, id)
  },
}

interface ClaudeSession extends WriteContext {
  /** The folder of the agents' files. */
  readonly folder: string
}

/** The agent whose thread is written. */
interface OwnAgent {
  readonly agentId: string
  readonly depth: number
}

/** Returns the lines of a conversation, and adds the files of its agents. */
function writeThread(
  thread: ThreadPlan,
  agent: OwnAgent | undefined,
  session: ClaudeSession,
): readonly JsonObject[] {
  const lines = new ClaudeLines(thread.place, agent, session)
  writeEntries(thread, lines)
  return lines.all
}

class ClaudeLines {
  readonly all: JsonObject[] = []
  readonly #place: string
  readonly #agent: OwnAgent | undefined
  readonly #session: ClaudeSession
  #last: string | null = null

  constructor(place: string, agent: OwnAgent | undefined, session: ClaudeSession) {
    this.#place = place
    this.#agent = agent
    this.#session = session
  }

  addPrompt(entry: PromptEntry): void {
    this.#addUser(entry, contentOf(entry.parts.map((part) => this.#userPart(part))))
  }

  #add(time: string, name: string, fields: JsonObject): string {
    const { id: sessionId, cwd, ids } = this.#session
    const uuid = ids.uuid('line', this.#place, name)
    const agent = this.#agent && { agentId: this.#agent.agentId }
    const common = { isSidechain: agent !== undefined, ...agent, userType: 'external', cwd, sessionId }
    const line = { parentUuid: this.#last, ...common, version: VERSION, ...fields, uuid, timestamp: time }
    this.all.push(line)
    this.#last = uuid
    return uuid
  }

  #addUser(
    { id, time }: { readonly id: string; readonly time: string },
    content: unknown,
    more: JsonObject = {},
  ) {
    this.#add(time, id, { type: 'user', message: { role: 'user', content }, ...more })
  }

  /** The program reads nothing before the mark, so the model gets the summary in its place. */
  addSummary({ id, time, text }: SummaryEntry): void {
    const mark = {
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      level: 'info',
    }
    const metadata = { compactMetadata: { trigger: 'auto', preTokens: 0 } }
    const logicalParentUuid = this.#last
    this.#last = null
    this.#add(time, `${id} mark`, { logicalParentUuid, ...mark, isMeta: false, ...metadata })
    this.#addUser({ id, time }, text, { isCompactSummary: true, isVisibleInTranscriptOnly: true })
  }

  addStep({ id, items }: StepEntry): void {
    const { model } = this.#session
    const calls = items.filter((item) => item.kind === 'call')
    const uuids = new Map<CallItem, string>()
    for (const item of items) {
      const isCall = item.kind === 'call'
      const block = isCall
        ? { type: 'tool_use', id: toolId(item), name: item.toolName, input: asObject(item.input) }
        : { type: 'text', text: item.text }
      const stop = { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null }
      const message = {
        id: `msg_${id}`,
        type: 'message',
        role: 'assistant',
        model,
        content: [block],
        ...stop,
      }
      const uuid = this.#add(item.time, item.id, { type: 'assistant', message })
      if (isCall) uuids.set(item, uuid)
    }
    for (const call of calls) this.#addResult(call, uuids.get(call))
  }

  #addResult(call: CallItem, sourceToolAssistantUUID: string | undefined): void {
    const { result, agent } = call
    const report = result.parts.map(contentPart)
    const agentId = agent && agentIdOf(agent)
    if (agent && agentId !== undefined) this.#addAgent(call, agent, agentId)
    const trailer =
      agentId === undefined || result.isError ? [] : [{ type: 'text', text: `agentId: ${agentId}` }]
    const content = contentOf([...report, ...trailer])
    const part = { type: 'tool_result', tool_use_id: toolId(call), content, is_error: result.isError }
    const record = this.#agent ? undefined : this.#record(call, report)
    if (result.changes !== undefined && asObject(record).structuredPatch === undefined)
      this.#session.losses.add('file-changes', this.#place)
    const more = omitUndefined({ sourceToolAssistantUUID, toolUseResult: record })
    this.#addUser({ id: `${call.id} result`, time: result.time }, [part], more)
  }

  /** Returns the tool's own record of a result, for the tools whose record has more than the text. */
  #record({ toolName, input, result, agent }: CallItem, content: readonly unknown[]): JsonObject | undefined {
    if (result.isError) return undefined
    if (agent)
      return {
        status: 'completed',
        prompt: agent.prompt,
        agentId: agentIdOf(agent),
        agentType: agent.type,
        content,
        totalDurationMs: agent.durationMs,
        totalTokens: 0,
        totalToolUseCount: 0,
      }
    const [change, ...others] = result.changes ?? []
    if (!change || others.length > 0 || change.hunks === undefined) return undefined
    return changeRecord(toolName, asObject(input), change)
  }

  #addAgent({ id }: CallItem, agent: AgentPlan, agentId: string): void {
    const { folder, files, model } = this.#session
    const depth = (this.#agent?.depth ?? 0) + 1
    const meta = omitUndefined({
      agentType: agent.type,
      description: agent.description,
      toolUseId: `toolu_${id}`,
      parentAgentId: this.#agent?.agentId,
      spawnDepth: depth,
      requestShape: 'foreground',
      model,
      finished: isFinal(agent.status) ? true : undefined,
    })
    const path = `${folder}/agent-${agentId}`
    files.set(`${path}.meta.json`, jsonText(meta))
    files.set(`${path}.jsonl`, jsonLines(writeThread(agent.thread, { agentId, depth }, this.#session)))
  }

  #userPart(part: UserContentPart): JsonObject {
    if (part.type === 'text') return { type: 'text', text: part.text }
    const { source } = part
    if (part.type === 'image') return { type: 'image', source: sourceOf(source) }
    if (source.type === 'base64' && source.mediaType === 'application/pdf')
      return omitUndefined({ type: 'document', source: sourceOf(source), title: part.name })
    return { type: 'text', text: attachmentText(part, this.#place, this.#session.losses) }
  }
}

function toolId({ id }: CallItem): string {
  return `toolu_${id}`
}

function agentIdOf({ id }: AgentPlan): string {
  return `a${id.replaceAll('-', '').slice(0, 16)}`
}

function sourceOf(source: Extract<UserContentPart, { readonly type: 'image' }>['source']): JsonObject {
  return source.type === 'url'
    ? { type: 'url', url: source.url }
    : { type: 'base64', media_type: source.mediaType, data: source.data }
}

function contentPart(part: ResultPart): JsonObject {
  return part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } }
}

/** One text is a string. */
function contentOf(parts: readonly JsonObject[]): unknown {
  const [first, ...others] = parts
  if (!first) return ''
  return others.length === 0 && first.type === 'text' ? first.text : parts
}

/** The record of a tool that changes one file: the diff is nowhere else. */
function changeRecord(
  toolName: string,
  input: JsonObject,
  { path, kind, hunks = [] }: FileChange,
): JsonObject | undefined {
  const common = { filePath: path, structuredPatch: hunks, originalFile: null }
  if (toolName === 'Write')
    return { type: kind === 'add' ? 'create' : 'update', content: input.content ?? '', ...common }
  const { old_string: oldString, new_string: newString } = input
  const edit = { oldString, newString, userModified: false, replaceAll: input.replace_all === true }
  return toolName === 'Edit' ? { ...common, ...edit } : undefined
}
