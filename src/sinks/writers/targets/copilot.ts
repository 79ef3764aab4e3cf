import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import type { JsonObject } from '../../../core/json/values.ts'
import type { UserContentPart } from '../../../core/state/content.ts'
import type { FileChangeKind } from '../../../core/state/file-change.ts'
import { isFinal } from '../../../core/state/subagent.ts'
import { resumeCommands } from '../../../programs/all.ts'
import { fileChangesOf } from '../../../programs/copilot/tool-result.ts'
import { patchText } from '../../../programs/diff.ts'
import type { AgentPlan, CallItem, PromptEntry, ThreadPlan } from '../../plan/plan.ts'
import { attachmentText, imagesIn, resultText } from '../../plan/result-parts.ts'
import { type Reply, repliesOf } from '../replies.ts'
import { callId, jsonLines, type Target, type WriteContext, writeEntries } from '../target.ts'

/** The version whose files these are. */
const VERSION = '1.0.102'

/** GitHub Copilot CLI. One file has the events of main and of all agents; each names the one before it. */
export const copilotTarget: Target = {
  program: 'copilot',
  keepsThinking: true,
  keepsAgents: 'all',
  write(thread, context) {
    const { id, files } = context
    const events = new EventLog(thread.startedAt, context)
    events.addThread(thread, undefined)
    files.set(`${id}/events.jsonl`, jsonLines(events.all))
    return resumeCommands('copilot', id)
  },
}

/** The thread of an event. */
interface Place {
  readonly place: string
  readonly agentId: string | undefined
  /** The number of replies of the model since the last prompt. */
  turns: number
}

class EventLog {
  readonly all: JsonObject[] = []
  readonly #session: WriteContext

