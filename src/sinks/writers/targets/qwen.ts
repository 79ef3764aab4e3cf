import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import type { JsonObject } from '../../../core/json/values.ts'
import { isFinal } from '../../../core/state/subagent.ts'
import { resumeCommands } from '../../../programs/all.ts'
import { patchText } from '../../../programs/diff.ts'
import { fileChangesOf } from '../../../programs/qwen/tool-result.ts'
import type {
  AgentPlan,
  CallItem,
  PromptEntry,
  StepEntry,
  SummaryEntry,
  ThreadPlan,
} from '../../plan/plan.ts'
import { resultText } from '../../plan/result-parts.ts'
import { type Reply, repliesOf } from '../replies.ts'
import { callId, jsonLines, jsonText, type Target, type WriteContext, writeEntries } from '../target.ts'
import { imageParts, promptPart, responseOf } from './gemini.ts'

/** The version whose files these are. */
const VERSION = '0.24.4'

/** Qwen Code. A file per session and per agent; each record names the one before it. */
export const qwenTarget: Target = {
  program: 'qwen',
  keepsThinking: true,
  keepsAgents: 'all',
  write(thread, context) {
    const { id, cwd, files } = context
    const folder = cwd.replace(/[^a-zA-Z0-9]/g, '-')
    const session = { ...context, folder: `${folder}/subagents/${id}` }
    files.set(`${folder}/chats/${id}.jsonl`, jsonLines(writeThread(thread, undefined, session)))
    return resumeCommands('qwen', id)
  },
}

interface QwenSession extends WriteContext {
  /** The folder of the agents' files. */
  readonly folder: string
}

/** The agent whose thread is written. */
interface OwnAgent {
  readonly agentId: string
  readonly type: string
  readonly depth: number
}

function writeThread(
  thread: ThreadPlan,
  agent: OwnAgent | undefined,
  session: QwenSession,
): readonly JsonObject[] {
  const records = new QwenRecords(thread.place, agent, session)
  writeEntries(thread, records)
  return records.all
}

class QwenRecords {
  readonly all: JsonObject[] = []
  readonly #place: string
  readonly #agent: OwnAgent | undefined
  readonly #session: QwenSession
  #last: string | null = null
  /** The text of the last record, if that has no calls. */
  #answer: { text: string } | undefined

  constructor(place: string, agent: OwnAgent | undefined, session: QwenSession) {
    this.#place = place
    this.#agent = agent
    this.#session = session
  }

