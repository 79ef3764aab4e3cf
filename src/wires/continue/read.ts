import { omitUndefined } from '../../core/json/fields.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from '../../core/json/values.ts'
import { imageAt, textOfContent, type UserContentPart, userContent } from '../../core/state/content.ts'
import { hasCounts, type TokenUsage, uncachedInput } from '../../core/state/session.ts'
import { changesOf, continueProgram, exitCodeOf, reportOf, todosOf } from '../../programs/continue/program.ts'
import type { ReplyPart, Step } from '../kit/steps/step.ts'

// A session is one value, and this becomes of its parts. No message has a time, and only those of extensions have ids:
// {"sessionId","title","workspaceDirectory","history":[…],"usage":{"totalCost",…},"chatModelTitle"}  facts of the session
// {"message":{"role":"user","content"},"contextItems"}  a prompt. The program writes "continue" itself after a compaction
// {"message":{"role":"assistant","content","toolCalls","usage"},"reasoning","toolCallStates":[{"toolCallId","status","output"}]}
//   a reply, and the results of its calls; a reply without a call ends the turn
// {"message":{"role":"assistant"},"conversationSummary"}  a compaction, which may be all of the message
// {"message":{"role":"thinking","content"}}  a reply that goes on
// {"message":{"role":"tool","content","toolCallId"}}  a result, if the state of its call has no output
// Lines of `cn -p --format json`:
// {"response","status":"success","note"}  a reply. A response that is JSON comes as it is, and nothing shows whose it is
// {"status":"success","message":"Chat history compacted","historyLength"}  a compaction
// {"status":"error","message"}  the turn has failed

/** Whether the value is surely a session's file. A damaged one is read as far as it goes. */
export function isSession(value: unknown): boolean {
  if (!isObject(value)) return false
  const { sessionId, title, workspaceDirectory, history } = value
  return (
    [sessionId, title, workspaceDirectory].every((each) => typeof each === 'string') &&
    Array.isArray(history) &&
    history.every(hasMessage)
  )
}

function hasMessage(item: unknown): boolean {
  return isObject(item) && isObject(item.message)
}

const NOTE = 'Response was not valid JSON, so it was wrapped in a JSON object'

/** Whether the value is a line of the command line that no other program writes. */
export function isOutput(value: unknown): boolean {
  if (!isObject(value)) return false
  const { response, status, note, message, historyLength } = value
  if (status !== 'success') return false
  return (
    (typeof response === 'string' && note === NOTE) ||
    (isCompacted(message) && typeof historyLength === 'number')
  )
}

function isCompacted(message: unknown): boolean {
  return message === 'Chat history compacted' || message === 'Auto-compacted successfully'
}

/** Reads a session, or a line of the command line. */
export function readValue(value: JsonObject): readonly Step[] | undefined {
  if (isSession(value) || asArray(value.history).some(hasMessage)) return readSession(value)
  const { response, status, message } = value
  if (typeof response === 'string' && typeof status === 'string') {
    return [{ type: 'reply', id: idFor('response', response), parts: [{ type: 'text', text: response }] }]
  }
  if (typeof status !== 'string' || typeof message !== 'string') return undefined
  if (isCompacted(message)) return [{ type: 'compaction' }]
  if (status !== 'error') return [{ type: 'note', subtype: status, message }]
  return [{ type: 'stop', id: `${idFor('error', message)}:stop`, outcome: 'failed', message }]
}

/** No line has an id. Its words show that it comes again. */
function idFor(kind: string, words: string): string {
  return `${kind}/${words.length}/${words.slice(0, 60)}`
}

function readSession(session: JsonObject): readonly Step[] {
  const { sessionId, workspaceDirectory, chatModelTitle, usage } = session
  const items = asArray(session.history).map(asObject)
  const id = asString(sessionId)
  const costUsd = asFiniteNumber(asObject(usage).totalCost) || undefined
  const facts = {
    id,
    cwd: folderOf(workspaceDirectory),
    model: asString(chatModelTitle),
    costUsd,
  }
  const results = new Map(items.map(({ message }, at) => [asObject(message).toolCallId, at]))
  const hasOwnTokens = items.some(({ message }) => isObject(asObject(message).usage))
  return [
    { type: 'facts', facts, usage: hasOwnTokens ? undefined : sumOf(asObject(usage)) },
    ...items.flatMap((item, at) => readItem(item, { id: `${id ?? ''}/${at}`, at, items, results })),
  ]
}

