import { isTooDeep } from '../core/json/depth.ts'
import { omitUndefined } from '../core/json/fields.ts'
import { asArray, asObject, asString, isObject, isString, parseJson } from '../core/json/values.ts'

/** `JSON.stringify` overflows the stack with a much deeper value. */
export const MAX_LEVELS = 1000

interface MessageWords {
  readonly tool_call_id: unknown
  readonly content: readonly unknown[]
  readonly calls: readonly unknown[]
}

/** A client may leave out a message that is only a reminder. An empty result is a result. */
export function hasWords({ tool_call_id, content, calls }: MessageWords): boolean {
  return tool_call_id !== undefined || content.length > 0 || calls.length > 0
}

/**
 * Returns the words of a message in one spelling. A client repeats an answer as it likes: its text alone, without the
 * thinking, with its id. So only the fields that have words count.
 */
export function wordsOf(message: object): MessageWords {
  const { role, name, content, refusal, tool_calls, function_call, tool_call_id } = asObject(message)
  const calls = [...asArray(tool_calls), ...(isObject(function_call) ? [{ function: function_call }] : [])]
  return {
    ...{ role, name, tool_call_id },
    content: [...partsOf(content), ...(asString(refusal) ? [{ type: 'refusal', refusal }] : [])],
    calls: calls.map((call) => (isObject(asObject(call).function) ? callOf(call) : call)),
  }
}

/** Returns the parts of a content, which is a text or a list. */
export function partsOf(content: unknown): readonly unknown[] {
  if (content === undefined || content === null) return []
  return (Array.isArray(content) ? content : [content]).flatMap(wordsOfPart)
}

function wordsOfPart(part: unknown): readonly unknown[] {
  const { type, text, content, tool_use_id, is_error } = asObject(part)
  const words = isString(part) ? part : type === 'text' ? asString(text) : undefined
  if (words !== undefined) return [withoutReminders(words)].filter(Boolean)
  switch (type) {
    // The next request may lack the thinking: the rules of the API say when.
    case 'thinking':
    case 'redacted_thinking':
    case 'reasoning':
      return []
    case 'tool_use':
      return [callOf(part)]
    case 'tool_result':
      return [{ tool_use_id, is_error: is_error || undefined, content: partsOf(content) }]
    default:
      return [part]
  }
}

/** A call of a tool. The input is the value of its JSON, if it is JSON. */
interface Call {
  readonly id?: string
  readonly name?: string
  readonly input: unknown
}

/** Reads a `tool_use` part, or an entry of `tool_calls`. */
export function callOf(part: unknown): Call {
  const { id, name, input, function: called } = asObject(part)
  const { name: calledName, arguments: json } = asObject(called)
  return {
    ...omitUndefined({ id: asString(id), name: asString(name ?? calledName) }),
    input: inputOf(input ?? json ?? {}),
  }
}

/** Some clients write the JSON of an input anew. */
function inputOf(input: unknown): unknown {
  if (!isString(input)) return input
  const value = input === '' ? {} : parseJson(input)
  return value === undefined || isTooDeep(value, MAX_LEVELS) ? input : value
}

const REMINDER = '<system-reminder>'
const REMINDER_END = '</system-reminder>'

/** Returns a text without the reminders that a host adds. A reminder may have no end: then its text stays. */
export function withoutReminders(text: string): string {
  const [before = '', ...reminders] = text.split(REMINDER)
  const kept = reminders.map((each) => {
    const [reminder, ...after] = each.split(REMINDER_END)
    return after.length === 0 ? `${REMINDER}${reminder}` : after.join(REMINDER_END)
  })
  return `${before}${kept.join('')}`.trim()
}