  addPrompt({ id, time, parts: content }: PromptEntry): void {
    const parts = content.map((part) => promptPart(part, this.#place, this.#session.losses))
    this.#add(time, id, { type: 'user', message: { role: 'user', parts } })
  }

  #add(timestamp: string, name: string, fields: JsonObject): void {
    const { id: sessionId, cwd, ids } = this.#session
    const { agentId, type: agentName } = this.#agent ?? {}
    const uuid = ids.uuid('record', this.#place, name)
    const agent = agentId === undefined ? {} : { agentId, agentName, isSidechain: true }
    const common = { uuid, parentUuid: this.#last, sessionId, timestamp, cwd, version: VERSION, ...agent }
    this.all.push({ ...common, ...fields })
    this.#last = uuid
    this.#answer = undefined
  }

  /** The history of the model goes on from the summary alone. */
  addSummary({ id, time, text }: SummaryEntry): void {
    const compressedHistory = [
      { role: 'user', parts: [{ text }] },
      { role: 'model', parts: [{ text: 'Got it. Thanks for the additional context!' }] },
    ]
    const info = { originalTokenCount: 0, newTokenCount: 0, compressionStatus: 1 }
    const systemPayload = { info, compressedHistory }
    this.#add(time, id, { type: 'system', subtype: 'chat_compression', systemPayload })
  }

  addStep(entry: StepEntry): void {
    for (const reply of repliesOf(entry)) this.#addReply(reply)
  }

  #addReply({ id, time, thought, text, calls }: Reply): void {
    const answer = text && { text: text.text }
    // The program joins neighbouring answers for its model, with nothing between them.
    if (answer && this.#answer && !/\s$/.test(this.#answer.text)) this.#answer.text += '\n\n'
    const parts = [
      ...(thought ? [{ text: thought.text, thought: true }] : []),
      ...(answer ? [answer] : []),
      ...calls.map((call) => ({
        functionCall: { id: callId(call), name: call.toolName, args: call.input },
      })),
    ]
    const message = { role: 'model', parts }
    this.#add(time, id, { type: 'assistant', model: this.#session.model, message })
    if (calls.length === 0) this.#answer = answer
    for (const call of calls) this.#addResult(call)
  }

  #addResult(call: CallItem): void {
    const { id, result, agent } = call
    if (agent) this.#addAgent(call, agent)
    // The call of an agent that failed succeeds, with the reason as its output.
    const words = agent && { output: resultText(result) }
    const toolCallResult = omitUndefined({
      callId: callId(call),
      status: result.isError && !agent ? 'error' : 'success',
      resultDisplay: agent ? agentRecord(call, agent) : this.#record(call),
      durationMs: result.durationMs,
    })
    const images = imageParts(call)
    const functionResponse = { ...responseOf(call, words), ...(images.length > 0 && { parts: images }) }
    const message = { role: 'user', parts: [{ functionResponse }] }
    this.#add(result.time, `${id} result`, { type: 'tool_result', message, toolCallResult })
  }

  /** Returns the tool's own record of a result, for the tools whose record has more than the text. */
  #record({ toolName, input, result }: CallItem): JsonObject | undefined {
    const { exitCode, changes } = result
    if (exitCode !== undefined)
      return { type: 'shell_result', version: 1, exitCode, text: resultText(result) }
    const [change, ...others] = changes ?? []
    if (!change) return undefined
    const { path, kind } = change
    const before = kind === 'add' ? { originalContent: '' } : {}
    const record = { fileDiff: patchText(change) ?? '', filePath: path, fileName: path, ...before }
    const output = resultText(result)
    if (others.length === 0 && isEqual(fileChangesOf({ call: { toolName, input }, record, output }), changes))
      return record
    this.#session.losses.add('file-changes', this.#place)
    return undefined
  }

  #addAgent(call: CallItem, { type, description, status, thread }: AgentPlan): void {
    const { folder, files, id: parentSessionId } = this.#session
    const agentId = `${type.replace(/[^\w-]/g, '_').slice(0, 60)}-${callId(call)}`
    const depth = this.#agent ? this.#agent.depth + 1 : 0
    const meta = {
      agentId,
      agentType: type,
      description,
      parentSessionId,
      toolUseId: callId(call),
      parentAgentId: this.#agent?.agentId ?? null,
      createdAt: thread.startedAt,
      status: isFinal(status) ? (status === 'success' ? 'completed' : 'failed') : 'running',
      isBackgrounded: false,
      lastUpdatedAt: thread.endedAt,
      subagentName: type,
      resumeCount: 0,
      depth,
    }
    const path = `${folder}/agent-${agentId}`
    files.set(`${path}.meta.json`, jsonText(meta))
    files.set(`${path}.jsonl`, jsonLines(writeThread(thread, { agentId, type, depth }, this.#session)))
  }
}

function agentRecord({ result }: CallItem, { type, description, prompt }: AgentPlan): JsonObject {
  const facts = { subagentName: type, taskDescription: description, taskPrompt: prompt }
  const end = result.isError ? { status: 'failed' } : { status: 'completed', terminateReason: 'GOAL' }
  const { durationMs } = result
  return omitUndefined({
    type: 'task_execution',
    ...facts,
    ...end,
    result: resultText(result),
    executionSummary: durationMs === undefined ? undefined : { totalDurationMs: durationMs },
  })
}