/** The extensions name a folder by its address. */
export function folderOf(folder: unknown): string | undefined {
  const path = asString(folder) ?? ''
  if (!path.startsWith('file://')) return path || undefined
  return decodedPath(path)
    .replace(/^file:\/\//, '')
    .replace(/^\/(?=[a-z]:)/i, '')
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function sumOf({ promptTokens, completionTokens, promptTokensDetails }: JsonObject): TokenUsage | undefined {
  const { cachedTokens, cacheWriteTokens } = asObject(promptTokensDetails)
  const [inputTokens, outputTokens] = [asFiniteNumber(promptTokens), asFiniteNumber(completionTokens)]
  if (!inputTokens && !outputTokens) return undefined
  return omitUndefined({
    inputTokens,
    outputTokens,
    cacheReadTokens: asFiniteNumber(cachedTokens),
    cacheWriteTokens: asFiniteNumber(cacheWriteTokens),
  })
}

/** The place of an item in the history. */
interface Place {
  readonly id: string
  readonly at: number
  readonly items: readonly JsonObject[]
  /** The last message with the result of each call. */
  readonly results: ReadonlyMap<unknown, number>
}

function readItem(item: JsonObject, place: Place): readonly Step[] {
  const message = asObject(item.message)
  const id = asString(message.id) ?? place.id
  const { content } = message
  switch (message.role) {
    case 'user':
      return readPrompt(id, content, place)
    case 'assistant':
      return readReply(id, item, message, place)
    case 'thinking': {
      const text = textOfContent(content)
      return text === '' ? [] : [{ type: 'reply', id, parts: [{ type: 'thinking', text }], goesOn: true }]
    }
    case 'tool': {
      const { toolCallId } = message
      return typeof toolCallId === 'string' ? [resultOf(toolCallId, textOfContent(content), false)] : []
    }
    case 'system':
      return []
    default:
      return [{ type: 'unknown', name: asString(message.role) ?? 'message' }]
  }
}

function readPrompt(id: string, content: unknown, { at, items }: Place): readonly Step[] {
  const parts =
    typeof content === 'string' ? [{ type: 'text', text: content }] : asArray(content).map(asObject)
  const given = userContent(parts.flatMap(readPart)) ?? ''
  const isOwn = given === 'continue' && items[at - 1]?.conversationSummary !== undefined
  return [{ type: 'prompt', id, content: given, ...(isOwn && { origin: 'meta' as const, isAnswered: true }) }]
}

function readPart({ type, text, imageUrl }: JsonObject): readonly UserContentPart[] {
  if (type === 'text') return typeof text === 'string' ? [{ type, text }] : []
  const { url } = asObject(imageUrl)
  return typeof url === 'string' ? [imageAt(url)] : []
}

function readReply(id: string, item: JsonObject, message: JsonObject, place: Place): readonly Step[] {
  const { conversationSummary, reasoning, toolCallState } = item
  const states = [...asArray(item.toolCallStates), ...(isObject(toolCallState) ? [toolCallState] : [])].map(
    asObject,
  )
  const summary = asString(conversationSummary)
  const text = textOfContent(message.content)
  const thinking = asString(asObject(reasoning).text) ?? ''
  const calls = [
    ...asArray(message.toolCalls).map(asObject),
    ...states.map(({ toolCall }) => asObject(toolCall)),
  ]
  const stateOf = firstsBy('toolCallId', states)
  const parts: readonly ReplyPart[] = [
    ...(thinking === '' ? [] : [{ type: 'thinking', text: thinking } as const]),
    ...(text === '' || text === summary ? [] : [{ type: 'text', text } as const]),
    ...[...firstsBy('id', calls).values()].flatMap((call) => readCall(call, stateOf)),
  ]
  const { usage, model } = tokensOf(message.usage)
  const reply: Step = { type: 'reply', id, parts, usage, model }
  const compaction: Step = { type: 'compaction', id: `${id}:compaction`, summary }
  const hasTokens = usage !== undefined && hasCounts(usage)
  return [
    ...(parts.length === 0 && (summary !== undefined || !hasTokens) ? [] : [reply]),
    ...(summary === undefined ? [] : [compaction]),
    ...states.flatMap((state) => readState(state, place)),
    ...stopOf(id, states, place),
  ]
}

/** Returns the first value with each content of a field. */
function firstsBy(field: string, values: readonly JsonObject[]): ReadonlyMap<unknown, JsonObject> {
  const firsts = new Map<unknown, JsonObject>()
  for (const value of values) if (!firsts.has(value[field])) firsts.set(value[field], value)
  return firsts
}

/** Without a person, the program stops at the first call that may not run. */
function stopOf(id: string, states: readonly JsonObject[], { at, items }: Place): readonly Step[] {
  const isLast = at === items.length - 1
  const isOver = states.every(({ status }) => FINAL.has(status))
  const refused = states.find(({ status }) => status === 'canceled')
  if (!isLast || !isOver || !refused) return []
  const message = outputOf(refused) || 'Tool call canceled'
  return [{ type: 'stop', id: `${id}:stop`, outcome: 'interrupted', message }]
}

function readCall(
  { id, function: called }: JsonObject,
  stateOf: ReadonlyMap<unknown, JsonObject>,
): readonly ReplyPart[] {
  const { name, arguments: json } = asObject(called)
  if (typeof id !== 'string') return []
  const { parsedArgs } = asObject(stateOf.get(id))
  const given = typeof json === 'string' ? (parseJson(json) ?? json) : json
  const input = isObject(given) ? given : isObject(parsedArgs) ? parsedArgs : (given ?? {})
  const toolName = asString(name) ?? ''
  const { prompt, subagent_name, description } = asObject(input)
  const isAgent = continueProgram.tools.agent.includes(toolName)
  const agent = {
    prompt: asString(prompt) ?? '',
    name: asString(subagent_name),
    description: asString(description),
  }
  return [{ type: 'call', id, name: toolName, input, agents: isAgent ? [agent] : undefined }]
}

const FINAL: ReadonlySet<unknown> = new Set(['done', 'errored', 'canceled'])

/** A call has its output while it runs too. Extensions may have a result in a message of its own. */
function readState(state: JsonObject, { at, results }: Place): readonly Step[] {
  const { toolCallId, status } = state
  if (typeof toolCallId !== 'string' || !FINAL.has(status)) return []
  const output = outputOf(state)
  if (output === '' && (results.get(toolCallId) ?? at) > at) return []
  return [resultOf(toolCallId, output, status !== 'done')]
}

function outputOf({ output }: JsonObject): string {
  return asArray(output)
    .flatMap((part) => asString(asObject(part).content) ?? [])
    .join('\n\n')
}

function resultOf(callId: string, output: string, isError: boolean): Step {
  return {
    type: 'result',
    callId,
    output,
    isError,
    exitCode: exitCodeOf(output),
    changes: changesOf(output),
    todos: todosOf,
    agents: { isLaunch: false, ends: [reportOf(output, isError)] },
  }
}

/** Some providers count the cached tokens apart from the others, and name those that were read and written. */
function tokensOf(value: unknown): { readonly usage?: TokenUsage; readonly model?: string | undefined } {
  if (!isObject(value)) return {}
  const { prompt_tokens, completion_tokens, prompt_tokens_details, completion_tokens_details, model } = value
  const { cached_tokens, cache_read_tokens, cache_write_tokens } = asObject(prompt_tokens_details)
  const read = asFiniteNumber(cache_read_tokens) ?? asFiniteNumber(cached_tokens)
  const isApart = cache_read_tokens !== undefined || cache_write_tokens !== undefined
  const input = asFiniteNumber(prompt_tokens)
  const usage = omitUndefined({
    inputTokens: isApart ? input : uncachedInput(input, read),
    outputTokens: asFiniteNumber(completion_tokens),
    cacheReadTokens: read,
    cacheWriteTokens: asFiniteNumber(cache_write_tokens),
    reasoningTokens: asFiniteNumber(asObject(completion_tokens_details).reasoning_tokens),
  })
  return { usage, model: asString(model) }
}
