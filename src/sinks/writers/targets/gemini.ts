import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import { sha256Hex } from '../../../core/json/sha256.ts'
import type { JsonObject } from '../../../core/json/values.ts'
import type { UserContentPart } from '../../../core/state/content.ts'
import { patchText } from '../../../programs/diff.ts'
import { fileChangesOf } from '../../../programs/gemini/tool-result.ts'
import type { LossCounter } from '../../plan/losses.ts'
import type {
  AgentPlan,
  CallItem,
  CallResult,
  PromptEntry,
  StepEntry,
  SummaryEntry,
  ThreadPlan,
} from '../../plan/plan.ts'
import { attachmentText, imagesIn, resultText } from '../../plan/result-parts.ts'
import { type Reply, repliesOf } from '../replies.ts'
import { callId, jsonLines, jsonText, type Target, type WriteContext, writeEntries } from '../target.ts'

/** Gemini CLI. A chat per session, and one per agent of main: its agents start none. */
export const geminiTarget: Target = {
  program: 'gemini',
  keepsThinking: true,
  keepsAgents: 'of main',
  write(thread, context) {
    const { id, cwd, files } = context
    const folder = `${projectName(cwd)}/chats`
    const session = { ...context, folder: `${folder}/${id}` }
    const minute = thread.startedAt.slice(0, 16).replace(':', '-')
    const path = `${folder}/session-${minute}-${id.slice(0, 8)}.jsonl`
    files.set(path, chatOf(thread, { sessionId: id, kind: 'main' }, session))
    // `--resume` looks in the folder of the project alone, whose name may have a number that only the program knows.
    return [['gemini', '--session-file', path]]
  },
}

interface GeminiSession extends WriteContext {
  /** The folder of the agents' chats. */
  readonly folder: string
}

/** Returns the name that the program gives to the folder of a project. It adds a number to a name that another project has. */
function projectName(cwd: string): string {
  const name = cwd.split(/[\\/]/).findLast((part) => part !== '') ?? ''
  const words = name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return words.replace(/^-|-$/g, '') || 'project'
}

interface ChatHead {
  readonly sessionId: string
  readonly kind: 'main' | 'subagent'
}

function chatOf(thread: ThreadPlan, { sessionId, kind }: ChatHead, session: GeminiSession): string {
  const { place, startedAt: startTime, endedAt: lastUpdated } = thread
  const lines = new ChatLines(place, session)
  writeEntries(thread, lines)
  const { cwd } = session
  const facts = { projectHash: sha256Hex(cwd), startTime, lastUpdated, kind, directories: [cwd] }
  return jsonLines([{ sessionId, ...facts }, ...lines.all])
}

class ChatLines {
  readonly all: JsonObject[] = []
  readonly #place: string
  readonly #session: GeminiSession

  constructor(place: string, session: GeminiSession) {
    this.#place = place
    this.#session = session
  }

  addPrompt(entry: PromptEntry): void {
    const content = entry.parts.map((part) => promptPart(part, this.#place, this.#session.losses))
    this.#add(entry, { type: 'user', content })
  }

  #add({ id, time }: Pick<Reply, 'id' | 'time'>, fields: JsonObject): void {
    this.all.push(this.#message({ id, time }, fields))
  }

  #message({ id, time: timestamp }: Pick<Reply, 'id' | 'time'>, fields: JsonObject): JsonObject {
    return { id: this.#session.ids.uuid('message', this.#place, id), timestamp, ...fields }
  }

  /** The history of the model goes on from the summary alone. Its frame shows the program what it is. */
  addSummary({ id, time, text }: SummaryEntry): void {
    const framed = text.startsWith('<state_snapshot>') ? text : `<state_snapshot>\n${text}\n</state_snapshot>`
    const message = this.#message({ id, time }, { type: 'user', content: [{ text: framed }] })
    this.all.push({ $set: { messages: [message], lastUpdated: time } })
  }

  addStep(entry: StepEntry): void {
    for (const reply of repliesOf(entry)) this.#addReply(reply)
  }

  #addReply(reply: Reply): void {
    const { time: timestamp, thought, text, calls } = reply
    const thoughts = thought ? [{ subject: '', description: thought.text, timestamp }] : []
    // A reader that sorts the files by time meets the calls of agents before their chats.
    const hasAgents = calls.some(({ agent }) => agent)
    const toolCalls = calls.map((call) => this.#call(call, hasAgents ? timestamp : call.result.time))
    const { model } = this.#session
    const fields = { type: 'gemini', content: text?.text ?? '', thoughts, model }
    this.#add(reply, toolCalls.length > 0 ? { ...fields, toolCalls } : fields)
  }

  #call(call: CallItem, timestamp: string): JsonObject {
    const { toolName: name, input: args, result, agent } = call
    if (agent) this.#addAgent(agent)
    return omitUndefined({
      id: callId(call),
      name,
      args,
      result: [
        { functionResponse: responseOf(call, agent && reportWords(agent, result)) },
        ...imageParts(call),
      ],
      status: result.isError ? 'error' : 'success',
      timestamp,
      resultDisplay: this.#display(call),
      agentId: agent?.id,
    })
  }

  #addAgent({ id, thread }: AgentPlan): void {
    const { files, folder } = this.#session
    files.set(`${folder}/${id}.jsonl`, chatOf(thread, { sessionId: id, kind: 'subagent' }, this.#session))
  }

  /** Returns what the program shows of a result: the diff of an edit. */
  #display({ toolName, input, result }: CallItem): JsonObject | undefined {
    const [change, ...others] = result.changes ?? []
    if (!change) return undefined
    const { path, kind } = change
    const record = {
      fileDiff: patchText(change) ?? '',
      fileName: path,
      filePath: path,
      isNewFile: kind === 'add',
    }
    const read = fileChangesOf({ call: { toolName, input }, record, output: resultText(result) })
    if (others.length === 0 && isEqual(read, result.changes)) return record
    this.#session.losses.add('file-changes', this.#place)
    return undefined
  }
}

/** Returns the words with which the program gives its model the report of an agent. */
function reportWords({ type }: AgentPlan, result: CallResult): JsonObject | undefined {
  if (result.isError) return undefined
  const report = jsonText({ response: resultText(result) })
  return { output: `Subagent '${type}' finished.\nTermination Reason: GOAL\nResult:\n${report}` }
}

// The parts of a message as the Gemini API has them. Gemini CLI and Qwen Code store the same.

/** Returns a part of a prompt. A file that is elsewhere has no part: the API takes only addresses of its own. */
export function promptPart(part: UserContentPart, place: string, losses: LossCounter): JsonObject {
  if (part.type === 'text') return { text: part.text }
  const { source } = part
  return source.type === 'base64'
    ? dataPart(source.mediaType, source.data)
    : { text: attachmentText(part, place, losses) }
}

/** Returns a result without its images. */
export function responseOf(call: CallItem, response = wordsOf(call)): JsonObject {
  return { id: callId(call), name: call.toolName, response }
}

/** Returns the images of a result. */
export function imageParts({ result }: CallItem): readonly JsonObject[] {
  return imagesIn(result).map(({ mediaType, data }) => dataPart(mediaType, data))
}

function wordsOf({ result }: CallItem): JsonObject {
  return { [result.isError ? 'error' : 'output']: resultText(result) }
}

function dataPart(mimeType: string, data: string): JsonObject {
  return { inlineData: { mimeType, data } }
}
