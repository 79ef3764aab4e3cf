import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import { asObject, type JsonObject } from '../../../core/json/values.ts'
import type { UserContentPart } from '../../../core/state/content.ts'
import { resumeCommands } from '../../../programs/all.ts'
import { patchText } from '../../../programs/diff.ts'
import { PI } from '../../../programs/pi/program.ts'
import { fileChangesOf } from '../../../programs/pi/tool-result.ts'
import type { CallItem, PromptEntry, ResultPart, StepEntry, StepItem, SummaryEntry } from '../../plan/plan.ts'
import { attachmentText, resultText } from '../../plan/result-parts.ts'
import { callId, jsonLines, type Target, type WriteContext, writeEntries } from '../target.ts'

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }
const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: NO_COST }

/** Pi. A file per session, whose lines name the line before. Its agents come from extensions, each with a way of its own to store them. */
export const piTarget: Target = {
  program: PI,
  keepsThinking: true,
  keepsAgents: 'none',
  write(thread, context) {
    const { id, cwd, files } = context
    const lines = new PiLines(context)
    writeEntries(thread, lines)
    const { startedAt: timestamp } = thread
    const head = { type: 'session', version: 3, id, timestamp, cwd }
    const folder = `--${cwd.replace(/^[/\\]/, '').replace(/[^\w.-]/g, '-')}--`
    const path = `${folder}/${timestamp.replace(/[:.]/g, '-')}_${id}.jsonl`
    files.set(path, jsonLines([head, ...lines.all]))
    return resumeCommands(PI, path)
  },
}

class PiLines {
  readonly all: JsonObject[] = []
  readonly #session: WriteContext
  readonly #ids = new Set<string>()
  #last: string | null = null
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(session: WriteContext) {
    this.#session = session
  }

  addPrompt({ time, parts }: PromptEntry): void {
    this.#addMessage(time, { role: 'user', content: parts.map((part) => this.#userPart(part)) })
  }

  /** The ids of the program are short: those of a long session would meet. */
  #newId(): string {
    for (let attempt = 0; ; attempt += 1) {
      const id = this.#session.ids.hex(
        8,
        'line',
        String(this.all.length),
        ...(attempt > 0 ? [String(attempt)] : []),
      )
      if (this.#ids.has(id)) continue
      this.#ids.add(id)
      return id
    }
  }

  #add(timestamp: string, fields: (id: string) => JsonObject): void {
    const id = this.#newId()
    const { type, ...others } = fields(id)
    this.all.push({ type, id, parentId: this.#last, timestamp, ...others })
    this.#last = id
  }

  /** A message has no id but its time, so no two have the same. */
  #addMessage(time: string, message: JsonObject): void {
    const timestamp = Math.max(Date.parse(time), this.#lastMs + 1)
    this.#lastMs = timestamp
    this.#add(time, () => ({ type: 'message', message: { ...message, timestamp } }))
  }

  /** No earlier line has the id of the first one that is kept, so none is. */
  addSummary({ time, text }: SummaryEntry): void {
    this.#add(time, (id) => ({ type: 'compaction', summary: text, firstKeptEntryId: id, tokensBefore: 0 }))
  }

  addStep({ time, items }: StepEntry): void {
    const calls = items.filter((item) => item.kind === 'call')
    const facts = { api: 'unknown', provider: 'unknown', model: this.#session.model, usage: NO_USAGE }
    const stopReason = calls.length > 0 ? 'toolUse' : 'stop'
    this.#addMessage(time, { role: 'assistant', content: items.map(itemPart), ...facts, stopReason })
    for (const call of calls) this.#addResult(call)
  }

  #addResult(call: CallItem): void {
    const { toolName, result } = call
    const content = result.parts.map(resultPart)
    const details = this.#details(call)
    const message = { role: 'toolResult', toolCallId: callId(call), toolName, content }
    this.#addMessage(result.time, omitUndefined({ ...message, details, isError: result.isError }))
  }

  /** Returns the tool's own record of a result: the diffs of an edit. */
  #details({ toolName, input, result }: CallItem): JsonObject | undefined {
    const { changes, isError } = result
    if (!changes) return undefined
    const files = changes.map((change) => ({
      path: change.path,
      op: change.kind === 'add' ? 'create' : change.kind,
      patch: patchText(change),
    }))
    const details = files.length === 1 ? { ...files[0] } : { perFileResults: files }
    const answered = { toolName, input: asObject(input), details, text: resultText(result), isError }
    if (isEqual(fileChangesOf(answered, this.#session.cwd), changes)) return details
    this.#session.losses.add('file-changes', 'main')
    return undefined
  }

  #userPart(part: UserContentPart): JsonObject {
    if (part.type === 'text') return { type: 'text', text: part.text }
    const { source } = part
    if (part.type === 'image' && source.type === 'base64')
      return { type: 'image', data: source.data, mimeType: source.mediaType }
    return { type: 'text', text: attachmentText(part, 'main', this.#session.losses) }
  }
}

function itemPart(item: StepItem): JsonObject {
  if (item.kind !== 'call')
    return item.kind === 'text'
      ? { type: 'text', text: item.text }
      : { type: 'thinking', thinking: item.text }
  return { type: 'toolCall', id: callId(item), name: item.toolName, arguments: asObject(item.input) }
}

function resultPart(part: ResultPart): JsonObject {
  return part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image', data: part.data, mimeType: part.mediaType }
}
