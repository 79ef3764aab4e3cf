import { isObject } from '../core/json/values.ts'
import type { Redact } from './options.ts'

/** Terminal colours and cursor movements, and titles of windows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it removes
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b\n]{0,1000}(?:\u0007|\u001b\\)?|[@-Z\\^_]?)/g

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it removes
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

/** Marks that change the direction of the text around them, so that it looks like another text. */
export const DIRECTIONS = /\p{Bidi_Control}/gu

/** Everything that `printable` changes. Most texts have none of it. */
const UNPRINTABLE = new RegExp(`\\r|${CONTROL.source}|${DIRECTIONS.source}`, 'u')

/** Returns the text with `\ufffd` in place of each mark of a direction: a reader sees the mark, and no program obeys it. */
export function showDirections(text: string): string {
  return text.replace(DIRECTIONS, '\ufffd')
}

/**
 * Control characters, and marks that take no place beside a printable character of ASCII. Elsewhere, scripts and
 * emoji need two of them.
 */
const CONTROLS = /* @__PURE__ */ new RegExp(
  String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)` +
    String.raw`|[\u00ad\u200b\u2028\u2029\u2060-\u2065\ufeff]|(?<=[!-~])[\u200c\u200d]|[\u200c\u200d](?=[!-~])`,
  'g',
)

/**
 * Returns the text with a sign in place of each character that shows nothing, or that moves other text. A command
 * must look like what runs.
 */
export function showControls(text: string): string {
  return showDirections(text.replace(CONTROLS, signOf))
}

/** Returns the picture of a control character of ASCII, such as `␛`, and `\ufffd` for the others. */
function signOf(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\ufffd'
}

/**
 * Returns the text without terminal codes and control characters, and with visible marks of directions. Every line
 * ends with `\n`, because Markdown ends a line at `\r` too.
 */
export function printable(text: string): string {
  if (!UNPRINTABLE.test(text)) return text
  return showDirections(text.replace(ANSI, '').replace(/\r\n?/g, '\n').replace(CONTROL, ''))
}

/** Marks of directions, and characters that take no place. They may stand within a key and hide it. */
const UNSEEN = new RegExp(`${DIRECTIONS.source}|[\\u00ad\\u200b-\\u200d\\u2060-\\u2065\\ufeff]`, 'gu')

/** Redacts the text that a person sees. A text keeps its colours and its unseen characters if they hide nothing from the redaction. */
export function redactVisible(text: string, redact: (text: string) => string): string {
  const redacted = redact(text)
  const visible = withoutUnseen(text)
  if (visible === text) return redacted
  const safe = redact(visible)
  return withoutUnseen(redacted) === safe ? redacted : safe
}

/** Returns the printable text without the characters that take no place. */
export function withoutUnseen(text: string): string {
  return printable(text.replace(UNSEEN, ''))
}

/** The fields that name a thing, so that another command finds it. They hold no words. */
const NAMES: ReadonlySet<string> = new Set([
  'id',
  'session',
  'block',
  'conversationId',
  'format',
  'kind',
  'status',
])

/** Returns a JSON value with redacted texts. */
export function redactJson<Value>(value: Value, redact: Redact): Value {
  return redacted(value, redact) as Value
}

function redacted(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redactVisible(value, redact)
  if (Array.isArray(value)) return value.map((item) => redacted(item, redact))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, NAMES.has(key) ? field : redacted(field, redact)]),
  )
}
