import { isEqual } from '../../../core/json/equal.ts'
import { asObject, type JsonObject } from '../../../core/json/values.ts'
import { firstLine } from '../../../core/selectors/session-title.ts'
import type { UserContentPart } from '../../../core/state/content.ts'
import { isFinal } from '../../../core/state/subagent.ts'
import { resumeCommands } from '../../../programs/all.ts'
import { patchText } from '../../../programs/diff.ts'
import { toolChanges } from '../../../programs/opencode/tool-result.ts'
import type {
  AgentPlan,
  CallItem,
  PromptEntry,
  StepEntry,
  StepItem,
  SummaryEntry,
  ThreadPlan,
} from '../../plan/plan.ts'
import { imagesIn, resultText } from '../../plan/result-parts.ts'
import { callId, jsonText, type Target, type WriteContext, WriteError, writeEntries } from '../target.ts'

/** The version whose exports these are. */
const VERSION = '1.18.33'

/** OpenCode. It keeps a database, and imports each session as the file that `opencode export` would print. */
export const opencodeTarget: Target = {
  program: 'opencode',
  keepsThinking: true,
  keepsAgents: 'all',
  isImported: true,
  takesModel: true,
  write(thread, context) {
    const main = sessionId(context.id)
    const { chosenModel } = context
    if (chosenModel !== undefined && !MODEL.test(chosenModel))
      throw new WriteError('invalid-value', 'model', `model: pass provider/model in place of ${chosenModel}`)
    writeExport(thread, { id: main, title: titleOf(thread), agent: 'build' }, context)
    const imports = [...context.files.keys()].reverse().map((path) => ['opencode', 'import', path])
    return [...imports, ...resumeCommands('opencode', main)]
  },
}

const MODEL = /^([^/]+)\/(.+)$/s

interface SessionHead {
  readonly id: string
  readonly title: string
  readonly agent: string
  readonly parentID?: string
}

const NO_TOKENS = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }

/** Adds the file of a session, and those of its agents. */
function writeExport(thread: ThreadPlan, head: SessionHead, session: WriteContext): void {
  const messages = new ExportMessages(thread, head, session)
  writeEntries(thread, messages)
  const { id, title, agent, ...parent } = head
  const time = { created: Date.parse(thread.startedAt), updated: Date.parse(thread.endedAt) }
  const facts = { slug: id.slice(-8), projectID: 'global', directory: session.cwd, version: VERSION }
  const info = { id, ...facts, ...parent, title, agent, time }
  session.files.set(`${id}.json`, `${jsonText({ info, messages: messages.all }, 2)}\n`)
}

class ExportMessages {
  readonly all: JsonObject[] = []
  readonly #head: SessionHead
  readonly #session: WriteContext
  readonly #place: string
  #count = 0
  #prompt = ''

  constructor({ place }: ThreadPlan, head: SessionHead, session: WriteContext) {
    this.#head = head
    this.#session = session
    this.#place = place
  }

  addPrompt({ time, parts }: PromptEntry): void {
    this.#addUser(time, parts.map(userPart))
  }

  addSummary({ id, time, text }: SummaryEntry): void {
    this.#addUser(time, [{ type: 'compaction', auto: true }])
    const item = { kind: 'text', id, time, text } as const
    this.#addReply(time, [item], { mode: 'compaction', agent: 'compaction', summary: true })
  }