  constructor(startTime: string, session: WriteContext) {
    this.#session = session
    const { id: sessionId, cwd, model: selectedModel } = session
    const program = { version: 1, producer: 'agentfold', copilotVersion: VERSION }
    const place = { place: 'session', agentId: undefined, turns: 0 }
    this.#add(place, startTime, 'session.start', {
      ...{ sessionId, ...program, startTime, selectedModel },
      context: { cwd },
    })
  }

  addThread(thread: ThreadPlan, agentId: string | undefined): void {
    const own = { place: thread.place, agentId, turns: 0 }
    writeEntries(thread, {
      addPrompt: (entry) => this.#addPrompt(own, entry),
      addSummary: ({ time, text: summaryContent }) =>
        this.#add(own, time, 'session.compaction_complete', { success: true, summaryContent }),
      addStep: (entry) => {
        for (const reply of repliesOf(entry)) this.#addReply(own, reply)
      },
    })
  }

  #add({ agentId }: Place, timestamp: string, type: string, data: JsonObject): void {
    const parentId = this.all.at(-1)?.id ?? null
    const id = this.#session.ids.uuid('event', String(this.all.length))
    this.all.push(omitUndefined({ type, data, agentId, id, timestamp, parentId }))
  }

  #addPrompt(own: Place, { id, time, parts }: PromptEntry): void {
    const images = parts.flatMap((part) => (isImage(part) ? [part.source] : []))
    const { losses, ids } = this.#session
    const texts = parts.flatMap((part) => {
      if (part.type === 'text') return [part.text]
      return isImage(part) ? [] : [attachmentText(part, own.place, losses)]
    })
    const content = texts.join('\n')
    // A prompt of an agent comes from its parent.
    const source = own.agentId === undefined ? undefined : `agent-${this.#session.id}`
    const blobs = images.map((image) => ({
      ...{ type: 'blob', displayName: 'image' },
      ...this.#addImage(own, time, image),
    }))
    const attachments = blobs.length > 0 ? blobs : undefined
    const names = { messageId: ids.uuid('prompt', id), interactionId: ids.uuid('interaction', id) }
    const facts = omitUndefined({ content, transformedContent: content, attachments, source, ...names })
    own.turns = 0
    this.#add(own, time, 'user.message', { ...facts, delivery: 'idle', turnId: '0' })
  }

  /** Adds the bytes of an image, and returns what a prompt or a result says of them. */
  #addImage(own: Place, time: string, { mediaType: mimeType, data }: ImageBytes): JsonObject {
    const assetId = `sha256:${this.#session.ids.hex(64, 'image', data)}`
    const byteLength = Math.floor((data.replace(/=+$/, '').length * 3) / 4)
    const facts = { assetId, mimeType, byteLength }
    this.#add(own, time, 'session.binary_asset', { ...facts, type: 'image', data })
    return facts
  }

  #addReply(own: Place, { id, time, thought, text, calls }: Reply): void {
    const turnId = String(own.turns)
    own.turns += 1
    this.#add(own, time, 'assistant.turn_start', { turnId })
    const toolRequests = calls.map((call) => ({
      ...{ toolCallId: callId(call), name: call.toolName, arguments: call.input, type: 'function' },
    }))
    const { ids, model } = this.#session
    const words = { content: text?.text ?? '', reasoningText: thought?.text, toolRequests }
    const message = omitUndefined({ messageId: ids.uuid('reply', own.place, id), model, ...words, turnId })
    this.#add(own, time, 'assistant.message', message)
    for (const call of calls) this.#addCall(own, call)
    this.#add(own, calls.at(-1)?.result.time ?? time, 'assistant.turn_end', { turnId })
  }

  #addCall(own: Place, call: CallItem): void {
    const { time, toolName, input, result, agent } = call
    const toolCallId = callId(call)
    this.#add(own, time, 'tool.execution_start', { toolCallId, toolName, arguments: input })
    if (agent) this.#startAgent(toolCallId, agent, own)
    this.#add(own, result.time, 'tool.execution_complete', { toolCallId, ...this.#outcome(own, call) })
    // The end follows the result, because the report of an agent may be another text than its last one.
    if (agent) this.#endAgent(toolCallId, agent, call)
  }

  #startAgent(toolCallId: string, { id, type, description, thread }: AgentPlan, { agentId }: Place): void {
    const own = { place: thread.place, agentId: id, turns: 0 }
    const names = { agentName: type, agentDisplayName: type, agentDescription: description, agentType: type }
    const start = omitUndefined({ toolCallId, ...names, parentId: agentId, executionMode: 'sync' })
    this.#add(own, thread.startedAt, 'subagent.started', start)
    this.addThread(thread, id)
  }

  #endAgent(toolCallId: string, { id, type, status, thread }: AgentPlan, { result }: CallItem): void {
    if (!isFinal(status)) return
    const own = { place: thread.place, agentId: id, turns: 0 }
    const names = { toolCallId, agentName: type, agentDisplayName: type }
    const { durationMs } = result
    const end = omitUndefined({
      ...names,
      durationMs,
      error: result.isError ? resultText(result) : undefined,
    })
    this.#add(own, result.time, result.isError ? 'subagent.failed' : 'subagent.completed', end)
  }

  #outcome(own: Place, call: CallItem): JsonObject {
    const { isError, exitCode, time } = call.result
    const content = resultText(call.result)
    const images = imagesIn(call.result)
    if (isError) {
      // An error is a text alone.
      this.#session.losses.add('attachment', own.place, images.length)
      return { success: false, error: { message: content, code: 'failure' } }
    }
    const files = images.map((image) => ({ type: 'image', ...this.#addImage(own, time, image) }))
    const edits = editsOf(call)
    if (!edits && call.result.changes !== undefined) this.#session.losses.add('file-changes', own.place)
    const result = omitUndefined({
      content,
      detailedContent: edits?.diff,
      binaryResultsForLlm: files.length > 0 ? files : undefined,
    })
    const shellExecution = exitCode === undefined ? undefined : { exitCode }
    return omitUndefined({ success: true, result, shellExecution, fileEdits: edits?.fileEdits })
  }
}

type Image = Extract<UserContentPart, { readonly type: 'image' }>
type ImageSource = Extract<Image['source'], { readonly type: 'base64' }>
type ImageBytes = Pick<ImageSource, 'mediaType' | 'data'>

function isImage(part: UserContentPart): part is Image & { readonly source: ImageSource } {
  return part.type === 'image' && part.source.type === 'base64'
}

/** Returns the program's record of the changes to files; undefined if the record would lack some. */
function editsOf({
  toolName,
  result,
}: CallItem): { readonly diff: string; readonly fileEdits: unknown } | undefined {
  const { changes = [] } = result
  const diff = changes.map((change) => patchText(change) ?? '').join('')
  const fileEdits = changes.map(({ path, kind }) => ({ path, kind: KINDS[kind] }))
  return changes.length > 0 && isEqual(fileChangesOf({ toolName, diff, fileEdits }), changes)
    ? { diff, fileEdits }
    : undefined
}

const KINDS: Readonly<Record<FileChangeKind, string>> = {
  add: 'create',
  edit: 'edit',
  move: 'edit',
  delete: 'delete',
}
