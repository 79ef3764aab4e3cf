import { asArray, asString, isObject, type JsonObject } from '../../core/json/values.ts'
import { subjectField, subjectText } from '../../core/selectors/call-input.ts'
import { plainOutput } from '../../core/state/plain-output.ts'
import { escapeMarkdown, fence } from './text/escape.ts'
import type { SessionText } from './text/session-text.ts'
import { formatBytes } from './text/values.ts'

const MAX_LINE = 100

/** Returns what a call works on in a few words, or nothing. They are redacted and not escaped. */
export function subjectOf(text: SessionText, input: unknown): string {
  if (typeof input === 'string') return text.short(input)
  if (!isObject(input)) return ''
  const field = subjectField(input)
  return field === undefined ? '' : text.short(subjectText(input, field))
}

/**
 * Returns the input of a call without the field that is the subject, because the summary shows it. Each text with several lines is a block
 * of code, because JSON would hide its lines.
 */
export function inputPieces(text: SessionText, input: unknown, subject: string): readonly string[] {
  const lines: string[] = []
  const blocks: string[] = []
  for (const { key, shown, language } of inputFields(text, input, subject)) {
    const name = key === undefined ? '' : text.code(key)
    if (name === '') blocks.push(fence(shown, language))
    else if (!shown.includes('\n') && shown.length <= MAX_LINE)
      lines.push(`- ${name}: ${text.code(shown, MAX_LINE)}`)
    else blocks.push(`${name}:\n\n${text.block(shown, language)}`)
  }
  return [lines.join('\n'), ...blocks]
}

/** A field of a call's input, or the whole input if it is no object. */
export interface InputField {
  /** The name as it is in the input. */
  readonly key: string | undefined
  /** The value as redacted text: JSON, if it is no text. */
  readonly shown: string
  readonly language: string
}

/** Returns the fields of an input without the one that is the subject. */
export function inputFields(text: SessionText, input: unknown, subject: string): readonly InputField[] {
  if (input === undefined || input === null || input === '' || input === subject) return []
  if (typeof input === 'string') return [{ key: undefined, shown: text.redacted(input), language: '' }]
  if (!isObject(input)) return [{ key: undefined, shown: text.json(input), language: 'json' }]
  const fields = Object.entries(input).map(([key, value]) => {
    const shown = typeof value === 'string' ? text.redacted(value) : text.json(value)
    return { key, shown, language: languageOf(key, value) }
  })
  return fields.filter(({ shown }) => shown !== subject || subject === '')
}

function languageOf(key: string, value: unknown): string {
  if (typeof value !== 'string') return 'json'
  return key === 'command' ? 'sh' : ''
}

/** Returns the output of a tool: its texts as blocks of code, the names of images and files, and other values as JSON. */
export function outputPieces(text: SessionText, output: unknown): readonly string[] {
  return outputParts(text, output).map((part) => {
    if ('words' in part) return text.output(part.words)
    return `*${escapeMarkdown(part.file)}*`
  })
}

/** A part of an output: text, or a note about a file that is no text. */
type OutputPart = { readonly words: string } | { readonly file: string }

/** Returns the parts of an output. Their texts are redacted and not shortened. Values that are no text are JSON. */
export function outputParts(text: SessionText, output: unknown): readonly OutputPart[] {
  if (output === undefined || output === null || output === '') return []
  const parts = asArray(plainOutput(Array.isArray(output) ? output : [output]))
  return parts.map((part) => partOf(text, part))
}

function partOf(text: SessionText, part: unknown): OutputPart {
  if (typeof part === 'string') return { words: text.redacted(part) }
  if (!isObject(part)) return { words: text.json(part) }
  const onlyText = part.type === 'text' ? asString(part.text) : undefined
  if (onlyText !== undefined) return { words: text.redacted(onlyText) }
  return binaryPart(text, part) ?? { words: text.json(part) }
}

function binaryPart(text: SessionText, part: JsonObject): OutputPart | undefined {
  if (part.type !== 'image' && part.type !== 'audio') return undefined
  const source = isObject(part.source) ? part.source : part
  const data = asString(source.data)
  if (data === undefined) return undefined
  const mediaType = asString(source.mediaType) ?? asString(source.mimeType) ?? ''
  return { file: `${part.type === 'image' ? 'Image' : 'Audio'}: ${text.short(mediaType)} ${sizeOf(data)}` }
}

/** Returns the size of bytes in base64. */
export function sizeOf(base64: string): string {
  return formatBytes(Math.floor((base64.length * 3) / 4))
}

/** Returns the first line of a failed output, in a few words. */
export function errorLine(text: SessionText, output: unknown): string {
  if (typeof output === 'string') return text.first(output)
  const first = asArray(output).find((part) => isObject(part) && typeof part.text === 'string')
  return isObject(first) ? text.first(asString(first.text) ?? '') : ''
}