  /** The program sorts by ids. Those of its own begin with the time, and so come after these. */
  #id(prefix: string): string {
    this.#count += 1
    const order = this.#count.toString(16).padStart(12, '0')
    return `${prefix}_${order}${this.#session.ids.hex(14, this.#place, prefix, order)}`
  }

  get #model(): { readonly providerID: string; readonly modelID: string } {
    const { model } = this.#session
    const [, providerID = 'unknown', modelID = model] = MODEL.exec(model) ?? []
    return { providerID, modelID }
  }

  #addUser(time: string, parts: readonly JsonObject[]): void {
    const id = this.#id('msg')
    this.#prompt = id
    const { agent } = this.#head
    const info = { role: 'user', time: { created: Date.parse(time) }, agent, model: this.#model }
    this.#addMessage(id, { ...info, summary: { diffs: [] } }, parts)
  }

  #addMessage(id: string, info: JsonObject, parts: readonly JsonObject[]): void {
    const place = { sessionID: this.#head.id, messageID: id }
    this.all.push({
      info: { ...info, id, sessionID: this.#head.id },
      parts: parts.map((part) => ({ ...part, id: this.#id('prt'), ...place })),
    })
  }

  addStep({ time, items }: StepEntry): void {
    const { agent } = this.#head
    this.#addReply(time, items, { mode: agent, agent })
  }

  #addReply(time: string, items: readonly StepItem[], more: JsonObject): void {
    const id = this.#id('msg')
    const reason = items.some(({ kind }) => kind === 'call') ? 'tool-calls' : 'stop'
    const ends = items.map((item) => Date.parse(item.kind === 'call' ? item.result.time : item.time))
    const times = { created: Date.parse(time), completed: Math.max(...ends, Date.parse(time)) }
    const facts = { path: { cwd: this.#session.cwd, root: '/' }, cost: 0, tokens: NO_TOKENS }
    const info = { role: 'assistant', parentID: this.#prompt || id, ...facts, ...more, ...this.#model }
    this.#addMessage(id, { ...info, time: times, finish: reason }, [
      { type: 'step-start' },
      ...items.map((item) => this.#itemPart(item, id)),
      { type: 'step-finish', reason, tokens: NO_TOKENS, cost: 0 },
    ])
  }

  #itemPart(item: StepItem, messageID: string): JsonObject {
    if (item.kind === 'call') return this.#callPart(item, messageID)
    const ms = Date.parse(item.time)
    const type = item.kind === 'text' ? 'text' : 'reasoning'
    return { type, text: item.text, time: { start: ms, end: ms } }
  }

  #callPart(call: CallItem, messageID: string): JsonObject {
    const { toolName: tool, result, agent } = call
    const sessionID = agent && this.#addAgent(agent)
    const time = { start: Date.parse(call.time), end: Date.parse(result.time) }
    const metadata = sessionID
      ? { parentSessionId: this.#head.id, sessionId: sessionID }
      : { ...metadataOf(call), ...changesIn(call) }
    const state = { input: asObject(call.input), metadata, time }
    const callID = callId(call)
    const read = toolChanges({ status: 'completed', input: state.input, metadata })
    if (result.changes !== undefined && (result.isError || !isEqual(read, result.changes)))
      this.#session.losses.add('file-changes', this.#place)
    const images = imagesIn(result)
    if (result.isError) {
      // An error is a text alone.
      this.#session.losses.add('attachment', this.#place, images.length)
      return { type: 'tool', tool, callID, state: { status: 'error', ...state, error: resultText(result) } }
    }
    const output = sessionID ? reportText(sessionID, agent, resultText(result)) : resultText(result)
    const place = { sessionID: this.#head.id, messageID }
    const attachments = images.map(({ mediaType: mime, data }) => ({
      ...{ id: this.#id('prt'), type: 'file', mime, url: `data:${mime};base64,${data}` },
      ...place,
    }))
    return {
      type: 'tool',
      tool,
      callID,
      state: {
        status: 'completed',
        ...state,
        output,
        title: tool,
        ...(attachments.length > 0 && { attachments }),
      },
    }
  }

  #addAgent(agent: AgentPlan): string {
    const id = sessionId(agent.id)
    const title = `${agent.description} (@${agent.type} subagent)`
    writeExport(agent.thread, { id, title, agent: agent.type, parentID: this.#head.id }, this.#session)
    return id
  }
}

function sessionId(uuid: string): string {
  return `ses_${uuid.replaceAll('-', '').slice(0, 26)}`
}

/** Returns the first line with words of the first prompt. */
function titleOf({ entries }: ThreadPlan): string {
  const prompt = entries.find((entry) => entry.kind === 'prompt')
  const text = prompt?.parts.find((part) => part.type === 'text')?.text ?? ''
  return firstLine(text).slice(0, 80) || 'Continued session'
}

function userPart(part: UserContentPart): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { source } = part
  const mime = source.mediaType ?? (part.type === 'image' ? 'image/png' : 'text/plain')
  const url = source.type === 'url' ? source.url : `data:${mime};base64,${source.data}`
  const name = part.type === 'file' ? part.name : undefined
  return { type: 'file', mime, url, ...(name !== undefined && { filename: name }) }
}

function metadataOf({ result }: CallItem): JsonObject {
  return result.exitCode === undefined ? {} : { output: resultText(result), exit: result.exitCode }
}

/** The frame in which the program gives its model the report of an agent. */
function reportText(id: string, agent: AgentPlan | undefined, report: string): string {
  if (!agent || !isFinal(agent.status)) return report
  return `<task id="${id}" state="completed">\n<task_result>\n${report}\n</task_result>\n</task>`
}

/** Returns the program's record of the changes to files. It shows the diff of an edit. */
function changesIn({ result }: CallItem): JsonObject {
  const { changes } = result
  if (!changes) return {}
  const files = changes.map((change) => {
    const { path, kind: type, from = path, added: additions, removed: deletions } = change
    const moved = from === path ? {} : { movePath: path }
    return { filePath: from, ...moved, type, patch: patchText(change), additions, deletions }
  })
  const [only, ...others] = files
  return others.length === 0 && only?.patch !== undefined ? { diff: only.patch, files } : { files }
}
