import { asString, isObject } from '../../json/values.ts'
import { fence } from './text/escape.ts'
import type { SessionText } from './text/session-text.ts'

/** The fields that say best what a call works on, the best first. */
const SUBJECTS: readonly string[] = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'notebook_path',
  'path',
  'pattern',
  'query',
  'url',
  'skill',
  'name',
  'title',
  'description',
  'prompt',
]

const MAX_LINE = 100

/** Returns what a call works on in a few words, or nothing. They are redacted and not escaped. */
export function subjectOf(text: SessionText, input: unknown): string {
  if (typeof input === 'string') return text.short(input)
  if (!isObject(input)) return ''
  const field = subjectField(input)
  return field === undefined ? '' : text.short(subjectText(input, field))
}

/** Returns the name of the field that says best what a call works on. */
export function subjectField(input: Readonly<Record<string, unknown>>): string | undefined {
  return [...SUBJECTS, ...Object.keys(input)].find((key) => subjectText(input, key) !== '')
}

/** Returns the text of a field, or nothing if it is no text. A command may be a list of words. */
export function subjectText(input: Readonly<Record<string, unknown>>, key: string): string {
  const value = Object.hasOwn(input, key) ? input[key] : undefined
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(' ')
  return asString(value) ?? ''
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
    const shown = typeof value === 'string' ? secretSafe(text, key, value) : text.json(value)
    return { key, shown, language: languageOf(key, value) }
  })
  return fields.filter(({ shown }) => shown !== subject || subject === '')
}

function languageOf(key: string, value: unknown): string {
  if (typeof value !== 'string') return 'json'
  return key === 'command' ? 'sh' : ''
}

/** The name of a field may say that its value is a secret. */
function secretSafe(text: SessionText, key: string, value: string): string {
  const pair = text.redacted(`${key}=${value}`)
  return text.redacted(pair.startsWith(`${key}=`) ? pair.slice(key.length + 1) : value)
}
